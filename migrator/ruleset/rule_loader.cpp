#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "migrator/ruleset/rule_entry.h"
#include "migrator/ruleset/rule_set.h"
#include "migrator/ruleset/vocabulary.h"

namespace migrator {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::string_view kRules = "rules/";
constexpr auto kRuleFolders =
    std::to_array<std::string_view>({"rewrite", "third_party", "env", "custom_ops", "advice", "api", "affinity"});

// Adds the rules of one file after the other to a set.
class RuleLoader {
public:
    explicit RuleLoader(RuleSet& set) : set_(set) {}

    base::Status load_file(const base::JsonDocument& document);

private:
    base::Status load_rule(const base::JsonPlace& place);
    base::Status load_table(const base::JsonPlace& place);
    base::Result<const Rule*> add_rule(Rule rule, const base::JsonPlace& place);
    const base::Json* fix_of_style(const RuleEntry& entry, bool at_run_time) const;
    base::Status leave_out(const Rule& rule) {
        set_.left_out.insert(rule.id);
        return {};
    }
    bool is_of_road(const Rule& rule) const {
        return rule.megatron.empty() || base::contains(rule.megatron, set_.megatron);
    }

    RuleSet& set_;
    Claims claims_;
};

template <class Entry>
base::Result<const Entry*> find_named(std::span<const Entry> entries, std::string_view name,
                                      const base::JsonPlace& place, std::string_view what) {
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
    if (found == entries.end()) return place.error(base::format("\"{}\" is not a word {}", name, what));
    return &*found;
}

// The fix to use; nullptr when there is none in this style.
const base::Json* RuleLoader::fix_of_style(const RuleEntry& entry, bool at_run_time) const {
    switch (set_.style.kind) {
        case StyleKind::npu: return entry.fix.json;
        case StyleKind::portable: return entry.portable.json;
        case StyleKind::automatic:
            return entry.automatic.json != nullptr ? entry.automatic.json : at_run_time ? nullptr : entry.fix.json;
    }
    CHECK(false);
    return nullptr;
}

base::Result<const Rule*> RuleLoader::add_rule(Rule rule, const base::JsonPlace& place) {
    const Style& style = set_.style;
    rule.effort = rule.own_effort.value_or(usual_effort(rule.severity));
    rule.at_run_time &= style.kind == StyleKind::automatic;
    // In the style portable the helper module is all that a fix needs, and only where the fix names it.
    if (style.kind == StyleKind::portable && place.json.find("imports") != nullptr)
        rule.imports = {{style.helper, style.after, true}};
    const Rule* out = set_.rules.emplace_back(std::make_unique<Rule>(std::move(rule))).get();
    if (!set_.by_id.emplace(out->id, out).second)
        return place.error(base::format("there already is a rule \"{}\"", out->id));
    return out;
}

base::Status RuleLoader::load_rule(const base::JsonPlace& place) {
    static const base::Json kNoFix{base::Json::Object{}, 0};
    TRY_ASSIGN(const auto entry, base::read_json<RuleEntry>(place));
    const std::string_view style = name(set_.style.kind);
    if ((!entry.styles.empty() && !base::contains(entry.styles, style)) || !is_of_road(entry)) return leave_out(entry);
    const auto* match = entry.match.json->object();
    if (match == nullptr || match->size() != 1)
        return place.at("match", *entry.match.json).error("\"match\" must hold exactly one word");
    const auto& [word_name, looked_for] = match->front();
    const base::JsonPlace match_place = place.at(word_name, looked_for);
    TRY_ASSIGN(const RuleWord* word, find_named(rule_words(), word_name, match_place, "of \"match\""));
    TRY_ASSIGN(const Rule* rule, add_rule(entry, place));
    const base::Json* fix = fix_of_style(entry, rule->at_run_time);
    const bool has_fix = entry.fix.json != nullptr || entry.portable.json != nullptr || entry.automatic.json != nullptr;
    if (has_fix && rule->in != RulePlace::anywhere)
        return place.error("whether it holds \"in\" a place shows when all files are read, too late for a \"fix\"");
    const Adding adding{rule, match_place, claims_, set_.style};
    return word->load(set_, adding, place.at("fix", fix == nullptr ? kNoFix : *fix),
                      place.at("fix", entry.fix.json == nullptr ? kNoFix : *entry.fix.json));
}

base::Status RuleLoader::load_table(const base::JsonPlace& place) {
    TRY_ASSIGN(const auto entry, base::read_json<TableEntry>(place));
    if (!is_of_road(entry)) return leave_out(entry);
    TRY_ASSIGN(const RowWord* word, find_named(row_words(), entry.match, place, "that a table can match"));
    const base::JsonPlace rows = place.at("rows", *entry.rows.json);
    if (rows.json.array() == nullptr || rows.json.array()->empty())
        return rows.error("\"rows\" must be a list with at least one row");
    TRY_ASSIGN(const Rule* rule, add_rule(entry, place));
    for (const base::Json& row : *rows.json.array())
        TRY(word->load(set_, Adding{rule, place.at("rows", row), claims_, set_.style, entry.status}));
    return {};
}

base::Status RuleLoader::load_file(const base::JsonDocument& document) {
    const base::JsonPlace file{document, document.root};
    if (document.root.object() == nullptr)
        return file.error("an object is expected here, not " + document.root.kind_name());
    std::vector<std::string_view> keys{"$schema", "schema", "about", "rules", "tables"};
    for (const RuleSection& section : rule_sections()) keys.push_back(section.key);
    TRY(base::check_keys(file, keys));
    const base::Json* schema = document.root.find("schema");
    if (schema == nullptr) return file.error("the key \"schema\" is missing");
    TRY_ASSIGN(const auto number, base::read_json<std::int64_t>(file.at("schema", *schema)));
    if (number != kSchema)
        return file.error(base::format("schema {} is not known; this program reads schema {}", number, kSchema));
    const auto each = [&](std::string_view key, auto load) -> base::Status {
        const base::Json* list = document.root.find(key);
        if (list == nullptr) return {};
        if (list->array() == nullptr) return file.at(key, *list).wrong_kind("a list of objects");
        for (const base::Json& item : *list->array()) TRY((this->*load)(file.at(key, item)));
        return {};
    };
    TRY(each("rules", &RuleLoader::load_rule));
    TRY(each("tables", &RuleLoader::load_table));
    for (const RuleSection& section : rule_sections()) {
        if (const base::Json* json = document.root.find(section.key))
            TRY(section.load(set_, file.at(section.key, *json)));
    }
    return {};
}

// What no file alone shows: rules that can never find anything.
base::Status check_reachable(const RuleSet& set) {
    const std::vector<Version>& known = set.framework.versions;
    const auto has_known = [&](const VersionRange& range) {
        return known.empty() || std::any_of(known.begin(), known.end(), [&](Version v) { return range.contains(v); });
    };
    const auto unreachable = [](const Rule& rule, std::string_view what, const VersionRange& range) {
        return base::fail(base::ErrorKind::rule_data,
                          base::format("{} \"{}\" is for versions \"{}\", and none of the known versions is among them",
                                       what, rule.id, range.text()));
    };
    for (const auto& rule : set.rules) {
        if (!has_known(rule->versions)) return unreachable(*rule, "the fix of the rule", rule->versions);
        if (!has_known(rule->holds_in)) return unreachable(*rule, "the rule", rule->holds_in);
    }
    return {};
}

}  // namespace

base::Result<std::vector<RuleSet>> RuleSet::load_styles(const base::DataStore& store, std::span<const StyleKind> styles,
                                                        std::string_view megatron) {
    std::vector<RuleSet> sets(styles.size());
    std::vector<RuleLoader> loaders;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        sets[i].megatron = megatron;
        TRY_ASSIGN(sets[i].style, load_style(store, styles[i]));
        loaders.emplace_back(sets[i]);
    }
    for (const std::string& path : store.list(kRules, ".json")) {
        if (!is_read(path)) continue;
        TRY_ASSIGN(const auto document, base::parse_json(*store.find(path), store.origin(path)));
        for (RuleLoader& loader : loaders) TRY(loader.load_file(document));
    }
    for (RuleSet& set : sets) {
        TRY(check_reachable(set));
        for (const auto& rule : set.rules) rule->holds = rule->holds_in.contains(set.version);
    }
    return sets;
}

base::Result<RuleSet> RuleSet::load(const base::DataStore& store, StyleKind style, std::string_view megatron) {
    TRY_ASSIGN(auto sets, load_styles(store, std::span(&style, 1), megatron));
    return std::move(sets.front());
}

std::span<const std::string_view> RuleSet::folders() { return kRuleFolders; }

bool RuleSet::is_read(std::string_view path) {
    // Cases beside the rules may hold JSON of the projects they show.
    if (!path.starts_with(kRules) || !path.ends_with(".json") || path.find("/cases/") != path.npos) return false;
    path.remove_prefix(kRules.size());
    const std::size_t slash = path.find('/');
    return slash == path.npos || base::contains(kRuleFolders, path.substr(0, slash));
}

}  // namespace migrator
