// Record: what a JSON object holds, said once: the name of each value, the member that stores it, and a sentence for people.
// From it come strict reading with the place of each error, writing, and the JSON Schema of editors and documents.
//
//     struct Limit {
//         std::string text;
//         std::vector<std::string> allowed;
//     };
//     constexpr auto record_of(const Limit*) {
//         return base::record("limit", "what an interface cannot do",
//                             base::field("text", &Limit::text, "in words").needed(),
//                             base::field("allowed", &Limit::allowed, "values that it takes all the same"));
//     }
//     TRY_ASSIGN(Limit limit, base::read_json<Limit>({document, json}));
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/in_json.h"

namespace base {

inline constexpr std::int64_t kNoMost = std::numeric_limits<std::int64_t>::max();

template <class Access>
struct Field {
    std::string_view key;
    Access access;           // a pointer to the member, or a function to it
    std::string_view about;  // the sentence for people
    bool is_needed = false;
    bool is_always_there = false;
    bool is_blank_allowed = true;
    std::int64_t most = kNoMost;                // of a number
    std::span<const std::string_view> words{};  // of a text or of each text of a list; empty: any

    // It must be there; of a list and a mapping, with something in it.
    constexpr Field needed() const {
        return with([](Field& f) { f.is_needed = true; });
    }
    // It must be there, whatever is in it; what has no value is null.
    constexpr Field always() const {
        return with([](Field& f) { f.is_always_there = true; });
    }
    constexpr Field up_to(std::int64_t number) const {
        return with([&](Field& f) { f.most = number; });
    }
    constexpr Field not_blank() const {
        return with([](Field& f) { f.is_blank_allowed = false; });
    }
    constexpr Field one_of(std::span<const std::string_view> known) const {
        return with([&](Field& f) { f.words = known; });
    }

private:
    template <class Change>
    constexpr Field with(Change change) const {
        Field out = *this;
        change(out);
        return out;
    }
};

template <class Access>
constexpr Field<Access> field(std::string_view key, Access access, std::string_view about) {
    return {key, access, about};
}

template <class... Fields>
struct RecordOf {
    std::string_view name;  // of its definition in a schema
    std::string_view about;
    std::tuple<Fields...> fields;
};

template <class... Fields>
constexpr RecordOf<Fields...> record(std::string_view name, std::string_view about, Fields... fields) {
    return {name, about, {fields...}};
}

// A record with the fields of the one of its base class, and more.
template <class... Inherited, class... Fields>
constexpr auto extended(const RecordOf<Inherited...>& base, std::string_view name, std::string_view about,
                        Fields... fields) {
    return RecordOf<Inherited..., Fields...>{name, about, std::tuple_cat(base.fields, std::tuple(fields...))};
}

template <class T>
concept IsRecord = requires {
    record_of(static_cast<const T*>(nullptr));
};

template <class T>
constexpr auto record_for() {
    return record_of(static_cast<const T*>(nullptr));
}

// What the sentence of a field promises beyond the type of its value.
Status check_number(const JsonPlace& at, std::int64_t value, std::int64_t most);
Status check_texts(const JsonPlace& at, std::span<const std::string> texts, std::span<const std::string_view> words,
                   bool is_blank_allowed);
Status check_not_empty(const JsonPlace& at, bool is_empty);
Status check_keys(const JsonPlace& at, std::span<const std::string_view> known);

namespace detail {

template <class T, class Access>
using Stored = std::remove_cvref_t<std::invoke_result_t<Access, T&>>;  // a function may give it by value

template <class T>
concept HasSize = requires(const T& value) {
    value.size();
}
&&!std::is_same_v<T, std::string>;

template <class Access, class Value>
Status check_field(const Field<Access>& field, const JsonPlace& at, const Value& value) {
    if constexpr (HasSize<Value>) {
        if (field.is_needed) TRY(check_not_empty(at, value.size() == 0));
    }
    if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        return check_texts(at, value, field.words, field.is_blank_allowed && !field.is_needed);
    } else if constexpr (std::is_same_v<Value, std::string>) {
        return check_texts(at, {&value, 1}, field.words, field.is_blank_allowed);
    } else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
        return check_number(at, static_cast<std::int64_t>(value), field.most);
    } else if constexpr (std::is_same_v<Value, std::optional<std::size_t>>) {
        return value ? check_number(at, static_cast<std::int64_t>(*value), field.most) : Status();
    }
    return {};
}

template <class T, class Access>
Status read_field(const Field<Access>& field, const JsonPlace& at, T& out) {
    const Json* json = at.json.find(field.key);
    if (json == nullptr)
        return field.is_needed || field.is_always_there
                   ? at.error("the key \"" + std::string(field.key) + "\" is missing")
                   : Status();
    using Value = Stored<T, Access>;
    if constexpr (requires(Value value) { value.has_value(); }) {
        if ((field.is_always_there || at.open) && json->is_null()) return {};
    }
    TRY_ASSIGN(Value value, read_json<Value>(at.at(field.key, *json)));
    TRY(check_field(field, at.at(field.key, *json), value));
    std::invoke(field.access, out) = std::move(value);
    return {};
}

template <class T>
void write_default(SchemaWriter& out, const T& value) {
    if constexpr (std::is_same_v<T, bool> || std::is_integral_v<T> || std::is_enum_v<T>) {
        InJson<T>::write(out.key("default"), value);
    }
}

template <class T, class Access>
void describe_field(const Field<Access>& field, SchemaWriter& out) {
    using Value = Stored<T, Access>;
    out.open(field.key);
    if (!field.about.empty()) out.description(field.about);
    if constexpr (requires(Value value) { value.has_value(); }) {
        if (field.is_always_there) out.or_null([](SchemaWriter& schema) { InJson<Value>::describe(schema); });
        else InJson<Value>::describe(out);
    } else {
        InJson<Value>::describe(out);
    }
    if (!field.words.empty()) out.words_of_texts(field.words, std::is_same_v<Value, std::string>);
    if (field.most != kNoMost) out.maximum(field.most);
    T without{};
    if (!field.is_needed && !field.is_always_there)
        write_default(out, static_cast<const Value&>(std::invoke(field.access, without)));
    out.close();
}

// Absent is what an optional value without a value, and an empty list that need not be there, are.
template <class T, class Access>
void write_field(const Field<Access>& field, JsonWriter& out, const T& record) {
    const auto& value = std::invoke(field.access, record);
    const bool is_there = field.is_needed || field.is_always_there;
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (HasSize<Value>) {
        if (!is_there && value.size() == 0) return;
    } else if constexpr (requires { value.has_value(); }) {
        if (!is_there && !value.has_value()) return;
    }
    InJson<Value>::write(out.key(field.key), value);
}

}  // namespace detail

template <IsRecord T>
struct InJson<T> {
    static Result<T> read(const JsonPlace& at) { return read_json_into(at, T{}); }
    static Status read_into(const JsonPlace& at, T& out) {
        if (at.json.object() == nullptr) return at.error("an object is expected here, not " + at.json.kind_name());
        Status status;
        constexpr auto record = record_for<T>();
        std::apply(
            [&](const auto&... field) {
                static_cast<void>((... && (status = detail::read_field(field, at, out)).has_value()));
                if (!status || at.open) return;
                const std::array<std::string_view, sizeof...(field)> keys{field.key...};
                status = check_keys(at, keys);
            },
            record.fields);
        TRY(std::move(status));
        if constexpr (requires { out.check(at); }) return out.check(at);
        else return {};
    }
    static void write(JsonWriter& out, const T& value) {
        out.begin_object();
        std::apply([&](const auto&... field) { (detail::write_field(field, out, value), ...); },
                   record_for<T>().fields);
        out.end_object();
    }
    static void describe(SchemaWriter& out) { out.reference(record_for<T>().name, &InJson::define); }
    // The schema itself, not a reference to it.
    static void define(SchemaWriter& out) {
        constexpr auto record = record_for<T>();
        out.description(record.about).type("object");
        out.closed();
        out.open("properties");
        std::apply([&](const auto&... field) { (detail::describe_field<T>(field, out), ...); }, record.fields);
        out.close();
        std::vector<std::string_view> needed;
        std::apply(
            [&](const auto&... field) {
                (void((field.is_needed || field.is_always_there) && (needed.push_back(field.key), true)), ...);
            },
            record.fields);
        out.required(needed);
    }
};

}  // namespace base
