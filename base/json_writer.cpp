#include "base/json_writer.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/format.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/utf8.h"

namespace base {

namespace {

bool is_plain(char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; }

// As UTF-16, which \u is about.
void append_unicode_escape(std::string& out, std::uint32_t code) {
    if (code >= 0x10000) out += base::format("\\u{:04x}", 0xD800 + ((code - 0x10000) >> 10));
    out += base::format("\\u{:04x}", code < 0x10000 ? code : 0xDC00 + ((code - 0x10000) & 0x3FF));
}

// What may not be shown is escaped as well: JSON is read by people too.
void append_escaped(std::string& out, std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_plain(text[end])) ++end;
        out += text.substr(i, end - i);  // nearly always all of it
        if (i = end; i == text.size()) return;
        const auto c = static_cast<unsigned char>(text[i]);
        const Shown shown = shown_character(text.substr(i));
        const std::string_view character = text.substr(i, shown.bytes);
        if (c == '"' || c == '\\') (out += '\\') += text[i];
        else if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (c == '\r') out += "\\r";
        else if (shown.as_it_is) out += character;
        else if (c < 0x80 || shown.bytes > 1) append_unicode_escape(out, utf8_code_point(character));
        else out += "\xEF\xBF\xBD";
        i += shown.bytes;
    }
}

}  // namespace

std::string json_escape(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    append_escaped(out, text);
    return out;
}

void JsonWriter::new_line() {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(levels_.size() * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::before_value() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (levels_.empty()) return;
    if (!levels_.back().empty) out_ += ',';
    levels_.back().empty = false;
    new_line();
}

JsonWriter& JsonWriter::open(char bracket) {
    before_value();
    out_ += bracket;
    levels_.push_back({});
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    CHECK(!levels_.empty() && !after_key_);
    bool empty = levels_.back().empty;
    levels_.pop_back();
    if (!empty) new_line();
    out_ += bracket;
    return pass_on();
}

JsonWriter& JsonWriter::pass_on() {
    constexpr std::size_t kPart = std::size_t{1} << 16;
    if (!sink_ || out_.size() < kPart) return *this;
    sink_(out_);
    out_.clear();
    return *this;
}

JsonWriter& JsonWriter::begin_object() { return open('{'); }
JsonWriter& JsonWriter::end_object() { return close('}'); }
JsonWriter& JsonWriter::begin_array() { return open('['); }
JsonWriter& JsonWriter::end_array() { return close(']'); }

JsonWriter& JsonWriter::key(std::string_view name) {
    before_value();
    out_ += '"';
    append_escaped(out_, name);
    out_ += indent_ == 0 ? "\":" : "\": ";
    after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::string(std::string_view value) {
    before_value();
    out_ += '"';
    append_escaped(out_, value);
    out_ += '"';
    return pass_on();
}

JsonWriter& JsonWriter::integer(std::int64_t value) { return raw(base::format("{}", value)); }
JsonWriter& JsonWriter::unsigned_integer(std::uint64_t value) { return raw(base::format("{}", value)); }

JsonWriter& JsonWriter::number(double value) {
    CHECK(std::isfinite(value));
    return raw(base::format("{}", value));
}

JsonWriter& JsonWriter::boolean(bool value) { return raw(value ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

namespace {

// 1.0 stays 1.0: readers with types of their own tell it from 1. What is not finite was read as kPythonJson.
std::string real_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    std::string text = base::format("{}", value);
    return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

}  // namespace

// Parsed documents are not deep: see JsonLimits.
JsonWriter& JsonWriter::value(const Json& value) {
    if (const auto* flag = value.boolean()) return boolean(*flag);
    if (const auto* number = value.integer()) return integer(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value.value())) return unsigned_integer(*number);
    if (const auto* real = value.real()) return raw(real_text(*real));
    if (const auto* text = value.string()) return string(*text);
    if (const auto* array = value.array()) {
        begin_array();
        for (const Json& item : *array) this->value(item);
        return end_array();
    }
    if (const auto* object = value.object()) {
        begin_object();
        for (const auto& [name, member] : *object) key(name).value(member);
        return end_object();
    }
    return null();
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    before_value();
    out_ += json;
    return pass_on();
}

std::string JsonWriter::take() && {
    CHECK(levels_.empty() && !after_key_);
    return std::move(out_);
}

void JsonWriter::finish() {
    CHECK(levels_.empty() && !after_key_);
    sink_(out_);
    out_.clear();
}

}  // namespace base
