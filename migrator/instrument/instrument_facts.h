// InstrumentFacts: what `--instrument` can put around a training loop, and who runs loops of their own:
// rules/instrument/*.json.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"

namespace migrator {

// Lines of Python for three places; "{model}" in them is the model that the loop calls, or None.
struct Instrument {
    std::vector<std::string> names;     // that the lines bind
    std::vector<std::string> excludes;  // qualified: a file that uses them has such a tool, and two do not go together
    std::vector<std::string> before;    // in front of the loop
    std::vector<std::string> before_step;  // in each round, in front of the step
    std::vector<std::string> behind_step;  // and behind it
    bool closes = false;                   // the lines behind the step also belong in front of what leaves it early
    std::string message;                   // what they do, and what the user must do
};

// A library that runs the loop by itself.
struct LoopFramework {
    std::vector<std::string> names;  // qualified
    std::string use;                 // what to use instead
};

struct InstrumentFacts {
    std::map<std::string, Instrument, std::less<>> instruments;  // by the name of their file: "profiler"
    std::vector<LoopFramework> frameworks;

    static base::Result<InstrumentFacts> load(const base::DataStore& store);
};

}  // namespace migrator
