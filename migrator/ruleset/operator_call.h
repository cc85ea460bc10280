// `operator_call`: calls of operators whose schemas are known (rules/operators/schemas.json), checked against them.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

enum class OperatorCallCase {
    wrong_arguments,  // a name, a number or a kind of arguments that no overload takes
    not_listed,       // there is no operator of this name
};
std::string_view name(OperatorCallCase which);

struct OperatorCallRow {
    const Rule* rule = nullptr;
    std::vector<std::string> of;  // the operator is what follows the last point
    OperatorCallCase which = OperatorCallCase::wrong_arguments;
};
constexpr auto record_of(const OperatorCallRow*) {
    return base::record(
        "operator_call", "calls of operators whose schemas are known",
        base::field("of", &OperatorCallRow::of,
                    "qualified names with one `*`; the operator is what follows the last point")
            .needed(),
        base::field("is", &OperatorCallRow::which,
                    "`wrong_arguments`: no overload takes their names, their number or a written value; "
                    "`not_listed`: there is no such operator")
            .needed());
}

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::OperatorCallCase> =
    std::to_array({migrator::OperatorCallCase::wrong_arguments, migrator::OperatorCallCase::not_listed});
