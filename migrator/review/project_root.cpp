#include "migrator/review/project_root.h"

#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "base/shell_word.h"
#include "migrator/review/project_lock.h"

namespace migrator {
namespace {

using base::Path;

bool has_hidden_part(std::string_view below) { return below.starts_with('.') || below.find("/.") != below.npos; }

// The home directory, or one around it.
bool holds_home(base::FileSystem& fs, const Path& root) {
    const char* home = std::getenv("HOME");
    return home != nullptr && *home != '\0' && base::is_inside(fs, home, root);
}

}  // namespace

base::Result<ProjectRoot> project_root(base::FileSystem& fs, const Path& named, const Path& recorded,
                                       const Path& holder) {
    if (!named.empty()) return ProjectRoot{named, true};
    const Path shown = recorded.empty() ? "." : recorded;
    TRY_ASSIGN(const Path root, fs.real_path(shown));
    TRY_ASSIGN(const Path real_holder, fs.real_path(holder));
    const Path around = base::parent(real_holder);
    const bool is_beside = base::lexically_inside(root, around);
    const Path below = root == around || around == "." ? root : root.substr(std::min(root.size(), around.size() + 1));
    if (is_beside && (root == around || !has_hidden_part(below)) && !holds_home(fs, root))
        return ProjectRoot{shown, root == around && base::file_name(real_holder) == kRecordFolder};
    return base::fail(base::ErrorKind::usage,
                      base::format("the files would be changed in {}, which does not lie next to this; if that is the "
                                   "project, say so with --project {}",
                                   root, base::shell_path(root)),
                      holder);
}

}  // namespace migrator
