// The page of an OperatorReport: what becomes of the operators of an input on every chip, to be looked at in a browser.
#pragma once

#include <string>

#include "base/data_store.h"
#include "base/language.h"
#include "base/result.h"
#include "migrator/operators/operator_report.h"

namespace migrator {

// One file, that asks for nothing else. Fails with rule_data when a template is missing.
base::Result<std::string> operator_report_page(const OperatorReport& report, const base::DataStore& templates,
                                               const base::Language& say);

}  // namespace migrator
