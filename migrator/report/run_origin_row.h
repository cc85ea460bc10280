// What a report says of the run that made it, and of an older one that it is compared with.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace migrator {

// Each is empty where it is not known.
struct RunOrigin {
    std::string date;          // "2026-01-31T12:00:00Z"
    std::string commit;        // of the project's repository
    std::string command_line;  // without what does not change the result
    std::string source_url;    // of a line in the repository, with {commit}, {path} and {line}
};

// An older report in figures, and what has changed since.
struct BaselineRow {
    std::uint64_t findings = 0;
    std::uint64_t to_review = 0;
    std::uint64_t blocking = 0;
    std::uint64_t fresh = 0;  // findings that it does not have
    std::uint64_t gone = 0;   // that only it has
};

struct Baseline {
    std::set<std::string> ids;  // of its findings
    BaselineRow row;            // without what has changed
};

}  // namespace migrator
