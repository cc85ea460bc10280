// Knowledge: all that the program knows: the compiled-in rules and templates, with the user's own rules over them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/data_store.h"
#include "base/message.h"
#include "migrator/loops/loop_facts.h"
#include "migrator/operators/operator_schemas.h"
#include "migrator/operators/told_names.h"
#include "migrator/pattern/pattern_set.h"
#include "migrator/ruleset/rule_set.h"
#include "migrator/semantic/type_facts.h"

namespace migrator {

struct Knowledge {
    base::DataStore store;
    RuleSet rules;
    std::optional<RuleSet> transfer_rules;  // of the style auto, where programs are judged by it
    PatternSet patterns;                    // of the rules
    TypeFacts facts;
    LoopFacts loops;
    ToldNames told_names;  // on the usual chip, until another is chosen
    OperatorSchemas operator_schemas;
    std::map<std::string, base::Dictionary> translations;  // by language: "zh"
};

// Where in the store the files of a directory of rules belong: "rules"; "rules/affinity" of a folder of that name in one
// called rules.
std::string place_of_rules(const base::Path& directory);

// `overlay`: a directory laid out as rules/; empty: none.
base::Result<base::DataStore> store_with_rules(base::FileSystem& fs, const base::Path& overlay);

// `overlay`: as above. `judges_transfer`: with the rules of the style auto. All failures are rule_data: none is the project's fault.
base::Result<Knowledge> load_knowledge(base::FileSystem& fs, const base::Path& overlay,
                                       StyleKind style = StyleKind::npu,
                                       std::string_view megatron = kMegatronRoads.front(),
                                       bool judges_transfer = false);

}  // namespace migrator
