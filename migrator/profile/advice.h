// Advice: what to do about figures of a profile (rules/profiles/advice.json).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/rule_file.h"

namespace migrator {

// What is known of a profile, by name: numbers, names that go with them, and variables of its environment. What is not there is not
// known.
struct ProfileFigures {
    std::map<std::string, double, std::less<>> numbers;
    std::map<std::string, std::string, std::less<>> texts;
    std::map<std::string, std::string, std::less<>> variables;
};

struct AdviceCondition {
    std::string figure, variable;  // one of them
    std::optional<double> above, at_least, below;
    std::string has, lacks;  // of a variable
    bool is_set = false;     // it has a value
    std::string is_not;

    // A figure or variable that is not known fulfils nothing; an empty variable counts as 0.
    bool holds(const ProfileFigures& figures) const;
    base::Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const AdviceCondition*) {
    using C = AdviceCondition;
    return base::record(
        "advice_condition", "a condition", base::field("figure", &C::figure, "a number of the profile"),
        base::field("variable", &C::variable, "or a variable of its environment"),
        base::field("above", &C::above, "it is larger"), base::field("at_least", &C::at_least, "it is as large"),
        base::field("below", &C::below, "it is smaller"),
        base::field("has", &C::has, "the text of the variable has this in it"),
        base::field("lacks", &C::lacks, "or has it not"), base::field("set", &C::is_set, "the variable has a value"),
        base::field("is_not", &C::is_not, "and it is another one than this"));
}

struct AdviceRule {
    std::string id;
    std::vector<AdviceCondition> when;
    std::string says, remedy;
    std::vector<std::string> rules;
    std::string source;
    std::map<std::string, double> fires, silent;
    std::map<std::string, std::string> fires_texts;
    std::map<std::string, std::string> fires_variables, silent_variables;
};
constexpr auto record_of(const AdviceRule*) {
    using R = AdviceRule;
    return base::record("advice_rule", "advice from figures of a profile",
                        base::field("id", &R::id, "profile.NAME").needed(),
                        base::field("when", &R::when, "conditions that must all hold").needed(),
                        base::field("message", &R::says, "what is the matter, with {figures}").needed().not_blank(),
                        base::field("advice", &R::remedy, "what to do").needed().not_blank(),
                        base::field("rules", &R::rules, "rules of analyze that find it in code"),
                        base::field("source", &R::source, "where the fact comes from").needed(),
                        base::field("fires", &R::fires, "figures with which it is given"),
                        base::field("fires_texts", &R::fires_texts, "names that go with them"),
                        base::field("silent", &R::silent, "figures with which it is not"),
                        base::field("fires_variables", &R::fires_variables, "variables with which it is given"),
                        base::field("silent_variables", &R::silent_variables, "variables with which it is not"));
}

struct AdviceFile : base::RuleFileHead {
    std::vector<AdviceRule> rules;
};
constexpr auto record_of(const AdviceFile*) {
    return base::extended(base::record_for<base::RuleFileHead>(), "advice_file", "advice",
                          base::field("rules", &AdviceFile::rules, "all of it").needed());
}

// What a rule says of figures.
struct Advice {
    std::string rule;
    base::Message says;
    std::string remedy;
    std::vector<std::string> rules;  // of analyze
};

// In the order of the file.
std::vector<Advice> advice_for(const ProfileFigures& figures, const AdviceFile& file);

}  // namespace migrator
