#include "migrator/distribute/distribute_facts.h"

namespace migrator {

base::Result<DistributeFacts> DistributeFacts::load(const base::DataStore& store) {
    return base::read_rule_record<DistributeFacts>(store, "rules/distribute/distribute.json");
}

}  // namespace migrator
