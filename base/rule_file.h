// Reads a JSON file of rules/.
#pragma once

#include <map>
#include <string>

#include "base/data_store.h"
#include "base/json.h"

namespace base {

// Fails with rule_data; `wanted_by` is the place of the error when there is no such file.
Result<JsonDocument> read_rule_file(const DataStore& store, const std::string& path, const std::string& wanted_by);
// The same of a file that nothing else names.
Result<JsonDocument> read_rule_file(const DataStore& store, const std::string& path);

// Reads each file once. The store must outlive it, and it the documents.
class RuleFiles {
public:
    explicit RuleFiles(const DataStore& store) : store_(store) {}
    const DataStore& store() const { return store_; }
    // Fails as read_rule_file does.
    Result<const JsonDocument*> read(const std::string& path, const std::string& wanted_by);

private:
    const DataStore& store_;
    std::map<std::string, JsonDocument> documents_;
};

}  // namespace base
