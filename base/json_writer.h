// JsonWriter: ordered JSON out, as a string or in parts; keys appear in the order they are written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_sink.h"

namespace base {

class Json;

class JsonWriter {
public:
    // indent 0: everything on one line.
    explicit JsonWriter(int indent = 2) : indent_(indent) {}
    // The text goes to the sink; the last part with finish().
    explicit JsonWriter(TextSink sink, int indent = 2) : indent_(indent), sink_(std::move(sink)) {}

    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    JsonWriter& key(std::string_view name);
    JsonWriter& string(std::string_view value);  // invalid UTF-8 becomes U+FFFD; what printable escapes is escaped
    JsonWriter& integer(std::int64_t value);
    JsonWriter& unsigned_integer(std::uint64_t value);
    JsonWriter& number(double value);  // shortest text that reads back equal; must be finite
    JsonWriter& boolean(bool value);
    JsonWriter& null();
    JsonWriter& value(const Json& value);    // with everything in it
    JsonWriter& raw(std::string_view json);  // text that already is JSON

    // Both CHECK that every object and array is closed.
    std::string take() &&;
    void finish();

private:
    void before_value();
    void new_line();
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    JsonWriter& pass_on();

    struct Level {
        bool empty = true;
    };
    int indent_;
    TextSink sink_;
    std::string out_;  // what the sink has not had yet
    std::vector<Level> levels_;
    bool after_key_ = false;
};

// The text with JSON escapes, without the quotes.
std::string json_escape(std::string_view text);

}  // namespace base
