#include "migrator/ruleset/rule_set.h"

#include <algorithm>

namespace migrator {
namespace {

// "a.b.c" -> "a.b"; empty at the top.
std::string_view parent_module(std::string_view name) {
    std::size_t dot = name.rfind('.');
    return dot == name.npos ? std::string_view{} : name.substr(0, dot);
}

template <class Row>
std::span<const Row> rows_of(const std::map<std::string, std::vector<Row>, std::less<>>& index, std::string_view key) {
    auto found = index.find(key);
    if (found == index.end()) return {};
    return found->second;
}

}  // namespace

const Rule* RuleSet::find_rule(std::string_view id) const {
    auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
}

Version Framework::newest() const {
    return versions.empty() ? Version{} : *std::max_element(versions.begin(), versions.end());
}

bool RuleSet::is_framework(std::string_view distribution) const {
    const std::string name = normalise_distribution(distribution);
    return std::find(framework_.packages.begin(), framework_.packages.end(), name) != framework_.packages.end();
}

const NameRow* RuleSet::name_row(std::string_view qualified) const {
    auto found = names_.find(qualified);
    return found == names_.end() ? nullptr : &found->second;
}

const NameRow* RuleSet::prefix_row(std::string_view qualified) const {
    for (std::string_view at = parent_module(qualified); !at.empty(); at = parent_module(at)) {
        auto found = prefixes_.find(at);
        if (found != prefixes_.end()) return &found->second;
    }
    return nullptr;
}

std::string RuleSet::renamed(std::string_view qualified) const {
    for (std::string_view at = qualified; !at.empty(); at = parent_module(at)) {
        const NameRow* row = name_row(at);
        if (row == nullptr) continue;
        // A known name that has no new one keeps its old one, whatever its module does.
        if (!row->to) return std::string(qualified);
        return *row->to + std::string(qualified.substr(at.size()));
    }
    return std::string(qualified);
}

std::span<const MethodRow> RuleSet::methods(std::string_view member) const { return rows_of(methods_, member); }
std::span<const ArgumentRow> RuleSet::arguments(std::string_view function) const {
    return rows_of(arguments_, function);
}
std::span<const ArgumentRow> RuleSet::method_arguments(std::string_view member) const {
    return rows_of(method_arguments_, member);
}

std::span<const CallRow> RuleSet::calls(std::string_view function) const { return rows_of(calls_, function); }
std::span<const CallRow> RuleSet::method_calls(std::string_view member) const { return rows_of(method_calls_, member); }

const EnvironmentRow* RuleSet::environment_row(std::string_view variable) const {
    auto found = environment_.find(variable);
    if (found != environment_.end()) return &environment_list_[found->second];
    for (const std::size_t number : environment_patterns_) {
        if (fits(environment_list_[number].name, variable)) return &environment_list_[number];
    }
    return nullptr;
}

const SymbolRow* RuleSet::symbol(std::string_view spelled) const {
    if (spelled.starts_with("::")) spelled.remove_prefix(2);
    if (const auto found = symbols_.find(spelled); found != symbols_.end()) return &found->second;
    const SymbolRow* best = nullptr;
    for (const auto& [name, row] : symbols_) {
        const bool is_prefix = name.ends_with('*');
        const std::string_view stem = std::string_view(name).substr(0, name.size() - (is_prefix ? 1 : 0));
        const bool is_end = !is_prefix && stem.size() > spelled.size() && stem.ends_with(spelled) &&
                            stem.substr(0, stem.size() - spelled.size()).ends_with("::");
        const bool fits = is_end || (is_prefix && spelled.starts_with(stem));
        if (fits && (best == nullptr || name.size() > best->name.size())) best = &row;
    }
    return best;
}

const VariableValues* RuleSet::variable_values(std::string_view variable) const {
    const auto found = variable_values_.find(variable);
    return found == variable_values_.end() ? nullptr : &found->second;
}

const PackageRow* RuleSet::package_of_module(std::string_view module) const {
    for (std::string_view at = module; !at.empty(); at = parent_module(at)) {
        auto found = package_modules_.find(at);
        if (found != package_modules_.end()) return &packages_.find(found->second)->second;
    }
    return nullptr;
}

const PackageRow* RuleSet::package(std::string_view distribution) const {
    auto found = packages_.find(normalise_distribution(distribution));
    return found == packages_.end() ? nullptr : &found->second;
}

std::map<std::string, std::string> RuleSet::package_status() const {
    std::map<std::string, std::string> out;
    for (const auto& [key, row] : packages_) out[row.name] = row.status;
    return out;
}

bool ValueRow::is_carrier(std::string_view name) const {
    std::string lower(name);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
    return std::any_of(carriers.begin(), carriers.end(),
                       [&](const std::string& pattern) { return fits(pattern, lower); });
}

std::string normalise_distribution(std::string_view name) {
    std::string out;
    for (char c : name) {
        bool separator = c == '-' || c == '_' || c == '.';
        if (separator && out.ends_with('-')) continue;
        out += separator ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

bool fits(std::string_view pattern, std::string_view name) {
    std::size_t star = pattern.find('*');
    if (star == pattern.npos) return pattern == name;
    std::string_view head = pattern.substr(0, star);
    std::string_view tail = pattern.substr(star + 1);
    return name.size() >= head.size() + tail.size() && name.starts_with(head) && name.ends_with(tail);
}

base::Message fill_message(const std::string& message, std::string_view name, std::string_view to,
                           const base::Message& note) {
    // Files have thousands of findings: what the sentence does not name is not kept.
    std::vector<base::Message::Value> values;
    values.reserve(3);
    if (message.find("{name}") != message.npos) values.push_back({"name", name});
    if (message.find("{to}") != message.npos) values.push_back({"to", to});
    if (message.find("{note}") != message.npos) values.push_back({"note", note});
    values.shrink_to_fit();
    return {message, std::move(values)};
}

base::Message general_message(const Rule& rule) {
    base::Message out = fill_message(rule.message, "NAME", "NEW NAME", {});
    out.add(rule.remark);
    return out;
}

}  // namespace migrator
