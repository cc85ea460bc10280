#include "migrator/profile/advice.h"

#include <doctest/doctest.h>

#include "base/data_store.h"

using namespace migrator;

namespace {

bool is_given(const AdviceFile& file, const AdviceRule& rule, const std::map<std::string, double>& numbers,
              const std::map<std::string, std::string>& variables) {
    ProfileFigures figures;
    figures.numbers.insert(numbers.begin(), numbers.end());
    figures.variables.insert(variables.begin(), variables.end());
    for (const Advice& item : advice_for(figures, file)) {
        if (item.rule == rule.id) return true;
    }
    return false;
}

AdviceFile all_advice() {
    const auto file = base::read_rule_record<AdviceFile>(base::DataStore(), "rules/profiles/advice.json");
    REQUIRE(file.has_value());
    return *file;
}

}  // namespace

TEST_CASE("advice: every rule has figures with which it is given, and with which it is not") {
    const AdviceFile file = all_advice();
    for (const AdviceRule& rule : file.rules) {
        CAPTURE(rule.id);
        CHECK((!rule.fires.empty() || !rule.fires_variables.empty()));
        CHECK((!rule.silent.empty() || !rule.silent_variables.empty()));
        CHECK(is_given(file, rule, rule.fires, rule.fires_variables));
        CHECK_FALSE(is_given(file, rule, rule.silent, rule.silent_variables));
        CHECK_FALSE(is_given(file, rule, {}, {}));
    }
}

TEST_CASE("advice: what it says names its figures") {
    const AdviceFile file = all_advice();
    for (const AdviceRule& rule : file.rules) {
        CAPTURE(rule.id);
        ProfileFigures figures;
        figures.numbers.insert(rule.fires.begin(), rule.fires.end());
        figures.texts.insert(rule.fires_texts.begin(), rule.fires_texts.end());
        figures.variables.insert(rule.fires_variables.begin(), rule.fires_variables.end());
        for (const Advice& item : advice_for(figures, file)) {
            if (item.rule == rule.id) CHECK(item.says.text().find('{') == std::string::npos);
        }
    }
}
