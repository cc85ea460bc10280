// InJson: how a type stands in JSON: read with the place of each error, written, and described in a schema.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/message.h"
#include "base/schema_writer.h"

namespace base {

// A value of a document, for what reads it.
struct JsonPlace {
    const JsonDocument& document;
    const Json& json;
    std::string_view key{};  // of the value in its object, for messages
    ErrorKind kind = ErrorKind::rule_data;
    bool open = false;  // objects may have keys that are not known: a later version may have written them

    JsonPlace at(std::string_view name, const Json& value) const { return {document, value, name, kind, open}; }
    tl::unexpected<Error> error(std::string message) const {
        return fail(kind, std::move(message), document.where(json));
    }
    // `"key" must be a string, not a number`
    tl::unexpected<Error> wrong_kind(std::string_view wanted) const;
    tl::unexpected<Error> not_one_of(std::string_view found, std::span<const std::string_view> known) const;
};

// How a type stands in JSON: read(place), write(json, value) and describe(schema), which writes the keys of its schema.
// Below for texts, numbers, lists, mappings, enumerations and records; a type that stands otherwise specialises it.
template <class T>
struct InJson;

template <class T>
Result<T> read_json(const JsonPlace& place) {
    return InJson<T>::read(place);
}

// The same where the members of a record have values already, which stay where the object says nothing.
template <class T>
Result<T> read_json_into(const JsonPlace& place, T out) {
    if constexpr (requires { InJson<T>::read_into(place, out); }) {
        TRY(InJson<T>::read_into(place, out));
        return out;
    } else {
        return InJson<T>::read(place);
    }
}

template <>
struct InJson<std::string> {
    static Result<std::string> read(const JsonPlace& at);
    static void write(JsonWriter& out, const std::string& value) { out.string(value); }
    static void describe(SchemaWriter& out) { out.type("string"); }
};
template <>
struct InJson<bool> {
    static Result<bool> read(const JsonPlace& at);
    static void write(JsonWriter& out, bool value) { out.boolean(value); }
    static void describe(SchemaWriter& out) { out.type("boolean"); }
};
template <>
struct InJson<std::int64_t> {
    static Result<std::int64_t> read(const JsonPlace& at);
    static void write(JsonWriter& out, std::int64_t value) { out.integer(value); }
    static void describe(SchemaWriter& out) { out.type("integer"); }
};
// A number from 0.
Result<std::uint64_t> read_unsigned(const JsonPlace& at, std::uint64_t most);
template <std::unsigned_integral T>
requires(!std::is_same_v<T, bool>) struct InJson<T> {
    static Result<T> read(const JsonPlace& at) {
        TRY_ASSIGN(const std::uint64_t value, read_unsigned(at, std::numeric_limits<T>::max()));
        return static_cast<T>(value);
    }
    static void write(JsonWriter& out, T value) { out.unsigned_integer(value); }
    static void describe(SchemaWriter& out) { out.type("integer").minimum(0); }
};
template <>
struct InJson<double> {
    static Result<double> read(const JsonPlace& at);
    static void write(JsonWriter& out, double value) { out.number(value); }
    static void describe(SchemaWriter& out) { out.type("number"); }
};
// One text counts as a list of one.
template <>
struct InJson<std::vector<std::string>> {
    static Result<std::vector<std::string>> read(const JsonPlace& at);
    static void write(JsonWriter& out, const std::vector<std::string>& values);
    static void describe(SchemaWriter& out) { out.strings(); }
};

template <class T>
struct InJson<std::optional<T>> {
    static Result<std::optional<T>> read(const JsonPlace& at) {
        TRY_ASSIGN(T value, read_json<T>(at));
        return std::optional<T>(std::move(value));
    }
    static void write(JsonWriter& out, const std::optional<T>& value) {
        if (value) InJson<T>::write(out, *value);
        else out.null();
    }
    static void describe(SchemaWriter& out) { InJson<T>::describe(out); }
};

template <class T>
struct InJson<std::vector<T>> {
    static Result<std::vector<T>> read(const JsonPlace& at) {
        if (at.json.array() == nullptr) return at.wrong_kind("a list");
        std::vector<T> out;
        for (const Json& item : *at.json.array()) {
            TRY_ASSIGN(T value, read_json<T>(at.at(at.key, item)));
            out.push_back(std::move(value));
        }
        return out;
    }
    static void write(JsonWriter& out, const std::vector<T>& values) {
        out.begin_array();
        for (const T& value : values) InJson<T>::write(out, value);
        out.end_array();
    }
    static void describe(SchemaWriter& out) {
        out.type("array").open("items");
        InJson<T>::describe(out);
        out.close();
    }
};

template <class T, class Order>
struct InJson<std::map<std::string, T, Order>> {
    using Map = std::map<std::string, T, Order>;
    static Result<Map> read(const JsonPlace& at) {
        if (at.json.object() == nullptr) return at.wrong_kind("an object");
        Map out;
        for (const auto& [name, value] : *at.json.object()) {
            TRY_ASSIGN(out[name], read_json<T>(at.at(name, value)));
        }
        return out;
    }
    static void write(JsonWriter& out, const Map& values) {
        out.begin_object();
        for (const auto& [name, value] : values) InJson<T>::write(out.key(name), value);
        out.end_object();
    }
    static void describe(SchemaWriter& out) {
        out.type("object").open("additionalProperties");
        InJson<T>::describe(out);
        out.close();
    }
};

// By the names of an enumeration, all of them.
template <class E, class T>
requires std::is_enum_v<E>
struct InJson<std::map<E, T>> {
    static void write(JsonWriter& out, const std::map<E, T>& values) {
        out.begin_object();
        for (const auto& [word, value] : values) InJson<T>::write(out.key(name(word)), value);
        out.end_object();
    }
    static void describe(SchemaWriter& out) {
        out.type("object").open("additionalProperties");
        InJson<T>::describe(out);
        out.close();
    }
};

template <>
struct InJson<Message> {
    static void write(JsonWriter& out, const Message& value) { out.string(value.text()); }
    static void describe(SchemaWriter& out) { out.type("string"); }
};

// An enumeration stands as the name of its value: `name(value)` gives it, and kAll<T> lists the values.
template <class T>
inline constexpr std::array<T, 0> kAll{};

template <class T>
requires std::is_enum_v<T>
struct InJson<T> {
    static auto names() {
        static_assert(!kAll<T>.empty(), "base::kAll lists the values, where the enumeration is declared");
        std::array<std::string_view, kAll<T>.size()> out;
        std::transform(kAll<T>.begin(), kAll<T>.end(), out.begin(), [](T value) { return name(value); });
        return out;
    }
    static Result<T> read(const JsonPlace& at) {
        TRY_ASSIGN(const std::string text, read_json<std::string>(at));
        for (const T value : kAll<T>) {
            if (name(value) == text) return value;
        }
        return at.not_one_of(text, names());
    }
    static void write(JsonWriter& out, T value) { out.string(name(value)); }
    static void describe(SchemaWriter& out) { out.words(names()); }
};

}  // namespace base
