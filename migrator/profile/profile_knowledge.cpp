#include "migrator/profile/profile_knowledge.h"

namespace migrator {

base::Result<ProfileKnowledge> load_profile_knowledge(const base::DataStore& store, ProfileNumbers numbers) {
    ProfileKnowledge out;
    TRY_ASSIGN(out.names, load_profile_names(store, numbers));
    TRY_ASSIGN(out.tables, base::read_rule_record<ProfileTables>(store, "rules/profiles/tables.json"));
    TRY_ASSIGN(out.queries, base::read_rule_record<ProfileQueries>(store, "rules/profiles/databases.json"));
    return out;
}

}  // namespace migrator
