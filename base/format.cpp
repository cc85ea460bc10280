// The one file that compiles fmt itself; the library is not linked, so that the programs run without it.
#define FMT_HEADER_ONLY
#include "base/format.h"

#include <fmt/format.h>

namespace base {

std::string format_erased(fmt::string_view pattern, fmt::format_args args) { return fmt::vformat(pattern, args); }

}  // namespace base
