// RuleWord: one word of the vocabulary. Each stands in a file of migrator/ruleset: what it looks for, as a record; what its fix
// may say; and where its rows are kept in the RuleSet. vocabulary.cpp lists them.
#pragma once

#include <concepts>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/record.h"
#include "migrator/rule/rule.h"
#include "migrator/rule/style.h"

namespace migrator {

class RuleSet;

template <class T>
using ByName = std::map<std::string, T, std::less<>>;

// Rows by a name that several may have.
template <class Row>
struct RowsByName {
    ByName<std::vector<Row>> all;

    void add(const std::string& name, Row row) { all[name].push_back(std::move(row)); }
    std::span<const Row> of(std::string_view name) const {
        const auto found = all.find(name);
        if (found == all.end()) return {};
        return found->second;
    }
};

// Who speaks of what, so that two rules that would say something of the same thing are an error at the second one.
using Claims = std::map<std::string, const Rule*>;

// A rule, or a row of a table, that is added to the rules.
struct Adding {
    const Rule* rule = nullptr;
    base::JsonPlace place;  // of what stands behind the word, or of the row
    Claims& claims;
    const Style& style;
    std::string status{};  // of a table

    // `what`: the thing that the rule speaks of, in words.
    base::Status claim(const std::string& what) const;
    base::Status claim_all(std::string_view pattern, const std::vector<std::string>& names) const;
};

base::Result<std::vector<std::string>> read_names(const base::JsonPlace& place);

// "a.b.c" -> "c"
std::string last_part(std::string_view qualified);

// At least one name, and none that is empty: what a word looks for when it needs nothing else.
struct NameList {
    std::vector<std::string> all;

    const std::vector<std::string>& claimed() const { return all; }
};

struct NoFix {};
constexpr auto record_of(const NoFix*) { return base::record("no_fix", "nothing: the word only reports"); }

struct RuleWord {
    std::string_view name;
    std::string_view about;
    base::Status (*load)(RuleSet& set, const Adding& adding, const base::JsonPlace& fix, const base::JsonPlace& on_npu);
    base::SchemaWriter::Describe match;
    base::SchemaWriter::Describe fix;  // nullptr: there is none
};

template <class T>
constexpr std::string_view record_about() {
    return base::record_for<T>().about;
}

// What a row takes over from the rule that it belongs to.
template <class Row>
Row row_of(const Rule* rule) {
    Row row{};
    if constexpr (requires { row.rule; }) row.rule = rule;
    if constexpr (requires { row.effort; }) row.effort = rule->effort;
    if constexpr (requires { row.at_run_time; }) row.at_run_time = rule->at_run_time;
    return row;
}

// A word whose rows are of the type Match. Its header declares add(set, match, adding), with the fix behind the match where
// rules have one, and the fix of the style npu behind that where it counts in all styles.
template <class Match, class Fix = NoFix>
constexpr RuleWord word(std::string_view name, std::string_view about = record_about<Match>()) {
    const auto load = [](RuleSet& set, const Adding& adding, const base::JsonPlace& fix_place,
                         const base::JsonPlace& on_npu_place) -> base::Status {
        TRY_ASSIGN(auto match, base::read_json_into(adding.place, row_of<Match>(adding.rule)));
        TRY_ASSIGN(auto fix, base::read_json<Fix>(fix_place));
        if constexpr (requires { add(set, std::move(match), std::move(fix), fix, adding); }) {
            TRY_ASSIGN(auto on_npu, base::read_json<Fix>(on_npu_place));
            return add(set, std::move(match), std::move(fix), std::move(on_npu), adding);
        } else if constexpr (std::is_same_v<Fix, NoFix>) {
            return add(set, std::move(match), adding);
        } else {
            return add(set, std::move(match), std::move(fix), adding);
        }
    };
    return {name, about, load, &base::InJson<Match>::describe,
            std::is_same_v<Fix, NoFix> ? nullptr : &base::InJson<Fix>::describe};
}

// A word whose rows are all looked at, one after the other: they are kept in a list of the RuleSet.
template <auto List>
struct RowOf;
template <class Row, std::vector<Row> RuleSet::*List>
struct RowOf<List> {
    using type = Row;
};
template <auto List>
constexpr RuleWord listed(std::string_view name, std::string_view about = record_about<typename RowOf<List>::type>()) {
    using Row = typename RowOf<List>::type;
    const auto load = [](RuleSet& set, const Adding& adding, const base::JsonPlace& fix,
                         const base::JsonPlace&) -> base::Status {
        TRY_ASSIGN(auto row, base::read_json_into(adding.place, row_of<Row>(adding.rule)));
        TRY(base::read_json<NoFix>(fix));
        if constexpr (requires { Row::kClaim; }) TRY(adding.claim_all(Row::kClaim, row.claimed()));
        (set.*List).push_back(std::move(row));
        return {};
    };
    return {name, about, load, &base::InJson<Row>::describe, nullptr};
}

// A word of tables, whose rows are records.
struct RowWord {
    std::string_view name;
    base::Status (*load)(RuleSet& set, const Adding& adding);
    base::SchemaWriter::Describe row;
};

template <class Row>
constexpr RowWord row_word(std::string_view name) {
    const auto load = [](RuleSet& set, const Adding& adding) -> base::Status {
        TRY_ASSIGN(auto row, base::read_json_into(adding.place, row_of<Row>(adding.rule)));
        return add(set, std::move(row), adding);
    };
    return {name, load, &base::InJson<Row>::describe};
}

// What a rule file may have besides rules and tables; of several files all count.
struct RuleSection {
    std::string_view key;
    base::Status (*load)(RuleSet& set, const base::JsonPlace& place);
    base::SchemaWriter::Describe describe;
};

template <class Value>
constexpr RuleSection section(std::string_view key) {
    const auto load = [](RuleSet& set, const base::JsonPlace& place) -> base::Status {
        TRY_ASSIGN(auto value, base::read_json<Value>(place));
        return add(set, std::move(value), place);
    };
    return {key, load, &base::InJson<Value>::describe};
}

}  // namespace migrator

namespace base {

template <std::derived_from<migrator::NameList> T>
struct InJson<T> {
    static Status read_into(const JsonPlace& at, T& out) {
        TRY_ASSIGN(out.all, migrator::read_names(at));
        return {};
    }
    static void describe(SchemaWriter& out) { out.strings(); }
};

}  // namespace base
