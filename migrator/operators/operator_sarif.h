// An OperatorReport as SARIF 2.1.0: a result for each operator that does not run in a compiled kernel.
#pragma once

#include <string>

#include "migrator/operators/operator_report.h"

namespace migrator {

std::string operator_sarif(const OperatorReport& report);

}  // namespace migrator
