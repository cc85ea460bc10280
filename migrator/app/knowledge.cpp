#include "migrator/app/knowledge.h"

#include "migrator/app/translations.h"

namespace migrator {
namespace {

base::Status load_into(Knowledge& knowledge, base::FileSystem& fs, const base::Path& overlay, StyleKind style) {
    if (!overlay.empty()) TRY(knowledge.store.overlay(fs, overlay, "rules"));
    TRY_ASSIGN(knowledge.rules, RuleSet::load(knowledge.store, style));
    TRY_ASSIGN(knowledge.patterns, PatternSet::compile(knowledge.rules));
    TRY_ASSIGN(knowledge.facts, TypeFacts::load(knowledge.store));
    TRY_ASSIGN(knowledge.loops, LoopFacts::load(knowledge.store));
    TRY_ASSIGN(knowledge.translations, load_translations(knowledge.store));
    return {};
}

}  // namespace

base::Result<Knowledge> load_knowledge(base::FileSystem& fs, const base::Path& overlay, StyleKind style) {
    Knowledge knowledge;
    auto loaded = load_into(knowledge, fs, overlay, style);
    if (loaded) return knowledge;
    base::Error error = std::move(loaded).error();
    error.kind = base::ErrorKind::rule_data;
    return tl::unexpected<base::Error>(std::move(error));
}

}  // namespace migrator
