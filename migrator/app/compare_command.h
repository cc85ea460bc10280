// compare, profile: what `migrator compare BASE NEW` and `migrator profile PATH` print.
#pragma once

#include "base/file_system.h"
#include "base/result.h"
#include "base/text_sink.h"
#include "migrator/app/options.h"

namespace migrator {

struct CompareOutcome {
    std::vector<std::string> damage;  // of files that were read as far as they are whole
    std::vector<std::string> slower;  // what --fail-over does not allow
};

// Gives what is printed to the sink. Fails with bad_input for a profile that is missing or none, with usage for a step that it does not
// have.
base::Result<CompareOutcome> run_compare(const Options& options, base::FileSystem& fs, const base::TextSink& out);

// The same of `migrator profile PATH`.
base::Result<CompareOutcome> run_profile(const Options& options, base::FileSystem& fs, const base::TextSink& out);

}  // namespace migrator
