// What must hold when a file is rewritten, whatever is in it.
#pragma once

#include <string>
#include <string_view>

#include "migrator/rewrite/file_outcome.h"

namespace fuzz {

// Rewrites the file; of Python its size chooses the style and what is applied. Bytes outside the edits
// stay, what parsed parses, a second run changes nothing. Returns the outcome.
migrator::FileOutcome check_rewriting(const std::string& path, std::string_view bytes);

}  // namespace fuzz
