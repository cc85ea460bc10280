// bounded_parse: tree-sitter with a limit on its work, for texts that its error recovery needs quadratic time for.
// Private to this folder.
#pragma once

#include <functional>
#include <string_view>

struct TSTree;

namespace migrator {

// Gives the tree of the text to `take`, which must copy what it needs. False, and no call, when the text needs more work
// than one of its size may need, or has 4 GiB or more. Work is counted, not timed: the same text gives the same answer on
// every machine. Throws std::bad_alloc.
bool bounded_parse(std::string_view text, const std::function<void(const TSTree*)>& take);

}  // namespace migrator
