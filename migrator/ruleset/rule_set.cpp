#include "migrator/ruleset/rule_set.h"

namespace migrator {

const Rule* RuleSet::find_rule(std::string_view id) const {
    const auto found = by_id.find(id);
    return found == by_id.end() ? nullptr : found->second;
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
