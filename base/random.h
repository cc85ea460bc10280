// Names that nobody else has, nor can guess.
#pragma once

#include <string>

#include "base/result.h"

namespace base {

// 2 * `bytes` hexadecimal digits from the system's generator.
Result<std::string> random_digits(std::size_t bytes = 8);

}  // namespace base
