// Walk: the files below a directory, in one pass: what is analysed, what is only listed, and what is left out.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/git_index.h"
#include "migrator/source/discovery.h"
#include "migrator/source/glob.h"

namespace migrator {

class Walk {
public:
    Walk(base::FileSystem& fs, base::Path root, const DiscoveryOptions& options);

    // Everything below the root.
    void read_all();
    // The file that the user has named.
    void add_named_file(const base::Path& name);
    // What was left out is in after all: of a directory everything that no other rule leaves out; of a file below such a
    // directory the file alone. False when there is no such file.
    bool bring_in(const LeftOutPath& left_out);
    bool bring_in_file(const base::Path& path);
    // A file that was listed is analysed, whatever it was left out for.
    void analyse(FoundFile& file);
    // The listed file, whose name says nothing, is analysed as a list of requirements. False when there is none.
    bool take_as_requirements(const base::Path& path);

    FileList& list() { return list_; }
    base::FileSystem& fs() { return fs_; }
    void sort();

private:
    // What git tracks of a directory.
    struct Tracked {
        std::shared_ptr<const base::GitIndex> index;  // nullptr: nothing
        base::GitIndex::Directory at;
        bool whole = false;  // all of it

        bool has_file(std::string_view name) const { return whole || (index && index->has_file(at, name)); }
        std::optional<Tracked> directory(std::string_view name) const;
    };
    struct Directory {
        base::Path relative;
        std::shared_ptr<const IgnoreScope> ignore;
        Tracked tracked;
        bool only_tracked = false;  // a rule leaves it out, but for what git tracks
        bool is_installed = false;  // of a cache or of packages, as its name says
    };
    enum class Reason { none, never, installed, packages, ignored };

    base::Path absolute(const base::Path& relative) const;
    void read(Directory directory);
    void read_entry(const Directory& directory, const base::DirectoryEntry& entry, Reason reason);
    void add_file(const base::Path& relative, bool is_named, std::string_view reason);
    void leave_out(const base::Path& relative, const Directory& directory, Reason reason, bool is_directory);
    void enter_work_tree(Directory& directory);
    void find_repository();
    bool has_code(const base::Path& directory);
    bool names_directory(const base::Path& directory) const;  // in a pattern of --include
    std::shared_ptr<const base::GitIndex> index_of(const base::Path& tree);
    std::shared_ptr<const IgnoreScope> with_ignore_file(const Directory& directory,
                                                        const std::vector<base::DirectoryEntry>& entries);
    std::string_view reason_to_skip(const base::Path& file, const Directory& directory, bool is_tracked) const;
    std::uint64_t limit_of(FileType type) const;
    FileType type_by_first_line(const base::Path& path, std::uint64_t bytes);

    base::FileSystem& fs_;
    const DiscoveryOptions& options_;
    std::vector<PathPattern> include_;
    std::vector<PathPattern> exclude_;
    std::vector<Directory> pending_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;  // device and inode of directories
    FileList list_;
};

}  // namespace migrator
