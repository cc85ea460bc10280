// The page of --plan-html: a conversion before it is made, for the browser. One file, no network, no script.
#pragma once

#include <string>

#include "base/data_store.h"
#include "ckpt_convert/app/convert.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

// What this page and that of a training's plan share: the style, and a line of the list at their beginning.
inline constexpr std::string_view kPlanStyle = "templates/plan/style.css";
std::string page_fact(std::string_view name, std::string_view value);

// The output is all of the conversion.
Result<std::string> plan_page(const base::DataStore& templates, const ConvertSummary& summary,
                              const PlannedOutput& target);

}  // namespace ckpt
