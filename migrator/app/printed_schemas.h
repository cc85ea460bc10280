// The files whose JSON Schema `migrator schema` prints.
#pragma once

#include <array>
#include <string>

#include "migrator/report/report.h"
#include "migrator/review/decisions.h"
#include "migrator/ruleset/vocabulary.h"

namespace migrator {

struct PrintedSchema {
    const char* file;
    std::string (*text)();
};
inline constexpr std::array kPrintedSchemas{PrintedSchema{"rules", rule_file_schema},
                                            PrintedSchema{"report", report_schema},
                                            PrintedSchema{"decisions", decisions_schema}};

}  // namespace migrator
