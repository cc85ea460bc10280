#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "base/format.h"

namespace base {
namespace {

// An input iterator that counts what the lexer has consumed, since SAX events carry no position.
class CountingIterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, const char** last_read) : at_(at), last_read_(last_read) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        ++at_;
        *last_read_ = at_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

private:
    const char* at_;
    const char** last_read_;
};

std::vector<std::uint64_t> line_starts_of(std::string_view text) {
    std::vector<std::uint64_t> starts{0};
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') starts.push_back(i + 1);
    }
    return starts;
}

std::string place(const std::string& name, const std::vector<std::uint64_t>& line_starts, std::uint64_t offset) {
    auto next = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
    auto line = next - line_starts.begin();
    return base::format("{}:{}:{}", name, line, offset - *(next - 1) + 1);
}

// The text with numbers in the place of Infinity and NaN, each as long as the word.
std::string with_plain_numbers(std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"Infinity", "1.79e308"}, {"NaN", "0.0"}};
    std::string out(text);
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '"') {
            while (++at < text.size() && text[at] != '"') at += text[at] == '\\';
            continue;
        }
        for (const auto& [word, number] : kWords) {
            if (text.substr(at).starts_with(word)) out.replace(at, word.size(), number);
        }
    }
    return out;
}

// Turns SAX events into the strict ones and remembers the first error.
class StrictSax {
public:
    // `read` is the text, or as long as it.
    StrictSax(std::string_view text, const char* read, const char** last_read, const std::string& name,
              JsonHandler& handler, JsonLimits limits)
        : text_(text), read_(read), last_read_(last_read), name_(name), handler_(handler), limits_(limits) {}

    bool null() { return keep(handler_.null(offset())); }
    bool boolean(bool value) { return keep(handler_.boolean(value, offset())); }
    bool number_integer(std::int64_t value) { return keep(handler_.integer(value, number_offset())); }
    bool number_unsigned(std::uint64_t value) {
        if (value <= static_cast<std::uint64_t>(INT64_MAX)) {
            return number_integer(static_cast<std::int64_t>(value));
        }
        return keep(handler_.big_integer(value, number_offset()));
    }
    bool number_float(double value, const std::string& raw) {
        if (raw.find_first_of(".eE") == std::string::npos)
            return reject("the integer " + raw + " needs more than 64 bits");
        if (!std::isfinite(value)) return reject("the number " + raw + " is out of range");
        return keep(handler_.number(as_written(value), number_offset()));
    }
    bool string(std::string& value) { return keep(handler_.string(std::move(value), offset())); }
    bool binary(nlohmann::json::binary_t&) { return reject("binary values are not JSON"); }
    bool start_object(std::size_t) {
        open_.emplace_back();
        return nesting_allowed() && keep(handler_.begin_object(offset()));
    }
    bool key(std::string& value) {
        if (!open_.back().insert(value).second) return reject("the key \"" + value + "\" appears twice in one object");
        return keep(handler_.key(std::move(value), offset()));
    }
    bool end_object() {
        open_.pop_back();
        return keep(handler_.end_object());
    }
    bool start_array(std::size_t) {
        open_.emplace_back();
        return nesting_allowed() && keep(handler_.begin_array(offset()));
    }
    bool end_array() {
        open_.pop_back();
        return keep(handler_.end_array());
    }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& problem) {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...": keep the reason only.
        std::string reason = problem.what();
        if (auto bracket = reason.find("] "); bracket != std::string::npos) reason = reason.substr(bracket + 2);
        if (auto colon = reason.find(": "); colon != std::string::npos && reason.starts_with("parse error"))
            reason = reason.substr(colon + 2);
        return reject_at("not valid JSON: " + reason, position == 0 ? 0 : position - 1);
    }

    Status status() && { return std::move(status_); }

private:
    std::uint64_t offset() const { return static_cast<std::uint64_t>(*last_read_ - read_); }
    // The lexer looks one character ahead to see where a number ends.
    std::uint64_t number_offset() const {
        std::uint64_t at = offset();
        return at > 0 && (read_[at - 1] < '0' || read_[at - 1] > '9') ? at - 1 : at;
    }
    // See with_plain_numbers: the words stand where the text has them.
    double as_written(double value) const {
        switch (text_[number_offset() - 1]) {
            case 'y': return std::copysign(std::numeric_limits<double>::infinity(), value);
            case 'N': return std::numeric_limits<double>::quiet_NaN();
            default: return value;
        }
    }
    bool nesting_allowed() {
        if (open_.size() <= static_cast<std::size_t>(limits_.max_depth)) return true;
        return reject(base::format("values are nested deeper than {} levels", limits_.max_depth));
    }
    bool keep(Status status) {
        if (status) return true;
        status_ = std::move(status);
        return false;
    }
    bool reject(std::string message) { return reject_at(std::move(message), offset() == 0 ? 0 : offset() - 1); }
    bool reject_at(std::string message, std::uint64_t at) {
        at = std::min<std::uint64_t>(at, text_.size());
        status_ = fail(ErrorKind::bad_input, std::move(message), place(name_, line_starts_of(text_), at));
        return false;
    }

    std::string_view text_;
    const char* read_;
    const char** last_read_;
    const std::string& name_;
    JsonHandler& handler_;
    JsonLimits limits_;
    std::vector<std::unordered_set<std::string>> open_;
    Status status_;
};

class DomBuilder : public JsonHandler {
public:
    Status null(std::uint64_t o) override { return add(Json(nullptr, o)); }
    Status boolean(bool v, std::uint64_t o) override { return add(Json(v, o)); }
    Status integer(std::int64_t v, std::uint64_t o) override { return add(Json(v, o)); }
    Status big_integer(std::uint64_t v, std::uint64_t o) override { return add(Json(v, o)); }
    Status number(double v, std::uint64_t o) override { return add(Json(v, o)); }
    Status string(std::string&& v, std::uint64_t o) override { return add(Json(std::move(v), o)); }
    Status begin_object(std::uint64_t o) override { return open(Json(Json::Object{}, o)); }
    Status begin_array(std::uint64_t o) override { return open(Json(Json::Array{}, o)); }
    Status key(std::string&& v, std::uint64_t) override {
        keys_.back() = std::move(v);
        return {};
    }
    Status end_object() override { return close(); }
    Status end_array() override { return close(); }

    Json take() && { return std::move(root_); }

private:
    Status open(Json container) {
        stack_.push_back(std::move(container));
        keys_.emplace_back();
        return {};
    }
    Status close() {
        Json done = std::move(stack_.back());
        stack_.pop_back();
        keys_.pop_back();
        return add(std::move(done));
    }
    Status add(Json value) {
        if (stack_.empty()) {
            root_ = std::move(value);
        } else if (auto* array = stack_.back().array()) {
            array->push_back(std::move(value));
        } else {
            stack_.back().object()->emplace_back(std::move(keys_.back()), std::move(value));
        }
        return {};
    }

    Json root_;
    std::vector<Json> stack_;
    std::vector<std::string> keys_;
};

}  // namespace

Status parse_json_events(std::string_view text, const std::string& name, JsonHandler& handler, JsonLimits limits) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") {
        return fail(ErrorKind::bad_input, "JSON must not start with a byte order mark", name + ":1:1");
    }
    const std::string plain = limits.python_numbers ? with_plain_numbers(text) : std::string();
    const std::string_view read = limits.python_numbers ? plain : text;
    const char* last_read = read.data();
    StrictSax sax(text, read.data(), &last_read, name, handler, limits);
    CountingIterator begin(read.data(), &last_read);
    CountingIterator end(read.data() + read.size(), &last_read);
    nlohmann::json::sax_parse(begin, end, &sax);
    return std::move(sax).status();
}

Result<JsonDocument> parse_json(std::string_view text, std::string name, JsonLimits limits) {
    DomBuilder builder;
    TRY(parse_json_events(text, name, builder, limits));
    return JsonDocument{std::move(name), std::move(builder).take(), line_starts_of(text)};
}

const Json* Json::find(std::string_view key) const {
    const Object* members = object();
    if (members == nullptr) return nullptr;
    for (const auto& [name, value] : *members) {
        if (name == key) return &value;
    }
    return nullptr;
}

const Json* Json::find_path(std::string_view dotted) const {
    const Json* at = this;
    while (at != nullptr) {
        std::size_t dot = dotted.find('.');
        at = at->find(dotted.substr(0, dot));
        if (dot == std::string_view::npos) return at;
        dotted.remove_prefix(dot + 1);
    }
    return nullptr;
}

std::string Json::kind_name() const {
    static const char* const kNames[] = {"null",     "true or false", "an integer", "an integer",
                                         "a number", "a string",      "an array",   "an object"};
    return kNames[value_.index()];
}

std::string JsonDocument::where(const Json& value) const {
    return place(name, line_starts, value.offset() == 0 ? 0 : value.offset() - 1);
}

}  // namespace base
