// The page of a ProfileReport, to be looked at in a browser.
#pragma once

#include "base/data_store.h"
#include "migrator/compare/profile_report.h"

namespace migrator {

// One file, that asks for nothing else. Fails with rule_data when a template is missing.
base::Result<std::string> profile_report_page(const ProfileReport& report, const base::DataStore& templates,
                                              const base::Language& say);

}  // namespace migrator
