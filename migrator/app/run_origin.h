// Where a report comes from, so that a reader can make it again: when, of which commit, by which command.
#pragma once

#include "migrator/app/options.h"

namespace migrator {

// Fills `origin` of the options. SOURCE_DATE_EPOCH, where it is set, is the time: https://reproducible-builds.org/specs/source-date-epoch
void note_origin(base::FileSystem& fs, int argc, const char* const* argv, Options& options);

// The command line without `--jobs`, which changes nothing in a report; quoted for a shell.
std::string told_command(int argc, const char* const* argv);

}  // namespace migrator
