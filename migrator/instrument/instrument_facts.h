// InstrumentFacts: what `--instrument` can put around a training loop, and who runs loops of their own:
// rules/instrument/*.json.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rule_file.h"

namespace migrator {

// Lines of Python for three places; "{model}" in them is the model that the loop calls, or None.
struct Instrument : base::RuleFileHead {
    std::vector<std::string> names;     // that the lines bind
    std::vector<std::string> excludes;  // qualified: a file that uses them has such a tool, and two do not go together
    std::vector<std::string> before;    // in front of the loop
    std::vector<std::string> before_step;  // in each round, in front of the step
    std::vector<std::string> behind_step;  // and behind it
    bool closes = false;                   // the lines after the step also belong before what leaves it early
    std::string message;                   // what they do, and what the user must do
    std::string file;                      // what they read, beside the file with the loop; empty: nothing
    std::vector<std::string> file_lines;   // of it, where there is none yet
};

// A library that runs the loop by itself.
struct LoopFramework {
    std::vector<std::string> names;  // qualified
    std::string use;                 // what to use instead
};

struct LoopFrameworks : base::RuleFileHead {
    std::vector<LoopFramework> frameworks;
};

struct InstrumentFacts {
    std::map<std::string, Instrument, std::less<>> instruments;  // by the name of their file: "profiler"
    std::vector<LoopFramework> frameworks;

    static base::Result<InstrumentFacts> load(const base::DataStore& store);
};

constexpr auto record_of(const Instrument*) {
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "instrument",
        "lines of Python around a training loop; `{model}` is the model that it calls, or None",
        base::field("names", &Instrument::names,
                    "all names that the lines bind; a file that has one of them is refused"),
        base::field("excludes", &Instrument::excludes,
                    "qualified: a file that uses them has such a tool, and two do not go together"),
        base::field("before", &Instrument::before, "lines before the loop"),
        base::field("before_step", &Instrument::before_step, "lines in each round, before the step"),
        base::field("behind_step", &Instrument::behind_step, "and after it"),
        base::field("closes", &Instrument::closes, "the lines after the step also belong before what leaves it early"),
        base::field("message", &Instrument::message, "what they do, and what the user must do").always(),
        base::field("file", &Instrument::file,
                    "the name of a JSON file that they read, in the directory of the file with the loop"),
        base::field("file_lines", &Instrument::file_lines, "what is written into it where there is none yet"));
}
constexpr auto record_of(const LoopFramework*) {
    return base::record("loop_framework", "a library that runs the loop by itself",
                        base::field("names", &LoopFramework::names, "qualified").needed(),
                        base::field("use", &LoopFramework::use, "what to use instead").always());
}
constexpr auto record_of(const LoopFrameworks*) {
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "loop_frameworks",
        "libraries that run the loop by themselves",
        base::field("frameworks", &LoopFrameworks::frameworks, "each under all of its names").needed());
}

}  // namespace migrator
