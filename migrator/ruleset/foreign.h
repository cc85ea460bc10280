// `foreign`: files that work for a program of GPUs and nothing else.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

struct ForeignRow : NameList {
    static constexpr std::string_view kClaim = "files that import {}";
    const Rule* rule = nullptr;
};

}  // namespace migrator
