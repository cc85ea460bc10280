// rewrite: one file from its bytes to its outcome: match, decide, edit, parse again, until nothing changes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "migrator/match/matcher.h"
#include "migrator/rewrite/file_outcome.h"

namespace migrator {

enum class ApplyMode {
    none,    // find everything, change nothing
    safe,    // apply every fix whose certainty reaches what its rule asks for
    review,  // apply every fix there is: a person looks at all of them
};

std::string_view name(ApplyMode mode);  // "none", "safe", "review"

struct RewriteContext {
    MatchContext match;
    ApplyMode apply = ApplyMode::safe;
    bool affinity = false;   // also the fixes that are for speed alone
    bool operators = false;  // also collect what C++ offers and Python calls
    // With the rules of the style auto: says what would be left to do if transfer_to_npu redirected the rest. Python only.
    std::optional<MatchContext> transfer;
};

// Never fails: a file that cannot be read or parsed has an outcome that says so. The same file and context give the
// same outcome, whatever ran before; thread-safe.
// `parsed`: what is there already of a Python file's text: the tree, and with it the bindings.
FileOutcome rewrite(const SourceFile& file, const RewriteContext& context, const ParsedText& parsed = {});

}  // namespace migrator
