#include "migrator/app/rule_pages.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "migrator/app/knowledge.h"

namespace migrator {
namespace {

constexpr std::size_t kRowsShown = 8;

std::vector<const Rule*> sorted_rules(const RuleSet& rules) {
    std::vector<const Rule*> out;
    for (const auto& rule : rules.rules()) out.push_back(rule.get());
    std::sort(out.begin(), out.end(), [](const Rule* a, const Rule* b) { return a->id < b->id; });
    return out;
}

std::string list(const RuleSet& rules) {
    std::string out;
    for (const Rule* rule : sorted_rules(rules))
        out += base::format("{}  {}  {}\n", rule->id, name(rule->severity), name(rule->kind));
    return out;
}

// Rules of the same group, or whose id holds the word.
std::string alike(const RuleSet& rules, std::string_view id) {
    std::vector<std::string_view> found;
    const std::string_view group = id.substr(0, id.find('.'));
    for (const Rule* rule : sorted_rules(rules)) {
        const std::string_view other = rule->id;
        if (found.size() < kRowsShown && (other.substr(0, other.find('.')) == group || other.find(id) != other.npos))
            found.push_back(other);
    }
    return found.empty() ? "" : base::format("; there are {}", base::joined(found, ", "));
}

std::string rows_of(const RuleSet& rules, const Rule& rule) {
    std::string out;
    std::size_t shown = 0;
    std::size_t all = 0;
    for (const auto& [from, row] : rules.name_rows()) {
        if (row.rule != &rule) continue;
        ++all;
        if (++shown > kRowsShown) continue;
        out += row.to ? base::format("  {} -> {}\n", from, *row.to) : base::format("  {}\n", from);
    }
    if (all > kRowsShown) out += base::format("  ... and {} more\n", all - kRowsShown);
    return out.empty() ? out : "Names:\n" + out;
}

std::string page(const RuleSet& rules, const Rule& rule) {
    std::string out =
        base::format("{} ({}, {})\n\n{}\n\n", rule.id, name(rule.severity), name(rule.kind), rule.message);
    out += base::format("A fix needs: {}\n", name(rule.certainty));
    for (const ImportRequest& request : rule.imports)
        out += base::format("A fix imports: {}, behind the import of {}\n", request.module, request.after);
    out += base::format("Source: {}\n", rule.source);
    return out + rows_of(rules, rule);
}

}  // namespace

base::Result<std::string> rule_pages(const Options& options, base::FileSystem& fs) {
    TRY_ASSIGN(const Knowledge knowledge, load_knowledge(fs, options.rules));
    const RuleSet& rules = knowledge.rules;
    if (options.command == Command::rules_list) return list(rules);
    const Rule* rule = rules.find_rule(options.rule);
    if (rule == nullptr)
        return base::fail(base::ErrorKind::usage, base::format("there is no rule '{}'{}; `migrator rules` lists them",
                                                               options.rule, alike(rules, options.rule)));
    return page(rules, *rule);
}

}  // namespace migrator
