// rule_pages: what the commands of `migrator rules` print.
#pragma once

#include <string>

#include "base/file_system.h"
#include "base/result.h"
#include "migrator/app/options.h"

namespace migrator {

struct RulePages {
    std::string text;
    bool failed = false;  // of check and test: there are problems, and the text names them
};

base::Result<RulePages> rule_pages(const Options& options, base::FileSystem& fs);

}  // namespace migrator
