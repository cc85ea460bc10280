#include "base/in_json.h"

#include "base/format.h"

namespace base {

tl::unexpected<Error> JsonPlace::wrong_kind(std::string_view wanted) const {
    return error(format("\"{}\" must be {}, not {}", key, wanted, json.kind_name()));
}

tl::unexpected<Error> JsonPlace::not_one_of(std::string_view found, std::span<const std::string_view> known) const {
    std::string list;
    for (const std::string_view word : known) list += format("{}\"{}\"", list.empty() ? "" : ", ", word);
    return error(format("\"{}\" is \"{}\", which is not one of {}", key, found, list));
}

Result<std::string> InJson<std::string>::read(const JsonPlace& at) {
    if (at.json.string() == nullptr) return at.wrong_kind("a string");
    return *at.json.string();
}

Result<bool> InJson<bool>::read(const JsonPlace& at) {
    if (at.json.boolean() == nullptr) return at.wrong_kind("true or false");
    return *at.json.boolean();
}

Result<std::int64_t> InJson<std::int64_t>::read(const JsonPlace& at) {
    if (at.json.integer() == nullptr) return at.wrong_kind("an integer");
    return *at.json.integer();
}

Result<std::uint64_t> read_unsigned(const JsonPlace& at, std::uint64_t most) {
    TRY_ASSIGN(const std::int64_t value, read_json<std::int64_t>(at));
    if (value < 0) return at.error(format("\"{}\" counts from 0 and is {}", at.key, value));
    if (static_cast<std::uint64_t>(value) > most)
        return at.error(format("\"{}\" is {}, and may be {} at most", at.key, value, most));
    return static_cast<std::uint64_t>(value);
}

Result<double> InJson<double>::read(const JsonPlace& at) {
    if (at.json.integer() != nullptr) return static_cast<double>(*at.json.integer());
    if (at.json.real() != nullptr) return *at.json.real();
    return at.wrong_kind("a number");
}

Result<std::vector<std::string>> InJson<std::vector<std::string>>::read(const JsonPlace& at) {
    if (at.json.string() != nullptr) return std::vector<std::string>{*at.json.string()};
    if (at.json.array() == nullptr) return at.wrong_kind("a list of strings");
    std::vector<std::string> out;
    for (const Json& item : *at.json.array()) {
        if (item.string() == nullptr)
            return fail(at.kind, format("\"{}\" must hold strings only, not {}", at.key, item.kind_name()),
                        at.document.where(item));
        out.push_back(*item.string());
    }
    return out;
}

void InJson<std::vector<std::string>>::write(JsonWriter& out, const std::vector<std::string>& values) {
    out.begin_array();
    for (const std::string& value : values) out.string(value);
    out.end_array();
}

}  // namespace base
