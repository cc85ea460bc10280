// Signals that end a run: it cleans up, says so and ends with 128 + the signal's number.
#pragma once

#include "base/result.h"

namespace base {

// SIGINT, SIGTERM and SIGHUP end the process at once as long as it has written nothing: there is nothing to clean up. Then
// they are noted, and the second one of a kind ends the process at once. SIGPIPE and SIGXFSZ become errors of the calls that
// cause them. A signal that the parent process has ignored stays ignored.
void note_signals();

// From now on an end in the middle leaves something behind: said before the first change to a file system.
void note_change();
bool has_changed();

// Nobody reads standard output or standard error any more: the process ends at once as by SIGPIPE, or, when it has changed
// something, is to end so as soon as its work is whole.
void note_gone_reader();
bool reader_is_gone();
constexpr int kReaderIsGone = 141;  // the exit code: 128 + SIGPIPE

// The signal that came; 0: none.
int noted_signal();

// Fails with `interrupted` after a signal. Long work asks between its parts.
Status not_interrupted();

}  // namespace base
