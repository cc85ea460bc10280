#include "migrator/ruleset/library_table.h"

#include <iterator>

#include "base/format.h"

base::Result<migrator::LibrarySchema> base::InJson<migrator::LibrarySchema>::read(const JsonPlace& at) {
    TRY_ASSIGN(const std::string found, read_json<std::string>(at));
    if (found == migrator::LibrarySchema::kName) return migrator::LibrarySchema();
    return at.error(
        format("\"{}\" is not a result of library mode; expected is {}", found, migrator::LibrarySchema::kName));
}

namespace migrator {

std::string LibraryReach::way() const { return base::format("{} -> {}", base::joined(chain, " -> "), subject); }

base::Status LibraryTable::add(const base::JsonDocument& document) {
    TRY_ASSIGN(LibraryFile file, base::read_json<LibraryFile>({document, document.root}));
    for (LibraryEntry& function : file.functions) {
        for (const std::string& name : function.names) functions_.emplace(name, ways_.size());
        ways_.push_back(std::move(function.reaches));
    }
    std::move(file.classes.begin(), file.classes.end(), std::back_inserter(classes_));
    return {};
}

const std::vector<LibraryReach>* LibraryTable::find(std::string_view name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : &ways_[found->second];
}

}  // namespace migrator
