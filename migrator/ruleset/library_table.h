// LibraryTable: functions of libraries that lead to something the NPU lacks, from the results of library mode
// (docs/reference/library-schema.md).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/ruleset/library_file.h"

namespace migrator {

class LibraryTable {
public:
    // Adds a result. Strict: unknown keys and other schemas fail.
    base::Status add(const base::JsonDocument& document);

    // nullptr for a function that leads to nothing, or of another library.
    const std::vector<LibraryReach>* find(std::string_view name) const;
    bool empty() const { return functions_.empty(); }
    const std::vector<LibraryClass>& classes() const { return classes_; }

private:
    std::vector<std::vector<LibraryReach>> ways_;
    std::map<std::string, std::size_t, std::less<>> functions_;  // name -> place in ways_
    std::vector<LibraryClass> classes_;
};

}  // namespace migrator
