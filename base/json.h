// Strict JSON in: duplicate keys, integers beyond 64 bits, deep nesting and invalid UTF-8 are errors.
//
// This is the only seam to nlohmann_json, which by itself keeps the last of duplicate keys, turns 2^64 into a double
// and recurses on deep values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace base {

struct JsonLimits {
    int max_depth = 64;
    bool python_numbers = false;  // Infinity, -Infinity and NaN are numbers, as Python's json module writes them
};
inline constexpr JsonLimits kPythonJson{.python_numbers = true};

// Receives the values of a document in order; a failed Status stops the parse.
// `offset` is the byte just behind the value's first token, enough to name its line.
class JsonHandler {
public:
    virtual ~JsonHandler() = default;
    virtual Status null(std::uint64_t offset) = 0;
    virtual Status boolean(bool value, std::uint64_t offset) = 0;
    virtual Status integer(std::int64_t value, std::uint64_t offset) = 0;
    virtual Status big_integer(std::uint64_t value, std::uint64_t offset) = 0;  // only values above INT64_MAX
    virtual Status number(double value, std::uint64_t offset) = 0;
    virtual Status string(std::string&& value, std::uint64_t offset) = 0;
    virtual Status begin_object(std::uint64_t offset) = 0;
    virtual Status key(std::string&& value, std::uint64_t offset) = 0;
    virtual Status end_object() = 0;
    virtual Status begin_array(std::uint64_t offset) = 0;
    virtual Status end_array() = 0;
};

// `name` is the file that messages speak of. Nothing of the size of the document is kept but the open objects' keys.
Status parse_json_events(std::string_view text, const std::string& name, JsonHandler& handler, JsonLimits limits = {});

class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;  // in document order
    using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object>;

    Json() = default;
    Json(Value value, std::uint64_t offset) : value_(std::move(value)), offset_(offset) {}

    bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
    const bool* boolean() const { return std::get_if<bool>(&value_); }
    const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
    const double* real() const { return std::get_if<double>(&value_); }
    const std::string* string() const { return std::get_if<std::string>(&value_); }
    const Array* array() const { return std::get_if<Array>(&value_); }
    const Object* object() const { return std::get_if<Object>(&value_); }
    Array* array() { return std::get_if<Array>(&value_); }
    Object* object() { return std::get_if<Object>(&value_); }
    const Value& value() const { return value_; }

    // The member of an object, or nullptr (also when this is not an object).
    const Json* find(std::string_view key) const;
    // Follows "a.b.c" through objects.
    const Json* find_path(std::string_view dotted) const;

    // "a string", "an object" ... for messages.
    std::string kind_name() const;
    std::uint64_t offset() const { return offset_; }

private:
    Value value_ = nullptr;
    std::uint64_t offset_ = 0;
};

struct JsonDocument {
    std::string name;
    Json root;
    std::vector<std::uint64_t> line_starts;

    std::string where(const Json& value) const;  // "file:line:column"
};

Result<JsonDocument> parse_json(std::string_view text, std::string name, JsonLimits limits = {});

}  // namespace base
