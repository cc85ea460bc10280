// TimeParts: the lines of the overall sheet that a profile's time is made of, each once.
#pragma once

#include <string>
#include <vector>

#include "base/language.h"
#include "migrator/compare/sheet.h"

namespace migrator {

// In milliseconds.
struct TimePart {
    std::string name;
    double base = 0, compared = 0;

    double more() const { return compared - base; }
};

// The parts can be more than the whole: kernels run beside each other. Groups of communication overlap, so that it is one part.
struct TimeParts {
    TimePart whole;
    std::vector<TimePart> parts;  // in the order of the sheet

    // What makes the parts' sum the whole; at most 0.
    TimePart side_by_side() const;
    // The parts that take more time, the worst first.
    std::vector<TimePart> losses() const;
};

TimeParts time_parts(const Sheet& overall);

// How much longer the new profile takes, as a sentence.
std::string difference_line(const base::Language& say, const TimeParts& times);

}  // namespace migrator
