#include "migrator/project/knowledge.h"

#include <algorithm>

#include "base/paths.h"
#include "base/text.h"
#include "migrator/project/translations.h"

namespace migrator {
namespace {

constexpr std::string_view kRules = "rules";

base::Status load_into(Knowledge& knowledge, base::FileSystem& fs, const base::Path& overlay, StyleKind style,
                       std::string_view megatron, bool judges_transfer) {
    TRY_ASSIGN(knowledge.store, store_with_rules(fs, overlay));
    std::vector<StyleKind> styles{style};
    if (judges_transfer) styles.push_back(StyleKind::automatic);
    TRY_ASSIGN(auto sets, RuleSet::load_styles(knowledge.store, styles, megatron));
    knowledge.rules = std::move(sets.front());
    if (judges_transfer) knowledge.transfer_rules = std::move(sets.back());
    TRY_ASSIGN(knowledge.patterns, PatternSet::compile(knowledge.rules));
    TRY_ASSIGN(knowledge.facts, TypeFacts::load(knowledge.store));
    TRY_ASSIGN(knowledge.loops, LoopFacts::load(knowledge.store));
    TRY_ASSIGN(knowledge.told_names, ToldNames::load(knowledge.store, {}));
    TRY_ASSIGN(knowledge.operator_schemas, OperatorSchemas::load(knowledge.store));
    TRY_ASSIGN(knowledge.translations, load_translations(knowledge.store));
    return {};
}

}  // namespace

std::string place_of_rules(const base::Path& directory) {
    const base::Path whole = base::normal_path(directory);
    const std::string name(base::file_name(whole));
    const auto folders = RuleSet::folders();
    const bool is_folder = base::file_name(base::parent(whole)) == kRules && base::contains(folders, name);
    return std::string(kRules) + (is_folder ? "/" + name : "");
}

base::Result<base::DataStore> store_with_rules(base::FileSystem& fs, const base::Path& overlay) {
    base::DataStore store;
    if (!overlay.empty()) TRY(store.overlay(fs, overlay, place_of_rules(overlay)));
    return store;
}

base::Result<Knowledge> load_knowledge(base::FileSystem& fs, const base::Path& overlay, StyleKind style,
                                       std::string_view megatron, bool judges_transfer) {
    Knowledge knowledge;
    auto loaded = load_into(knowledge, fs, overlay, style, megatron, judges_transfer);
    if (loaded) return knowledge;
    base::Error error = std::move(loaded).error();
    error.kind = base::ErrorKind::rule_data;
    return tl::unexpected<base::Error>(std::move(error));
}

}  // namespace migrator
