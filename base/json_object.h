// JsonObject: reads one JSON object against a closed set of keys; what is missing, mistyped or unknown is an error
// that names the file, line and key. Used for everything under rules/.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace base {

class JsonObject {
public:
    // Fails when `value` is not an object. `kind` is the error kind of every later failure.
    static Result<JsonObject> of(const JsonDocument& document, const Json& value,
                                 ErrorKind kind = ErrorKind::rule_data);

    Result<std::string> string(std::string_view key);
    Result<std::string> string_or(std::string_view key, std::string fallback);
    Result<std::int64_t> integer(std::string_view key);
    Result<bool> boolean_or(std::string_view key, bool fallback);
    // A list of strings; a single string counts as a list of one. Absent: empty.
    Result<std::vector<std::string>> strings(std::string_view key);
    // Any value; nullptr when absent. Marks the key as known.
    const Json* optional(std::string_view key);
    Result<const Json*> required(std::string_view key);
    const Json::Object& members() const { return *value_->object(); }

    // Must be the last call: fails on a key that none of the calls above asked for.
    Status finish() const;

    tl::unexpected<Error> error(const Json& at, std::string message) const;
    tl::unexpected<Error> error(std::string message) const { return error(*value_, std::move(message)); }
    const JsonDocument& document() const { return *document_; }
    const Json& json() const { return *value_; }

private:
    JsonObject(const JsonDocument& document, const Json& value, ErrorKind kind)
        : document_(&document), value_(&value), kind_(kind) {}

    const JsonDocument* document_;
    const Json* value_;
    ErrorKind kind_;
    std::set<std::string, std::less<>> known_;
};

}  // namespace base
