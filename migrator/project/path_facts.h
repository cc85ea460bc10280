// PathFacts: how Python makes paths of parts, and what reads or writes what they name: rules/paths/paths.json.
#pragma once

#include <string>
#include <vector>

#include "base/rule_file.h"

namespace migrator {

struct PathFacts : base::RuleFileHead {
    std::vector<std::string> file_names;
    std::vector<std::string> package_names;
    std::vector<std::string> joins;
    std::vector<std::string> join_members;
    std::vector<std::string> sibling_members;
    std::vector<std::string> format_members;
    std::vector<std::string> parents;
    std::vector<std::string> parent_members;
    std::vector<std::string> all_parents_members;
    std::vector<std::string> start_directories;
    std::vector<std::string> elsewhere;
    std::vector<std::string> packages;
    std::vector<std::string> opens;
    std::vector<std::string> open_members;
    std::vector<std::string> pattern_members;
    std::vector<std::string> writes;
    std::vector<std::string> write_members;
    std::vector<std::string> writing_commands;
    std::vector<std::string> output_words;

    static base::Result<PathFacts> load(const base::DataStore& store) {
        return base::read_rule_record<PathFacts>(store, "rules/paths/paths.json");
    }
};
constexpr auto record_of(const PathFacts*) {
    using F = PathFacts;
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "paths", "how paths are made and used",
        base::field("file_names", &F::file_names, "names that hold the path of the file itself").needed(),
        base::field("package_names", &F::package_names, "names that hold that of its package").needed(),
        base::field("joins", &F::joins, "functions that join their arguments to a path; of one they give the same")
            .needed(),
        base::field("join_members", &F::join_members, "the same: methods of a path, which comes first").needed(),
        base::field("sibling_members", &F::sibling_members, "methods that join to the directory of a path").needed(),
        base::field("format_members", &F::format_members, "methods that fill in the places of a text").needed(),
        base::field("parents", &F::parents, "functions that give the directory of a path").needed(),
        base::field("parent_members", &F::parent_members, "the same: attributes of a path").needed(),
        base::field("all_parents_members", &F::all_parents_members, "attributes with all directories above, by number")
            .needed(),
        base::field("start_directories", &F::start_directories, "functions that give the working directory").needed(),
        base::field("elsewhere", &F::elsewhere, "functions that give a directory of no project").needed(),
        base::field("packages", &F::packages, "functions that take a package and names of files in it").needed(),
        base::field("opens", &F::opens, "functions that read the file or list the directory of their first argument")
            .needed(),
        base::field("open_members", &F::open_members, "the same: methods of a path").needed(),
        base::field("pattern_members", &F::pattern_members, "methods of a path that list what fits a pattern").needed(),
        base::field("writes", &F::writes, "functions that write or remove what their arguments name").needed(),
        base::field("write_members", &F::write_members, "the same: methods of a path, or with one").needed(),
        base::field("writing_commands", &F::writing_commands, "commands of a shell that read nothing of what they name")
            .needed(),
        base::field("output_words", &F::output_words, "words in the name of an option whose value is written")
            .needed());
}

}  // namespace migrator
