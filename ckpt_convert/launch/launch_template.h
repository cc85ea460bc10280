// fill_lines: a template of rules in which lines have conditions.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ckpt_convert/mapping/model_values.h"

namespace ckpt {

// `where` names the template. Fails with rule_data where a condition is none, or a mark has no value.
Result<std::string> fill_lines(std::string_view text, const ModelValues& numbers,
                               const std::map<std::string, std::string>& texts, const std::string& where);

}  // namespace ckpt
