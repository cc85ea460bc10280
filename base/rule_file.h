// Reads a JSON file of rules/.
#pragma once

#include <map>
#include <string>

#include "base/data_store.h"
#include "base/record.h"

namespace base {

// Fails with rule_data; `wanted_by` is the place of the error when there is no such file.
Result<JsonDocument> read_rule_file(const DataStore& store, const std::string& path, const std::string& wanted_by);
// The same of a file that nothing else names.
Result<JsonDocument> read_rule_file(const DataStore& store, const std::string& path);

// The value of "schema" where there is one version.
struct SchemaOne {};
template <>
struct InJson<SchemaOne> {
    static Result<SchemaOne> read(const JsonPlace& at) {
        if (at.json.integer() != nullptr && *at.json.integer() == 1) return SchemaOne();
        return at.error("\"schema\" must be 1");
    }
    static void describe(SchemaWriter& out) { out.key("const").integer(1); }
};

// What files of a kind of their own begin with.
struct RuleFileHead {
    SchemaOne schema;
    std::string about;
    std::string source;
};
constexpr auto record_of(const RuleFileHead*) {
    return record("rule_file", "what a file is about", field("schema", &RuleFileHead::schema, "1").needed(),
                  field("about", &RuleFileHead::about, "what the file is about"),
                  field("source", &RuleFileHead::source, "where the facts come from"));
}

// A file that is one record. Fails as read_rule_file does, and with the place of what is wrong.
template <class T>
Result<T> read_rule_record(const DataStore& store, const std::string& path) {
    TRY_ASSIGN(const JsonDocument document, read_rule_file(store, path));
    return read_json<T>({document, document.root});
}

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
