// Discovery: which files of a project are looked at, and which are only copied.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "migrator/source/named_path.h"
#include "migrator/source/source_file.h"

namespace migrator {

struct DiscoveryOptions {
    std::vector<std::string> include;  // glob patterns on relative paths; empty: everything
    std::vector<std::string> exclude;
    // Larger files are copied, not analysed. A syntax tree takes some 60 times the room of its text.
    std::uint64_t max_file_bytes = 64ull << 20;
    std::uint64_t max_python_bytes = 16ull << 20;
    PathReader paths;  // that code composes; empty: nobody looks for them
};

struct FoundFile {
    base::Path path;  // relative to the root
    FileType type = FileType::other;
    std::uint64_t bytes = 0;
    std::uint32_t mode = 0644;
    std::int64_t modified = 0;                      // as base::FileInfo has it
    base::FileKind kind = base::FileKind::regular;  // symlinks are listed as such and never followed
    bool analysed = false;
    std::string skipped_because;  // for files not analysed although their type could be: "excluded by .gitignore" ...
    std::uint64_t limit = 0;      // not analysed because it has more bytes than this; 0: that is not why
};

struct IgnoreScope;

// A file or directory that is left out although it may be the project's: a .gitignore excludes it and git does not track it, or it is
// `build` or `dist`. What --exclude names is not among these.
struct LeftOutPath {
    base::Path path;
    bool is_directory = true;
    bool has_code = false;                      // is such a file, or has one in it
    std::shared_ptr<const IgnoreScope> ignore;  // of the directory that it is in
};

struct FileList {
    base::Path root;                              // a directory; for a single file, its parent
    std::vector<FoundFile> files;                 // sorted by path
    std::vector<base::Path> directories_skipped;  // sorted, and files: neither analysed nor copied, see discover()
    std::vector<LeftOutPath> left_out;            // those of them that may be the project's; sorted by path
    std::vector<base::Path> packages_left_out;    // `site-packages` with code outside an environment; sorted
    std::vector<base::Path> in_by_name;           // not left out, as files of the project import or open it; sorted
    std::set<base::Path> too_large;               // left out, although files of the project open them
    std::vector<base::Path> analysed_by_name;   // not left as it is, vendored or generated, for the same reason; sorted
    std::vector<base::Error> unusable_indexes;  // of git, so that nothing is known to be tracked
    std::vector<base::Error> unreadable;        // entries that could not be read; the rest of the project was
};

// Skipped directories: version control (.git, .hg, .svn), our own records (.migrator), caches (__pycache__ ...), node_modules, .tox
// and .nox, any directory with a pyvenv.cfg (a virtual environment), *.egg-info, `build` and `dist` at the root or
// next to a setup.py, and directories that a .gitignore of the project excludes; but what git tracks in them is there, as long
// as its index can be read, and so is what files of the project import or open in those that a .gitignore excludes. Listed, but
// not analysed unless `include` names them or files of the project import them: files that a .gitignore excludes and git does not
// track, vendored ones (below `vendor`, `_vendor` ...) and generated ones (*_pb2.py ...). A path named by the user is
// read whatever it is called, and through links.
//
// Fails with bad_input when `path` does not exist or holds no file at all.
base::Result<FileList> discover(base::FileSystem& fs, const base::Path& path, const DiscoveryOptions& options);

// By name and extension: "requirements-dev.txt" is requirements, "Dockerfile.gpu" is dockerfile.
FileType file_type_of(std::string_view path);
// By "#!" and the interpreter, for files whose name says nothing; `other` when there is none.
FileType file_type_of_script(std::string_view first_line);

}  // namespace migrator
