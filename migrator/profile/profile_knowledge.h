// ProfileKnowledge: what is known of profiles (rules/profiles): names in them, their tables, what databases are asked for.
#pragma once

#include "migrator/profile/profile_names.h"
#include "migrator/profile/profile_queries.h"
#include "migrator/profile/profile_tables.h"

namespace migrator {

struct ProfileKnowledge {
    ProfileNames names;
    ProfileTables tables;
    ProfileQueries queries;
};

// Fails with rule_data.
base::Result<ProfileKnowledge> load_profile_knowledge(const base::DataStore& store, ProfileNumbers numbers);

}  // namespace migrator
