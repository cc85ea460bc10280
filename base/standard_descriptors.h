// Standard input, output and error of a process that may have been started without some of them.
#pragma once

namespace base {

// Before anything is opened: the number of one that is closed is taken, so that no file of ours gets it, and what is printed. Reading
// or writing there fails as it would.
void keep_standard_descriptors();

}  // namespace base
