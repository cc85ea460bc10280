// Decisions: what a person has accepted and rejected of a report: decisions.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "migrator/review/saved_report.h"

namespace migrator {

enum class Decision { accept, reject, defer };

// {"schema": "migrator-decisions/1", "decisions": [
//   {"finding": ID, "decision": "accept" | "reject" | "defer", "comment": TEXT},
//   {"rule": RULE, "folder": PATH, "decision": ...}, ...]}
//
// An entry is about the findings that all its keys fit. One that names a finding wins; of the others the last one counts.
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
    struct Entry {
        std::optional<std::string> rule;
        std::optional<base::Path> folder;
        Decision decision = Decision::defer;
    };
    base::Status add(const base::JsonDocument& document, const base::Json& item);

    std::map<std::string, Decision, std::less<>> by_finding_;
    std::vector<Entry> entries_;
    std::map<std::string, std::string> named_;  // id -> where it is named
};

}  // namespace migrator
