// What config.json gives a training's program as it stands: numbers, switches and texts that nothing is worked out from.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/mapping/argument_rule.h"

namespace ckpt {

// "a string"; of a number, itself.
std::string shown_value(const Json& json);

// Fails with bad_input, naming the key, where one has another type than its rule wants, or is out of its range.
Status check_given(const std::vector<ArgumentRule>& rules, const JsonDocument& config);

}  // namespace ckpt
