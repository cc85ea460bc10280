// How the words of rule files stand in JSON: expressions, dialects, names by dialect, patterns of names, whole files.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/record.h"
#include "base/rule_file.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/mapping/dialect.h"
#include "ckpt_convert/mapping/expression.h"
#include "ckpt_convert/mapping/stem_pattern.h"

namespace ckpt {

// A text that can stand between angle brackets.
template <std::size_t kSize>
struct Literal {
    char text[kSize] = {};
    consteval Literal(const char (&from)[kSize]) { std::copy_n(from, kSize, text); }
};

// The value of "schema": what a file is, in the one version that is read.
template <Literal kName>
struct SchemaName {};

// What every rule file may have, for people and their editors.
template <Literal kName>
struct RuleFile {
    SchemaName<kName> schema;
    std::string editor_schema, about;
    std::vector<std::string> source;
};
template <Literal kName>
constexpr auto record_of(const RuleFile<kName>*) {
    using File = RuleFile<kName>;
    return base::record(kName.text, "", base::field("schema", &File::schema, "what the file is").needed(),
                        base::field("$schema", &File::editor_schema, "the schema that an editor completes it by"),
                        base::field("about", &File::about, "what is in it, for people"),
                        base::field("source", &File::source, "where the facts come from: citations"));
}

// A record with the fields of two.
template <class... A, class... B>
constexpr auto joined(std::string_view name, std::string_view about, const base::RecordOf<A...>& a,
                      const base::RecordOf<B...>& b) {
    return base::RecordOf<A..., B...>{name, about, std::tuple_cat(a.fields, b.fields)};
}

// A list.
template <class Entry>
struct List : std::vector<Entry> {};

// A file of rules/ that is a list of entries.
template <Literal kName, Literal kKey, class Entry>
struct RuleList : RuleFile<kName> {
    List<Entry> entries;
};
template <Literal kName, Literal kKey, class Entry>
constexpr auto record_of(const RuleList<kName, kKey, Entry>* file) {
    return base::extended(record_of(static_cast<const RuleFile<kName>*>(file)), kName.text, "",
                          base::field(kKey.text, &RuleList<kName, kKey, Entry>::entries, "all of them").needed());
}

template <Literal kName, Literal kKey, class Entry>
Result<std::vector<Entry>> read_rule_list(const base::DataStore& store, const std::string& path) {
    using File = RuleList<kName, kKey, Entry>;
    TRY_ASSIGN(File file, base::read_rule_record<File>(store, path));
    return std::move(file.entries);
}

// An object whose keys are the names of its entries, in the order of the file.
template <class Entry>
struct Named : std::vector<Entry> {};

// A name, or one for each dialect: the first that fits counts.
using DialectNames = std::vector<std::pair<DialectSelector, std::string>>;

// The number of an axis of a tensor.
struct Axis {
    std::size_t number = 0;
    operator std::size_t() const { return number; }
};

}  // namespace ckpt

namespace base {

template <ckpt::Literal kName>
struct InJson<ckpt::SchemaName<kName>> {
    static Result<ckpt::SchemaName<kName>> read(const JsonPlace& at) {
        if (at.json.string() != nullptr && *at.json.string() == kName.text) return ckpt::SchemaName<kName>();
        return at.error("\"schema\" must be \"" + std::string(kName.text) + "\"");
    }
    static void write(JsonWriter& out, ckpt::SchemaName<kName>) { out.string(kName.text); }
    static void describe(SchemaWriter& out) { out.key("const").string(kName.text); }
};

template <class Entry>
struct InJson<ckpt::Named<Entry>> {
    static Result<ckpt::Named<Entry>> read(const JsonPlace& at) {
        if (at.json.object() == nullptr) return at.wrong_kind("an object");
        ckpt::Named<Entry> out;
        for (const auto& [name, value] : *at.json.object()) {
            TRY_ASSIGN(Entry entry, read_json<Entry>(at.at(name, value)));
            entry.name = name;
            out.push_back(std::move(entry));
        }
        return out;
    }
    static void describe(SchemaWriter& out) {
        out.type("object").open("additionalProperties");
        InJson<Entry>::describe(out);
        out.close();
    }
};

template <class Entry>
struct InJson<ckpt::List<Entry>> {
    static Result<ckpt::List<Entry>> read(const JsonPlace& at) {
        if (at.json.array() == nullptr) return at.error("\"" + std::string(at.key) + "\" must be a list");
        TRY_ASSIGN(std::vector<Entry> entries, read_json<std::vector<Entry>>(at));
        return ckpt::List<Entry>{std::move(entries)};
    }
    static void describe(SchemaWriter& out) { InJson<std::vector<Entry>>::describe(out); }
};

// Anything.
template <>
struct InJson<Json> {
    static Result<Json> read(const JsonPlace& at) { return at.json; }
    static void describe(SchemaWriter&) {}
};
// A text, or a plain number or truth value.
template <>
struct InJson<ckpt::Expression> {
    static Result<ckpt::Expression> read(const JsonPlace& at);
    static void describe(SchemaWriter& out);
};
// The extents of a shape.
template <>
struct InJson<std::vector<ckpt::Expression>> {
    static Result<std::vector<ckpt::Expression>> read(const JsonPlace& at);
    static void describe(SchemaWriter& out);
};
template <>
struct InJson<ckpt::DialectSelector> {
    static Result<ckpt::DialectSelector> read(const JsonPlace& at);
    static void describe(SchemaWriter& out) { out.type("string"); }
};
template <>
struct InJson<ckpt::DialectNames> {
    static Result<ckpt::DialectNames> read(const JsonPlace& at);
    static void describe(SchemaWriter& out);
};
template <>
struct InJson<ckpt::StemPattern> {
    static Result<ckpt::StemPattern> read(const JsonPlace& at);
    static void describe(SchemaWriter& out) { out.type("string"); }
};
template <>
struct InJson<ckpt::Axis> {
    static Result<ckpt::Axis> read(const JsonPlace& at);
    static void describe(SchemaWriter& out) { out.type("integer").minimum(0); }
};

}  // namespace base
