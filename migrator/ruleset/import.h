// `import`, `own_import`: modules by the last part of their name, exact or with one *.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

struct ImportRow : NameList {
    static constexpr std::string_view kClaim = "the import of {}";
    const Rule* rule = nullptr;
};

// In a package of the project, of which no source is there: compiled.
struct OwnImportRow : NameList {
    static constexpr std::string_view kClaim = "the import of the project's own {}";
    const Rule* rule = nullptr;
};

}  // namespace migrator
