// How a text from outside, such as a path, is written into a script or a YAML file, so that exactly this text is read.
#pragma once

#include <string>
#include <string_view>

#include "ckpt_convert/base_names.h"

namespace ckpt {

// Inside "${NAME:-...}" of bash.
std::string in_default(std::string_view text);

// A scalar of YAML in double quotes. Fails with unsupported: YAML has characters, and no bytes that are not UTF-8.
Result<std::string> yaml_scalar(std::string_view text);

}  // namespace ckpt
