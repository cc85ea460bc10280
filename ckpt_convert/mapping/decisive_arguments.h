// DecisiveArguments: saved arguments that change what the weights mean, so that a model of another value is another model.
#pragma once

#include <string>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

struct DecisiveArgument {
    std::string name;
    std::string means;
};
constexpr auto record_of(const DecisiveArgument*) {
    using base::field;
    return base::record("decisive_argument",
                        "a switch that must be what the `args` of the family say, where they say it as a literal",
                        field("name", &DecisiveArgument::name, "of the argument").needed(),
                        field("means", &DecisiveArgument::means, "what the program computes with it").needed());
}

// rules/formats/arguments.json
struct DecisiveArguments : RuleFile<"decisive-arguments/1"> {
    std::vector<DecisiveArgument> arguments;

    static Result<DecisiveArguments> load(const base::DataStore& store) {
        return base::read_rule_record<DecisiveArguments>(store, "rules/formats/arguments.json");
    }
};
constexpr auto record_of(const DecisiveArguments* file) {
    return base::extended(record_of(static_cast<const RuleFile<"decisive-arguments/1">*>(file)), "decisive_arguments",
                          "", base::field("arguments", &DecisiveArguments::arguments, "all").needed());
}

}  // namespace ckpt
