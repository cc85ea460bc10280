#include "migrator/app/start_exports.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

std::string_view without_quotes(std::string_view value) {
    const bool is_quoted =
        value.size() > 1 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
    return is_quoted ? value.substr(1, value.size() - 2) : value;
}

bool is_of_cuda(const RuleSet& rules, std::string_view value) {
    return std::ranges::any_of(rules.texts, [&](const TextRow& row) {
        return row.rule->kind == FindingKind::environment &&
               std::ranges::any_of(row.words, [&](const std::string& word) { return value.find(word) != value.npos; });
    });
}

// A line of the script; a remark sets nothing, and its variable has no name.
struct ExportLine {
    std::string text;
    base::SetVariable sets;
};

ExportLine assignment(const ScriptAssignment& one, std::string_view name, std::string_view value) {
    return {base::format("{}{}={}", one.is_exported ? "export " : "", name, value),
            {std::string(name), std::string(without_quotes(value))}};
}

ExportLine line_of(const RuleSet& rules, const StartFacts& facts, const ScriptAssignment& one) {
    if (facts.secrets.hides(one.name, one.value))
        return {base::format("# {} is exported on {}. Secrets are not copied: set it before this script runs.",
                             one.name, one.place),
                {}};
    if (!one.is_certain)
        return {base::format("# {} is set on {} to a value that only the run knows: set it here if it is needed.",
                             one.name, one.place),
                {}};
    const EnvironmentRow* row = rules.environment.find(one.name);
    const std::string_view plain = without_quotes(one.value);
    if (row == nullptr || row->kept) {
        if (is_of_cuda(rules, one.value))
            return {base::format("# {} of {} names a part of CUDA and is left out.", one.name, one.place), {}};
        return assignment(one, one.name, one.value);
    }
    if (row->to && row->same_values) {
        const VariableValues* known = rules.values_of(*row->to);
        const bool is_open = plain.find('$') != plain.npos;
        if (is_open || known == nullptr || !known->problem_of(plain)) return assignment(one, *row->to, one.value);
    }
    if (const auto found = row->values.find(plain); row->to && found != row->values.end())
        return assignment(one, *row->to, found->second);
    if (!row->to) return {base::format("# {} of {} has no counterpart on the NPU.", one.name, one.place), {}};
    return {base::format("# {} of {}: on the NPU it is {}, with values of its own: set it by hand.", one.name,
                         one.place, *row->to),
            {}};
}

// Of two variables that stop the program together, the later one becomes a remark.
void leave_out_clashes(const RuleSet& rules, std::span<const ScriptAssignment> assignments,
                       std::vector<ExportLine>& lines) {
    std::vector<base::SetVariable> set;
    for (const ExportLine& line : lines) set.push_back(line.sets);
    for (const base::VariableClash& clash :
         base::clashes_of(set, [&](std::string_view name) { return rules.values_of(name); })) {
        if (set[clash.at].name == set[clash.first].name) continue;
        lines[clash.at].text =
            base::format("# {} of {} is left out, as {} is set above: both together stop the program.",
                         assignments[clash.at].name, assignments[clash.at].place, set[clash.first].name);
    }
}

}  // namespace

std::vector<std::string> settings_apart(const StartFacts& facts, std::string_view text) {
    std::vector<std::string> found;
    const std::vector<std::string_view> lines = base::split(text, '\n');
    for (const std::string& beginning : facts.environments) {
        const auto sets = [&](std::string_view line) { return base::trimmed(line).starts_with(beginning); };
        if (std::ranges::any_of(lines, sets)) found.emplace_back(base::trimmed(beginning, " :"));
    }
    if (found.empty()) return {};
    return {
        base::format("# The file with this command sets variables as well ({}). They are not copied: set here what the "
                     "program needs.",
                     base::joined(found, ", "))};
}

std::vector<std::string> shown_headers(const StartFacts& facts, std::vector<std::string> headers) {
    for (std::string& header : headers) {
        // --export=ALL,NAME=value
        const bool sets = std::ranges::count(header, '=') > 1;
        if (!sets && !facts.secrets.is_one(header)) continue;
        header =
            base::format("# A line \"{}=...\" is left out: it may hold a secret.", header.substr(0, header.find('=')));
    }
    return headers;
}

std::string shown_command(const StartFacts& facts, const StartedProgram& started) {
    std::vector<std::string_view> known{started.program};
    for (const std::string_view word : base::split(started.command, ' ')) {
        const bool starts = std::ranges::any_of(facts.launchers, [&](const Launcher& launcher) {
            return std::ranges::any_of(launcher.words,
                                       [&](const std::string& pattern) { return fits_launcher(word, pattern); });
        });
        if (starts) known.push_back(word);
    }
    return facts.secrets.shown(started.command, known);
}

std::vector<std::string> start_exports(const RuleSet& rules, const StartFacts& facts,
                                       std::span<const ScriptAssignment> assignments) {
    std::vector<ExportLine> lines;
    for (const ScriptAssignment& one : assignments) lines.push_back(line_of(rules, facts, one));
    leave_out_clashes(rules, assignments, lines);
    std::vector<std::string> out;
    for (ExportLine& line : lines) out.push_back(std::move(line.text));
    return out;
}

}  // namespace migrator
