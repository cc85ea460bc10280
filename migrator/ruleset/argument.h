// `argument`: an argument of a call, by keyword or position.
#pragma once

#include "base/variable_values.h"
#include "migrator/rule/rule_word.h"

namespace migrator {

enum class ArgumentState { present, absent, integer, equal, contains, computed, outside };
std::string_view name(ArgumentState state);

// What becomes of the argument.
struct ArgumentFix {
    std::string add;
    std::string replace;
    std::string wrap;
    std::string name;
    std::string rename;
    bool remove = false;

    base::Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const ArgumentFix*) {
    return base::record(
        "argument_fix", "what becomes of an argument",
        base::field("add", &ArgumentFix::add, "text of a further argument, for `absent`"),
        base::field("replace", &ArgumentFix::replace, "text instead of the argument"),
        base::field("wrap", &ArgumentFix::wrap, "a function that the argument goes through"),
        base::field("name", &ArgumentFix::name, "the keyword that a positional argument gets"),
        base::field("rename", &ArgumentFix::rename,
                    "the new name of its keyword; also with `wrap`. An argument without a keyword stays as it is"),
        base::field("remove", &ArgumentFix::remove, "the argument goes"));
}

struct ArgumentRow {
    const Rule* rule = nullptr;
    std::vector<std::string> of;  // functions
    std::string keyword;
    std::optional<std::size_t> position;
    ArgumentState state = ArgumentState::present;
    std::vector<std::string> beside;    // keywords that the call has all the same
    std::vector<std::string> values;    // of `equal`: constants of Python; of `contains`: parts of a written text
    base::ValueLimits limits;           // of `outside`
    std::vector<std::string> mentions;  // parts of the texts of the arguments, one of which is there; empty: anything
    bool methods = false;               // also calls of these members on objects of unknown class
    std::vector<std::string> when_imported;
    ArgumentFix fix{};

    base::Status check(const base::JsonPlace& at) const;
};

inline constexpr std::int64_t kMostPosition = 100;

constexpr auto record_of(const ArgumentRow*) {
    return base::record(
        "argument", "an argument of a call", base::field("of", &ArgumentRow::of, "functions").needed(),
        base::field("keyword", &ArgumentRow::keyword, "its keyword"),
        base::field("position", &ArgumentRow::position, "from 0, without self").up_to(kMostPosition),
        base::field("is", &ArgumentRow::state,
                    "`computed`: it comes from a parameter, an option, a setting; `equal`: one of the constants "
                    "`values`; `contains`: `values` are parts of a text or of a qualified name that is written in it; "
                    "`outside`: a number that `limits` do not allow"),
        base::field("values", &ArgumentRow::values,
                    "of `equal` constants as Python has them, compared by value: `\"fast\"` is also `'fast'`, `0.5` "
                    "also `5e-1`; of "
                    "`contains` parts of a text"),
        base::field("limits", &ArgumentRow::limits, "of `outside`: which numbers it takes"),
        base::field("beside", &ArgumentRow::beside,
                    "keywords that the call must have as well, and not with `0`, `None` or `False`"),
        base::field("mentions", &ArgumentRow::mentions,
                    "only where one of these stands somewhere between the brackets of the call"),
        base::field("methods", &ArgumentRow::methods,
                    "also calls of such members on objects of unknown class, in files that import one of "
                    "`when_imported`"),
        base::field("when_imported", &ArgumentRow::when_imported, "modules"));
}

base::Status add(RuleSet& set, ArgumentRow row, ArgumentFix fix, const Adding& adding);

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::ArgumentState> = [] {
    using enum migrator::ArgumentState;
    return std::to_array({present, absent, integer, equal, contains, computed, outside});
}();
