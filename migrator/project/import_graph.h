// ImportGraph: which Python files of a project import which, and what they load from outside.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_system.h"
#include "migrator/semantic/module_summary.h"

namespace migrator {

struct FileImports {
    std::vector<ImportedModule> modules;
    std::vector<LazyName> lazy;  // qualified
    bool is_guarded = false;     // it has code for when it is run, `if __name__ == "__main__"`
};

class ImportGraph {
public:
    // `names`: under which the file can be imported.
    void add(const base::Path& file, const std::vector<std::string>& names, FileImports imports);
    // After the last `add`.
    void finish();

    // A file that is run: it says so itself, or nobody imports it and it is in no package.
    bool is_program(const base::Path& file) const;
    // The files of the project that the file loads, directly or through others, with the packages that they are in; itself in
    // front.
    std::vector<base::Path> files_of(const base::Path& file) const;
    // Those of them that it loads by imports that no if, try or except stands around, whichever function has them, with the
    // packages that they are in.
    std::vector<base::Path> files_always_of(const base::Path& file) const;
    // Those of them that it loads by imports outside functions: once its first line has run, all of them have.
    std::vector<base::Path> files_at_load_of(const base::Path& file) const;
    // A file of the project that this one imports, or a package which that file is in, by an import below no if and no try. `by`:
    // the code that has the import (see CodeStanding::function), so that it is loaded when that code runs.
    struct CertainImport {
        std::int32_t by;
        const base::Path* file;
    };
    std::vector<CertainImport> certain_imports(const base::Path& file) const;
    // What the file loads from outside the project, directly or through other files: qualified names, sorted.
    std::vector<std::string> loads(const base::Path& file) const;
    // Whether the file itself imports one of these modules.
    bool imports_any(const base::Path& file, const std::vector<std::string>& modules) const;

    // What files import from outside the project: the file and the qualified name, sorted by file. Views of the graph.
    std::vector<std::pair<std::string_view, std::string_view>> external() const;

    // The files that load one of these modules through others, sorted: a file that imports it itself is not meant.
    std::vector<base::Path> loading_through_others(const std::vector<std::string>& modules) const;

    // The files that such files and those that import the modules themselves import, directly or through others, sorted:
    // what they are given may come from these modules.
    std::vector<base::Path> imported_by_loading(const std::vector<std::string>& modules) const;

    // How a file is reached: the file that imports it, on one of the shortest ways, and the one that the way begins with.
    // Of a root both are itself.
    struct Way {
        base::Path importer;
        base::Path root;
    };
    // The files that the roots load, directly or through others, and the roots.
    std::map<base::Path, Way> ways_from(const std::vector<base::Path>& roots) const;
    // The programs that load one of the files through others.
    std::vector<base::Path> programs_loading(const std::vector<base::Path>& files) const;

    // Where a module that this file needs can stand, so that every file which needs it there finds it.
    struct Place {
        base::Path directory;
        std::string package;  // the package that the directory is; empty for a directory on the path
    };
    // The outermost package that the file is in, or one that it imports; else where the imports of other files show
    // that the path begins; else its own directory.
    Place place_of_module(const base::Path& file) const;

private:
    struct Node {
        FileImports imports;
        std::vector<const Node*> files;  // of the project, that it imports, and the packages that they are in
        std::vector<std::pair<std::int32_t, const Node*>> certain;  // see certain_imports
        std::vector<std::string> external;                          // imports that are no file of the project
        base::Path path;
        std::string module;                // the first of its names
        bool is_imported = false;          // by any other file
        bool is_imported_by_path = false;  // by the whole of its name, which counts from the root
    };
    bool imports_any(const Node& node, const std::vector<std::string>& modules) const;
    enum class Edges { all, certain, at_load };
    // What a file loads of the project, itself in front.
    std::vector<const Node*> reached(const base::Path& file, Edges edges) const;
    static std::vector<base::Path> paths_of(const std::vector<const Node*>& nodes);
    std::vector<const Node*> packages_of(const Node& file) const;
    struct Found {
        const Node* file = nullptr;
        bool by_path = false;     // by the whole of its name, which counts from the root
        std::string_view member;  // of the file: "Net" of "pkg.model.Net"
    };
    Found find(std::string_view qualified, const Node& importer) const;
    void add_import(Node& node, const ImportedModule& import);
    void add_file(Node& node, const Found& found, const CodeStanding& standing);
    std::vector<Found> lazily_imported(const Found& asked) const;
    // The files that import those, directly or through others.
    std::set<const Node*> importers_of(const std::vector<const Node*>& of) const;
    const Node* outermost_package(const base::Path& file) const;

    std::map<base::Path, Node> nodes_;
    std::map<std::string, const Node*, std::less<>> modules_;
};

}  // namespace migrator
