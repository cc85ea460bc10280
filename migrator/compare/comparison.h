// Comparison: two profiles side by side, and what is written of them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/data_store.h"
#include "base/language.h"
#include "migrator/compare/profile_side.h"
#include "migrator/compare/sheet.h"

namespace migrator {

struct CompareRequest {
    base::Path base, compared;
    ProfileNumbers numbers = ProfileNumbers::ours;
};

struct Comparison {
    ProfileSide base, compared;
    Sheet distribution;
    std::vector<Sheet> sheets;

    // Damage of files, which a run must not end without.
    std::vector<std::string> damage() const;
    std::string text(const base::Language& say) const;
    std::string json() const;
};

// Fails as read_side does.
base::Result<Comparison> compare_profiles(base::FileSystem& fs, const base::DataStore& store, const CompareRequest& request);

}  // namespace migrator
