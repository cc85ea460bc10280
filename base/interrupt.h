// Signals that end a run: it cleans up, says so and ends with 128 + the signal's number.
#pragma once

#include "base/result.h"

namespace base {

// SIGINT, SIGTERM and SIGHUP are noted, and the second one of a kind ends the process at once. SIGPIPE and SIGXFSZ become
// errors of the calls that cause them. A signal that the parent process has ignored stays ignored.
void note_signals();

// The signal that came; 0: none.
int noted_signal();

// Fails with `interrupted` after a signal. Long work asks between its parts.
Status not_interrupted();

}  // namespace base
