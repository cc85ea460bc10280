// yaml_settings: the settings of a plain YAML file as options: sections of keys, with scalars and lists.
//
//   parallel:
//     fsdp_size: 16            parallel.fsdp_size, one value
//     fsdp_modules:
//       - model.layers.{*}     parallel.fsdp_modules, a value for each line
#pragma once

#include <string_view>
#include <vector>

#include "ckpt_convert/launch/script_reading.h"

namespace ckpt {

// In the order of the file; `file`: its number. Anchors and values over several lines are not known values.
std::vector<ScriptOption> yaml_settings(std::string_view text, std::uint32_t file);

}  // namespace ckpt
