// Round: one pass over a text: match, decide what becomes of every fix, and edit. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "migrator/rewrite/file_outcome.h"
#include "migrator/rewrite/rewriter.h"

namespace migrator {

struct Decided {
    Finding finding;
    FixState state = FixState::none;
};

struct Round {
    std::vector<Decided> findings;
    std::vector<Edit> edits;  // all that were made, imports included, by position
    std::string text;         // after them
};

Round run_round(const SourceFile& file, std::string_view text, const RewriteContext& context);

}  // namespace migrator
