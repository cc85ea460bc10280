// A rule and a table as a file has them, before the words that they use have read their parts.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

// What stands behind a key whose form depends on the word of the rule.
struct MatchPart {
    const base::Json* json = nullptr;
};
struct FixPart {
    const base::Json* json = nullptr;
};
struct RowsPart {
    const base::Json* json = nullptr;
};

struct RuleEntry : Rule {
    MatchPart match;
    FixPart fix, portable, automatic;
    std::vector<std::string> styles;
};
inline constexpr auto kStyleNames = std::to_array<std::string_view>({"npu", "portable", "auto"});

constexpr auto record_of(const RuleEntry*) {
    return base::extended(
        record_of(static_cast<const Rule*>(nullptr)), "rule", "what to look for, what to say, and what becomes of it",
        base::field("match", &RuleEntry::match, "exactly one word: what to look for").needed(),
        base::field("fix", &RuleEntry::fix, "what becomes of it; without one the rule only reports"),
        base::field("portable", &RuleEntry::portable,
                    "another fix for the style `portable`, whose result runs on CUDA and CPU as well; without it the "
                    "rule only reports in this style"),
        base::field("auto", &RuleEntry::automatic, "another fix for the style `auto`"),
        base::field("styles", &RuleEntry::styles, "the only styles that the rule is for").one_of(kStyleNames));
}

inline constexpr auto kPackageStatus =
    std::to_array<std::string_view>({"native", "ascend_fork", "replacement", "unsupported", "unknown"});

struct TableEntry : Rule {
    std::string match;
    std::string status;
    RowsPart rows;
};
constexpr auto record_of(const TableEntry*) {
    return base::extended(record_of(static_cast<const Rule*>(nullptr)), "table", "bulk facts, one row each",
                          base::field("match", &TableEntry::match, "what its rows are").needed(),
                          base::field("status", &TableEntry::status, "of a table of packages").one_of(kPackageStatus),
                          base::field("rows", &TableEntry::rows, "at least one").needed());
}

}  // namespace migrator

template <>
struct base::InJson<migrator::MatchPart> {
    static Result<migrator::MatchPart> read(const JsonPlace& at) { return migrator::MatchPart{&at.json}; }
    static void describe(SchemaWriter& out);
};
template <>
struct base::InJson<migrator::FixPart> {
    static Result<migrator::FixPart> read(const JsonPlace& at) { return migrator::FixPart{&at.json}; }
    static void describe(SchemaWriter& out);
};
template <>
struct base::InJson<migrator::RowsPart> {
    static Result<migrator::RowsPart> read(const JsonPlace& at) { return migrator::RowsPart{&at.json}; }
    static void describe(SchemaWriter& out);
};
