#include "ckpt_convert/mapping/value_rule.h"

#include "base/text.h"

namespace ckpt {

Status ValueRule::check(const base::JsonPlace& at) {
    for (std::string& argument : arguments) {
        if (!argument.starts_with("!")) continue;
        argument_negated = true;
        argument.erase(0, 1);
    }
    for (const auto& [argument, needed] : argument_needs) {
        if (!base::contains(arguments, argument))
            return at.error("\"arg_needs\" gives for an argument of \"arg\" the name of another one");
    }
    if (each == Each::expert) return at.error("a value cannot be there for each expert");
    if (!listed.empty() && each != Each::layer) return at.error("\"listed\" needs \"each\": \"layer\"");
    if (listed_from && listed.empty()) return at.error("\"listed_from\" needs \"listed\"");
    if (each == Each::layer && !fallback) return at.error("a value of each layer needs a \"default\"");
    return {};
}

}  // namespace ckpt
