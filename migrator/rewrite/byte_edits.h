// byte_ranges: where the edits of a file's text stand in its bytes.
#pragma once

#include <vector>

#include "migrator/rewrite/file_outcome.h"

namespace migrator {

// One for each of `outcome.edits`, in their order. The text must have a form in the file's encoding, as one that was
// decoded has.
std::vector<base::ByteRange> byte_ranges(const FileOutcome& outcome);

}  // namespace migrator
