// import_requests: where the imports that fixes ask for are put. Private to this folder.
#pragma once

#include <vector>

#include "migrator/edit/composed_edits.h"
#include "migrator/match/matcher.h"
#include "migrator/semantic/bindings.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

// A fix that was accepted, and what it asks for.
struct AcceptedFix {
    const Fix* fix = nullptr;
    base::ByteRange range;  // of its finding
};

// The insertions that bind every requested module once where it is needed:
//   where the places below come after the first fix that needs it, or after a call that may run a function with one, behind
//   the imports that the file begins with, or in front of that statement; else
//   behind the first unconditional import of `after` at module level, or in front of it when that statement itself
//   changes and may need the new module; else behind the first conditional one, in its block; else, when `after` is
//   only imported inside functions and no fix is outside of them, behind the import of every function that has a fix; else, when the file gets
//   `after` from somewhere else, behind its first imports. Never for a file that does not know `after` at all, unless
//   a fix writes the module's name; never under TYPE_CHECKING, never where the module is imported already, guarded or not.
// The owners of an insertion are the places in `fixes` of those that need it, and so are `unplaced`: there is no place for
// the import of these.
// Of the context the package of the helper module counts, and what loads the framework.
struct ImportEdits {
    std::vector<OwnedEdit> edits;
    std::vector<std::size_t> unplaced;
};
ImportEdits import_edits(const ParsedText& parsed, const std::vector<AcceptedFix>& fixes, const MatchContext& context);

}  // namespace migrator
