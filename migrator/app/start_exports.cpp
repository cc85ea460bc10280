#include "migrator/app/start_exports.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kHidden = "...";

// HF_TOKEN, --hub-token
bool names_secret(const StartFacts& facts, std::string_view name) {
    std::string part;
    for (const char c : std::string(name) + "_") {
        if (c != '_' && c != '-') {
            part += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
            continue;
        }
        if (base::contains(facts.secrets, part)) return true;
        part.clear();
    }
    return false;
}

// An address with a password in it.
bool has_password(std::string_view value) {
    const std::size_t address = value.find("://");
    if (address == value.npos) return false;
    const std::string_view host = value.substr(address + 3);
    return host.substr(0, host.find('/')).find('@') != host.npos;
}

bool is_secret(const StartFacts& facts, const ScriptAssignment& one) {
    return names_secret(facts, one.name) || has_password(one.value);
}

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

std::string assignment(const ScriptAssignment& one, std::string_view name, std::string_view value) {
    return base::format("{}{}={}", one.is_exported ? "export " : "", name, value);
}

std::string line_of(const RuleSet& rules, const StartFacts& facts, const ScriptAssignment& one) {
    if (is_secret(facts, one))
        return base::format("# {} is exported on {}. Secrets are not copied: set it before this script runs.", one.name,
                            one.place);
    if (!one.is_certain)
        return base::format("# {} is set on {} under a condition or by a command: set it here if it is needed.",
                            one.name, one.place);
    const EnvironmentRow* row = rules.environment.find(one.name);
    const std::string_view plain = without_quotes(one.value);
    if (row == nullptr || row->kept) {
        if (is_of_cuda(rules, one.value))
            return base::format("# {} of {} names a part of CUDA and is left out.", one.name, one.place);
        return assignment(one, one.name, one.value);
    }
    if (row->to && row->same_values) {
        const VariableValues* known = rules.values_of(*row->to);
        const bool is_open = plain.find('$') != plain.npos;
        if (is_open || known == nullptr || !known->problem_of(plain)) return assignment(one, *row->to, one.value);
    }
    if (const auto found = row->values.find(plain); row->to && found != row->values.end())
        return assignment(one, *row->to, found->second);
    if (!row->to) return base::format("# {} of {} has no counterpart on the NPU.", one.name, one.place);
    return base::format("# {} of {}: on the NPU it is {}, with values of its own: set it by hand.", one.name, one.place,
                        *row->to);
}

}  // namespace

std::vector<std::string> settings_apart(const StartFacts& facts, std::string_view text) {
    std::vector<std::string> found;
    for (const std::string& beginning : facts.environments) {
        const std::string_view key = base::trimmed(beginning, " :");
        const auto sets = [&](std::string_view line) { return base::trimmed(line).starts_with(beginning); };
        if (std::ranges::any_of(base::split(text, '\n'), sets)) found.emplace_back(key);
    }
    if (found.empty()) return {};
    return {
        base::format("# The file with this command sets variables as well ({}). They are not copied: set here what the "
                     "program needs.",
                     base::joined(found, ", "))};
}

std::string without_secrets(const StartFacts& facts, std::string_view command) {
    std::string out;
    bool hides = false;  // the word before was the option of a secret
    for (const std::string_view word : base::split(command, ' ')) {
        const std::size_t sign = std::min(word.find('='), word.size());
        const bool names = names_secret(facts, word.substr(0, sign));
        const bool is_pair = sign < word.size();
        if (!out.empty()) out += ' ';
        if ((hides && !word.starts_with('-')) || has_password(word)) out += kHidden;
        else if (names && is_pair) out += base::format("{}={}", word.substr(0, sign), kHidden);
        else out += word;
        hides = names && !is_pair && word.starts_with('-');
    }
    return out;
}

std::vector<std::string> start_exports(const RuleSet& rules, const StartFacts& facts,
                                       std::span<const ScriptAssignment> assignments) {
    std::vector<std::string> out;
    for (const ScriptAssignment& one : assignments) out.push_back(line_of(rules, facts, one));
    return out;
}

}  // namespace migrator
