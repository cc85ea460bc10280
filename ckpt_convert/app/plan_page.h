// The page of --plan-html: a conversion before it is made, for the browser. One file, no network, no script.
#pragma once

#include <string>

#include "base/data_store.h"
#include "ckpt_convert/app/convert.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

// The output is all of the conversion.
Result<std::string> plan_page(const base::DataStore& templates, const ConvertSummary& summary,
                              const PlannedOutput& target);

}  // namespace ckpt
