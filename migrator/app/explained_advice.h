// Advice from figures of profiles, as `migrator explain profile.NAME` explains it.
#pragma once

#include <optional>
#include <string>

#include "base/data_store.h"
#include "base/language.h"
#include "base/result.h"

namespace migrator {

// nullopt: no advice has this id. Fails with rule_data.
base::Result<std::optional<std::string>> advice_page(const base::Language& say, const base::DataStore& store,
                                                     const std::string& id, bool as_json);

}  // namespace migrator
