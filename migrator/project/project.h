// Project: one path of the command line: its files, the names of its modules and what they offer to each other.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "migrator/match/cuda_code.h"
#include "migrator/project/import_graph.h"
#include "migrator/project/knowledge.h"
#include "migrator/project/module_names.h"
#include "migrator/project/program_reach.h"
#include "migrator/report/report_project.h"
#include "migrator/semantic/project_index.h"
#include "migrator/source/discovery.h"
#include "migrator/source/source_file.h"
#include "migrator/syntax/syntax_tree.h"
#include "migrator/values/value_ends.h"

namespace migrator {

// A Python file that has been read and parsed. The tree points into the source's text, the bindings to the tree.
struct ParsedFile {
    SourceFile source;
    SyntaxTree tree;                     // without nodes while it is packed
    std::optional<Bindings> bindings{};  // once it has been resolved as a file of its project
    std::string packed{};                // the tree, between the times when it is needed

    void pack();    // lets go of the tree and the bindings
    void unpack();  // makes the tree, if there is none
    std::size_t packed_bytes() const { return packed.size() + source.raw.size() + source.text.size(); }
};

// A program that chooses the device by itself, the target among them.
struct OwnProgram {
    std::string sign;     // the surest of the files that it always loads, as the report shows it: "device.py:46"
    std::string library;  // where it uses a library that chooses for it
    bool asks = false;    // it finds the target by itself; else it has to be told
    std::vector<std::string> options;  // by which it is told: "--use_npu"
};
struct OwnPrograms {
    std::map<base::Path, OwnChoice> files;  // what is left to them; empty without such a program
    std::map<base::Path, OwnProgram> programs;
    std::map<base::Path, std::string> by_library;  // other programs, and what uses a library that chooses for them
    std::vector<ProjectSign> signs;                // the surest one of each file that such programs load
};

// How likely it is that people start a program: the smaller, the likelier.
enum class ProgramRank : std::uint8_t {
    documented = 1,  // the README or another document starts it
    installed,       // the package installs a command for it, or runs it as a module
    in_script,       // a script of the project starts it
    named,           // its name or its folder says so
    example,
    measure,   // a benchmark, an evaluation, a part that can be run by itself
    left_out,  // a test, a part of the documentation, the setup
};

struct Program {
    base::Path path;
    std::string command;   // that the package installs for it: "toy"; else empty
    std::string function;  // that the command calls: "main"; else empty
    ProgramRank rank = ProgramRank::measure;
    std::string origin;  // what says so: "README.md:12"; empty: its name
    std::string
        target_script;  // of the project, as the report shows it, that starts it on the target by its name; else empty
    bool uses_framework = false;
    std::size_t named = 0;  // by the user, as which: 1 for the first; 0: not
};

struct Project {
    base::Path argument;                        // as named on the command line
    std::optional<std::string> standard_input;  // the bytes of its one file, when they come from there
    bool is_directory = true;                   // else a single file
    base::Path root = ".";                      // the directory that paths in the report count from
    base::Path prefix;                          // of paths in the report: where the files lie below `root`
    FileList files;
    ModuleNames modules;
    std::vector<std::string> members;             // sorted; see MatchContext::project_members
    std::shared_ptr<const ProjectIndex> index;    // what the modules mean to each other
    std::shared_ptr<const ValueEnds> value_ends;  // where constants go that leave their file; see find_value_ends
    std::shared_ptr<const CudaNames> cuda_names;  // what leads to CUDA-only code; see find_cuda_code
    OwnPrograms own_programs;                     // see find_own_choice
    ImportGraph imports;
    std::shared_ptr<const ProgramReach> reach;
    std::vector<Program> programs;     // best first; see find_programs
    std::vector<std::string> install;  // how it says that it is installed for the target: "pip install '.[npu]'"
    std::vector<base::Path> loading_framework;  // sorted: files that load it through other files of the project
    std::vector<base::Path> beside_framework;   // sorted: files that files which load it import
    std::vector<char> holds_values;             // by file: see match/value_ends.h
    // By file: parsed for the index, and kept for the analysis as long as there is room.
    std::vector<std::unique_ptr<ParsedFile>> parsed;

    base::Path shown(const base::Path& path) const { return base::join(prefix, path); }
    base::Path on_disk(const base::Path& path) const { return base::join(files.root, path); }
    base::Result<std::string> read(base::FileSystem& fs, const base::Path& path) const {
        return standard_input ? *standard_input : base::read_file(fs, on_disk(path));
    }
};

// Fills what the files of each project mean to each other, reading the Python files on several threads.
base::Status index_projects(base::FileSystem& fs, int threads, const Knowledge& knowledge,
                            std::vector<Project>& projects);

// The Python file among those to analyse: its path counts from the project, or from where the program was started.
// nullopt when there is none of this name.
std::optional<std::size_t> find_python_file(const Project& project, const base::Path& named);

// The file of this number, from memory where it was kept.
base::Result<SourceFile> read_source(base::FileSystem& fs, const Project& project, std::size_t number);

// How name resolution sees a Python file of the project.
ModuleContext module_context(const Project& project, const base::Path& path);

// What matching knows of a Python file as one of its project.
MatchContext match_context(const Knowledge& knowledge, const Project& project, const base::Path& path);

// The first paths, or places, and how many more there are.
base::Message some_of(const std::vector<std::string>& paths);

// What a person should know of the files that were not analysed; of those that a migration would have `copied`, that they
// are not in the copy either.
std::vector<base::Message> notes_of(const Project& project, bool copied);

}  // namespace migrator
