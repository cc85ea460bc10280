// Decisions: what a person has accepted and rejected of a report: decisions.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/record.h"
#include "migrator/review/saved_report.h"

namespace migrator {

enum class Decision { accept, reject, defer, done, wont_do };
std::string_view name(Decision decision);

// Which report it is about, as the page notes it.
struct DecidedReport {};

// An entry is about the findings that all its keys fit. One that names a finding wins; of the others the last one counts.
struct DecisionEntry {
    std::optional<std::string> finding;
    std::optional<std::string> rule;
    std::optional<base::Path> folder;
    std::optional<Decision> decision;  // none: only a comment
    std::string comment;
    std::string where{};  // it stands, for messages

    base::Status check(const base::JsonPlace& at);
};
constexpr auto record_of(const DecisionEntry*) {
    using E = DecisionEntry;
    return base::record("decision",
                        "what a person has decided, about the findings that all of `finding`, `rule` and `folder` fit",
                        base::field("finding", &E::finding, "the id of a finding; such an entry wins"),
                        base::field("rule", &E::rule, "all findings of a rule; of such entries the last one counts"),
                        base::field("folder", &E::folder, "all findings of files in a folder, or in a file"),
                        base::field("decision", &E::decision,
                                    "what becomes of them; without it the entry is only a comment. Edits are made of "
                                    "`accept`, and of what is undecided; `done`: by "
                                    "hand; `wont_do`: nobody will, for the reason in the comment"),
                        base::field("comment", &E::comment, "for people"));
}

struct DecisionsFile {
    std::string schema;
    std::vector<DecisionEntry> decisions;
    DecidedReport report{};
};
constexpr auto record_of(const DecisionsFile*) {
    return base::record("decisions", "what a person has decided about the findings of a report",
                        base::field("schema", &DecisionsFile::schema, "`migrator-decisions/1`").always(),
                        base::field("report", &DecisionsFile::report, "which report it is about, for people"),
                        base::field("decisions", &DecisionsFile::decisions, "one after the other").always());
}
std::string decisions_schema();

class Decisions {
public:
    // Fails with bad_input, with the place.
    static base::Result<Decisions> read(base::FileSystem& fs, const base::Path& path);
    // `path`: for messages.
    static base::Result<Decisions> parse(std::string_view text, const base::Path& path);

    std::optional<Decision> about(const base::Path& path, const SavedFinding& finding) const;
    // Findings that are named; one that a report does not have is a sign that it is another report's.
    const std::map<std::string, std::string>& named() const { return named_; }

private:
    std::map<std::string, Decision, std::less<>> by_finding_;
    std::vector<DecisionEntry> entries_;
    std::map<std::string, std::string> named_;  // id -> where it is named
};

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::Decision> = [] {
    using enum migrator::Decision;
    return std::to_array({accept, reject, defer, done, wont_do});
}();
// Whatever it is.
template <>
struct base::InJson<migrator::DecidedReport> {
    static Result<migrator::DecidedReport> read(const JsonPlace&) { return migrator::DecidedReport{}; }
    static void describe(SchemaWriter&) {}
};
