#include "base/version.h"

namespace base {

const std::string_view kVersion = MIGRATION_VERSION;

}  // namespace base
