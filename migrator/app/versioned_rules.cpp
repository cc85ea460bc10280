#include "migrator/app/versioned_rules.h"

#include "migrator/app/library_run.h"

namespace migrator {

base::Result<VersionedRules> VersionedRules::load(base::FileSystem& fs, const Options& options, Knowledge& knowledge,
                                                  FrameworkVersions versions) {
    VersionedRules out;
    out.versions_ = std::move(versions);
    knowledge.rules.restrict_to(out.versions_.whole.version);
    TRY(out.add(fs, options, knowledge, out.versions_.whole.version, std::move(knowledge.transfer_rules)));
    for (const auto& directories : out.versions_.nearest) {
        for (const auto& [directory, version] : directories) TRY(out.add(fs, options, knowledge, version.version));
    }
    return out;
}

base::Status VersionedRules::add(base::FileSystem& fs, const Options& options, const Knowledge& knowledge,
                                 Version version, std::optional<RuleSet> transfer) {
    if (by_version_.contains(version)) return {};
    const auto keep = [&](RuleSet rules) {
        return rules_.emplace_back(std::make_unique<RuleSet>(std::move(rules))).get();
    };
    Rules out{&knowledge.rules, &knowledge.patterns, nullptr};
    if (version != versions_.whole.version) {
        TRY_ASSIGN(RuleSet loaded, RuleSet::load(knowledge.store, options.style, options.megatron));
        RuleSet* rules = keep(std::move(loaded));
        TRY_ASSIGN(PatternSet patterns, PatternSet::compile(*rules));
        rules->restrict_to(version);
        TRY(add_libraries(options, fs, *rules));
        out.rules = rules;
        out.patterns = patterns_.emplace_back(std::make_unique<PatternSet>(std::move(patterns))).get();
    }
    if (options.command == Command::analyze) {
        if (!transfer) {
            TRY_ASSIGN(transfer, RuleSet::load(knowledge.store, StyleKind::automatic, options.megatron));
        }
        RuleSet* rules = keep(std::move(*transfer));
        rules->restrict_to(version);
        out.transfer = rules;
    }
    by_version_.emplace(version, out);
    return {};
}

}  // namespace migrator
