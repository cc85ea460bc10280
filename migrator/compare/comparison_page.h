// The page of a Comparison, to be looked at in a browser.
#pragma once

#include "migrator/compare/comparison.h"

namespace migrator {

// One file, that asks for nothing else. Fails with rule_data when a template is missing.
base::Result<std::string> comparison_page(const Comparison& comparison, const base::DataStore& templates,
                                          const base::Language& say);

}  // namespace migrator
