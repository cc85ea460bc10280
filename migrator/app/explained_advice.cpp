#include "migrator/app/explained_advice.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "migrator/profile/advice.h"

namespace migrator {
namespace {

std::string condition_text(const base::Language& say, const AdviceCondition& condition) {
    const std::string& name = condition.figure.empty() ? condition.variable : condition.figure;
    if (condition.above) return say.show("{} is above {}", name, *condition.above);
    if (condition.at_least) return say.show("{} is at least {}", name, *condition.at_least);
    if (condition.below) return say.show("{} is below {}", name, *condition.below);
    if (!condition.has.empty()) return say.show("{} contains \"{}\"", name, condition.has);
    if (!condition.is_not.empty()) return say.show("{} has a value other than {}", name, condition.is_not);
    if (condition.is_set) return say.show("{} has a value", name);
    return say.show("{} does not contain \"{}\"", name, condition.lacks);
}

std::string text_page(const base::Language& say, const AdviceRule& rule, const std::vector<std::string>& conditions) {
    std::string out = say.show("{} (advice of migrator profile)\n\n", rule.id);
    out += base::show("{}\n{}\n\n", say.text(rule.says), say.text(rule.remedy));
    out += say.show("Given when {}.\n", base::joined(conditions, say.text(" and ")));
    if (!rule.rules.empty())
        out += say.show("In code, migrator analyze finds it as {}.\n", base::joined(rule.rules, ", "));
    return out + say.show("Source: {}\n", rule.source);
}

std::string json_page(const AdviceRule& rule, const std::vector<std::string>& conditions) {
    using Texts = base::InJson<std::vector<std::string>>;
    base::JsonWriter json;
    json.begin_object();
    json.key("id").string(rule.id);
    json.key("message").string(rule.says);
    json.key("advice").string(rule.remedy);
    Texts::write(json.key("when"), conditions);
    Texts::write(json.key("rules"), rule.rules);
    json.key("source").string(rule.source);
    return std::move(json.end_object()).take() + "\n";
}

}  // namespace

base::Result<std::optional<std::string>> advice_page(const base::Language& say, const base::DataStore& store,
                                                     const std::string& id, bool as_json) {
    TRY_ASSIGN(const AdviceFile file, base::read_rule_record<AdviceFile>(store, "rules/profiles/advice.json"));
    const auto rule =
        std::find_if(file.rules.begin(), file.rules.end(), [&](const auto& item) { return item.id == id; });
    if (rule == file.rules.end()) return std::nullopt;
    std::vector<std::string> conditions;
    for (const AdviceCondition& condition : rule->when) conditions.push_back(condition_text(say, condition));
    return as_json ? json_page(*rule, conditions) : text_page(say, *rule, conditions);
}

}  // namespace migrator
