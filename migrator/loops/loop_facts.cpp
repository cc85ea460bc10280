#include "migrator/loops/loop_facts.h"

namespace migrator {

base::Result<LoopFacts> LoopFacts::load(const base::DataStore& store) {
    return base::read_rule_record<LoopFacts>(store, "rules/loops/loops.json");
}

}  // namespace migrator
