#include "migrator/profile/advice.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/format.h"

namespace migrator {
namespace {

bool fits(const AdviceCondition& condition, double value) {
    return (!condition.above || value > *condition.above) && (!condition.at_least || value >= *condition.at_least) &&
           (!condition.below || value < *condition.below);
}

// "0.31" of shares and factors, "1234" of counts.
std::string figure_text(double value) {
    return value == std::floor(value) && std::abs(value) < 1e15 ? base::format("{:.0f}", value)
                                                                : base::format("{:.3g}", value);
}

}  // namespace

base::Status AdviceCondition::check(const base::JsonPlace& at) const {
    if (figure.empty() == variable.empty()) return at.error("a condition has a figure or a variable, not both");
    return {};
}

bool AdviceCondition::holds(const ProfileFigures& figures) const {
    if (!figure.empty()) {
        const auto found = figures.numbers.find(figure);
        return found != figures.numbers.end() && fits(*this, found->second);
    }
    const auto found = figures.variables.find(variable);
    if (found == figures.variables.end()) return false;
    const std::string& text = found->second;
    if (!has.empty() && text.find(has) == text.npos) return false;
    if (!lacks.empty() && text.find(lacks) != text.npos) return false;
    if ((is_set && text.empty()) || (!is_not.empty() && text == is_not)) return false;
    if (!above && !at_least && !below) return true;
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return fits(*this, value);
}

std::vector<Advice> advice_for(const ProfileFigures& figures, const AdviceFile& file) {
    std::vector<Advice> out;
    for (const AdviceRule& rule : file.rules) {
        if (!std::ranges::all_of(rule.when, [&](const AdviceCondition& item) { return item.holds(figures); })) continue;
        std::vector<base::Message::Value> values;
        for (const auto& [name, value] : figures.numbers) {
            if (rule.says.find("{" + name + "}") != rule.says.npos)
                values.push_back({name, base::Message(figure_text(value))});
        }
        for (const auto& [name, text] : figures.texts) {
            if (rule.says.find("{" + name + "}") != rule.says.npos) values.push_back({name, base::Message(text)});
        }
        out.push_back({rule.id, base::Message(rule.says, std::move(values)), rule.remedy, rule.rules});
    }
    return out;
}

}  // namespace migrator
