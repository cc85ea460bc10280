#include "base/version.h"

#include "base/format.h"

namespace base {

const std::string_view kVersion = MIGRATION_VERSION;
const std::string_view kHomepage = MIGRATION_HOMEPAGE;

std::string version_text(std::string_view program) {
    return kCommit.empty() ? format("{} {}", program, kVersion)
                           : format("{} {} (commit {})", program, kVersion, kCommit);
}

}  // namespace base
