// find_programs: what people start of a project, and which of it first: rules/start/programs.json.
#pragma once

#include <string>
#include <vector>

#include "base/rule_file.h"
#include "migrator/project/project.h"

namespace migrator {

struct ProgramFacts : base::RuleFileHead {
    std::vector<std::string> documents;
    std::vector<std::string> no_documents;
    std::vector<std::string> document_folders;
    std::vector<std::string> document_ends;
    std::vector<std::string> program_folders;
    std::vector<std::string> program_beginnings;
    std::vector<std::string> example_folders;
    std::vector<std::string> measuring_words;
    std::vector<std::string> left_out;
};
constexpr auto record_of(const ProgramFacts*) {
    using F = ProgramFacts;
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "programs", "what people start of a project",
        base::field("documents", &F::documents, "beginnings of the names of files that tell what to start").needed(),
        base::field("no_documents", &F::no_documents,
                    "beginnings of the names of others that stand at the top of a project, where the rest tells it too")
            .needed(),
        base::field("document_folders", &F::document_folders, "folders that are full of such files").needed(),
        base::field("document_ends", &F::document_ends, "how their names end").needed(),
        base::field("program_folders", &F::program_folders, "folders whose files are started").needed(),
        base::field("program_beginnings", &F::program_beginnings, "beginnings of the names of files that are started")
            .needed(),
        base::field("example_folders", &F::example_folders, "folders with examples").needed(),
        base::field("measuring_words", &F::measuring_words, "parts of paths by which something is measured").needed(),
        base::field("left_out", &F::left_out, "folders and files whose programs are no part of a judgement").needed());
}

// Fills `programs` of all projects, which index_projects has seen. Fails with rule_data.
base::Status find_programs(base::FileSystem& fs, const Knowledge& knowledge, std::vector<Project>& projects);

}  // namespace migrator
