// ChoiceFlag: what of a command line a choice is: "--recompute-granularity full", "without --use-flash-attn".
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/job/choices.h"

namespace ckpt {

// The value of a flag that is the number of the choice.
inline constexpr std::string_view kNumberOfChoice = "N";

struct ChoiceFlag {
    std::string name;                 // "--loss-chunk-size"; of YAML files "parallel.reduce_dtype"
    std::vector<std::string> values;  // see kNumberOfChoice
    bool is_without = false;          // the option is not there
    bool is_of_number = false;        // only where the choice has a number: in brackets
};

// What the engine's command line has for the choice. Empty: scripts cannot say it.
std::vector<ChoiceFlag> flags_of(const Choice& choice, Engine engine);

}  // namespace ckpt
