#include "base/rule_file.h"

#include "base/format.h"

namespace base {

Result<JsonDocument> read_rule_file(const DataStore& store, const std::string& path, const std::string& wanted_by) {
    const std::string_view* text = store.find(path);
    if (text == nullptr) return fail(ErrorKind::rule_data, format("{} is missing", path), wanted_by);
    auto document = parse_json(*text, store.origin(path));
    if (!document) {
        Error error = document.error();
        error.kind = ErrorKind::rule_data;
        return tl::unexpected<Error>(std::move(error));
    }
    return document;
}

Result<JsonDocument> read_rule_file(const DataStore& store, const std::string& path) {
    return read_rule_file(store, path, path);
}

Result<const JsonDocument*> RuleFiles::read(const std::string& path, const std::string& wanted_by) {
    auto known = documents_.find(path);
    if (known == documents_.end()) {
        TRY_ASSIGN(JsonDocument document, read_rule_file(store_, path, wanted_by));
        known = documents_.emplace(path, std::move(document)).first;
    }
    return &known->second;
}

}  // namespace base
