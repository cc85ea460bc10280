// Support for tests that run rules on files: the project's folders, the loaded knowledge, small projects.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/loops/loop_facts.h"
#include "migrator/operators/operator_schemas.h"
#include "migrator/operators/told_names.h"
#include "migrator/rewrite/rewriter.h"

namespace test {

// The root of the source tree: MIGRATION_SOURCE_DIR as a definition or in the environment, else from this file's path.
std::string source_dir();
// True when MIGRATION_UPDATE_CASES is set: expected outputs are written instead of compared.
bool update_cases();

// Of a version of the framework, or of the newest one.
const migrator::RuleSet& rules(migrator::StyleKind style = migrator::StyleKind::npu,
                               std::optional<migrator::Version> version = std::nullopt);
const migrator::PatternSet& patterns(migrator::StyleKind style = migrator::StyleKind::npu);
const migrator::TypeFacts& type_facts();
const migrator::LoopFacts& loop_facts();
const migrator::ToldNames& told_names();  // on the usual chip
const migrator::OperatorSchemas& operator_schemas();

struct CaseFile {
    std::string path;  // relative
    std::string bytes;
};

// All files below `directory`, sorted.
std::vector<CaseFile> read_files(const std::string& directory);
void write_file(const std::string& path, std::string_view content);

// Runs the files as one project, each as a program, with the fixes that are for speed alone.
std::vector<migrator::FileOutcome> migrate(const std::vector<CaseFile>& files,
                                           migrator::ApplyMode apply = migrator::ApplyMode::safe,
                                           migrator::StyleKind style = migrator::StyleKind::npu,
                                           std::optional<migrator::Version> version = std::nullopt);
migrator::FileOutcome migrate_one(std::string_view path, std::string_view text,
                                  migrator::ApplyMode apply = migrator::ApplyMode::safe,
                                  migrator::StyleKind style = migrator::StyleKind::npu,
                                  std::optional<migrator::Version> version = std::nullopt);

// "line rule state subject", a line for each finding.
std::string list_findings(const migrator::FileOutcome& outcome);

}  // namespace test
