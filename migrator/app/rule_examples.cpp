#include "migrator/app/rule_examples.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "migrator/app/rule_cases.h"
#include "migrator/edit/line_diff.h"
#include "migrator/rewrite/rewriter.h"
#include "migrator/source/discovery.h"

namespace migrator {
namespace {

// How far all lines with something on them are indented.
std::size_t indentation(std::string_view text) {
    std::size_t out = text.npos;
    for (const std::string_view line : split_lines(text)) {
        const std::size_t first = line.find_first_not_of(" \t\r\n");
        if (first != line.npos) out = std::min(out, first);
    }
    return out;
}

// The lines without what a case says of them, and without the first `indent` blanks.
std::string example_lines(std::string_view text, std::size_t indent) {
    constexpr std::array<std::string_view, 3> kMarks{"# expect:", "# ok:", "# todo-expect:"};
    std::vector<std::string_view> kept;
    for (const std::string_view line : split_lines(text)) {
        std::size_t end = line.size();
        for (const std::string_view mark : kMarks) end = std::min(end, line.find(mark));
        std::string_view code = line.substr(0, end);
        code = code.substr(0, code.find_last_not_of(" \t\r\n") + 1);
        if (!code.empty() || end == line.size()) kept.push_back(code.substr(std::min(indent, code.size())));
    }
    return base::joined(kept, "\n");
}

bool expects(std::string_view text, const std::string& rule) {
    for (const std::string_view line : split_lines(text)) {
        if (base::contains(ids_behind(line, "expect"), rule)) return true;
    }
    return false;
}

// Lines with a fix first, short ones before long ones.
bool is_better(const RuleExample& a, const RuleExample& b) {
    if (a.after.empty() != b.after.empty()) return b.after.empty();
    return a.before.size() < b.before.size();
}

// The lines of `text` that a finding stands on.
std::string lines_of(std::string_view text, const FindingOutcome& item) {
    const std::vector<std::string_view> lines = split_lines(text);
    const auto end = std::min<std::size_t>(item.end.line, lines.size());
    return base::joined(std::vector<std::string_view>(lines.begin() + (item.begin.line - 1), lines.begin() + end), "");
}

// Takes the best example of the rule in a file with this text, if it is better.
void take_better(std::optional<RuleExample>& best, const Knowledge& knowledge, const base::Path& path,
                 std::string_view text, const Rule& rule) {
    for (const FindingOutcome& item : findings_in(knowledge, path, text)) {
        if (item.finding.rule != rule.id) continue;
        const bool is_fixed = item.state == FixState::applied;
        const std::string before = is_fixed ? item.old_text : lines_of(text, item);
        const std::string after = is_fixed ? item.new_text : "";
        const std::size_t indent = std::min(indentation(before), indentation(after));
        RuleExample example{example_lines(before, indent), example_lines(after, indent), item.finding.message};
        if (!best || is_better(example, *best)) best = std::move(example);
    }
}

}  // namespace

std::vector<FindingOutcome> findings_in(const Knowledge& knowledge, const base::Path& path, std::string_view text) {
    RewriteContext context;
    context.match.rules = &knowledge.rules;
    context.match.facts = &knowledge.facts;
    context.match.loops = &knowledge.loops;
    context.match.told_names = &knowledge.told_names;
    context.match.operator_schemas = &knowledge.operator_schemas;
    context.match.patterns = &knowledge.patterns;
    context.match.is_program = true;
    context.apply = ApplyMode::review;
    context.affinity = true;
    return rewrite(make_source_file(path, file_type_of(path), std::string(text)), context).findings;
}

std::optional<RuleExample> example_of(const Knowledge& knowledge, const Rule& rule) {
    std::optional<RuleExample> best;
    for (const std::string& path : knowledge.store.list("rules/")) {
        if (!is_case(path) || style_of_case(path) != knowledge.rules.style.kind) continue;
        const std::string_view text = *knowledge.store.find(path);
        if (expects(text, rule.id)) take_better(best, knowledge, path, text, rule);
    }
    if (best) return best;
    for (const auto& [name, row] : knowledge.rules.names.all()) {
        if (row.rule != &rule) continue;
        take_better(best, knowledge, "use.py", use_of_name(name), rule);
        break;
    }
    return best;
}

std::string use_of_name(std::string_view name) {
    return base::format("import {}\nprint({})\n", name.substr(0, name.find('.')), name);
}

}  // namespace migrator
