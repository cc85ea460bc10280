#include "migrator/ruleset/operator_call.h"

namespace migrator {

std::string_view name(OperatorCallCase which) {
    return which == OperatorCallCase::wrong_arguments ? "wrong_arguments" : "not_listed";
}

}  // namespace migrator
