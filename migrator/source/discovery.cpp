#include "migrator/source/discovery.h"

#include "migrator/source/mentions.h"
#include "migrator/source/walk.h"

namespace migrator {

using base::Path;

base::Result<FileList> discover(base::FileSystem& fs, const Path& path, const DiscoveryOptions& options) {
    TRY_ASSIGN(const base::FileInfo info, fs.info(path));
    if (info.kind != base::FileKind::directory) {
        Walk walk(fs, base::parent(path), options);
        walk.add_named_file(Path(base::file_name(path)));
        return std::move(walk.list());
    }
    // The user named this directory, so a failure to list it is no detail.
    TRY(fs.list(path));
    Walk walk(fs, path, options);
    walk.read_all();
    walk.sort();
    follow_mentions(walk, options.paths);
    if (walk.list().files.empty() && walk.list().left_out.empty())
        return base::fail(base::ErrorKind::bad_input, "the directory has no file that can be analysed", path);
    return std::move(walk.list());
}

}  // namespace migrator
