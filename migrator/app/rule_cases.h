// rule_cases: the cases beside rule files, and whether the rules do what the cases say.
//
//   x = net.cuda()  # expect: method.cuda, other.rule     findings of these rules begin on this line
//   y = car.cuda()  # ok: method.cuda                     this rule finds nothing here
//   z = f().cuda()  # todo-expect: method.cuda            it should, but does not yet
//
// Every finding must be expected. NAME.expected.EXT is what NAME.EXT becomes; it is there when a fix changes the file.
// NAME.reviewed.EXT is what it becomes with the fixes that a person has to look at as well; where there is one, the case
// runs that way too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_system.h"
#include "migrator/rewrite/rewriter.h"
#include "migrator/rule/style.h"
#include "migrator/rule/version.h"

namespace migrator {

// Cases below cases/portable and cases/auto are for these styles; all others are for the style npu.
StyleKind style_of_case(std::string_view path);
// Cases below cases/torch-2.6 are for this version of the framework; nullopt: for the newest one.
std::optional<Version> version_of_case(std::string_view path);
// The file that says what a case becomes: "cases/a.py" -> "cases/a.expected.py", of ApplyMode::review "cases/a.reviewed.py".
base::Path output_of_case(const base::Path& path, ApplyMode apply);
// A file below a folder `cases` that is no such file.
bool is_case(std::string_view path);

using LineRule = std::pair<std::uint32_t, std::string>;  // line from 1, id of a rule

// The ids behind "# WORD:" on a line.
std::vector<std::string> ids_behind(std::string_view line, std::string_view word);

// Where the findings are not what the comments of `text` say: "line 3: method.cuda expected 1 times, found 0 times".
std::vector<std::string> unmet_expectations(std::string_view text, const std::vector<LineRule>& findings);

struct CaseProblem {
    base::Path file;
    std::string message;
};

struct CaseRun {
    std::uint64_t cases = 0;
    std::vector<CaseProblem> problems;  // sorted by file
    std::vector<std::string> untested;  // rules of the directory that no case expects, sorted
};

// Runs every file below a `cases` folder of `directory` with the built-in rules and those of the directory: findings,
// output, and that a second run changes nothing. Fails with rule_data when the rules do not load.
base::Result<CaseRun> run_rule_cases(base::FileSystem& fs, const base::Path& directory);

}  // namespace migrator
