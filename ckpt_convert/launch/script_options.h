// options_in: the options among the words of a command. Private to this folder.
#pragma once

#include <vector>

#include "ckpt_convert/launch/script_reading.h"

namespace ckpt {

// Of the words from `begin` to `end`. `arguments` gets those before the first option; nullptr: nobody wants them. `is_open`
// becomes true where a word may be more options.
std::vector<ScriptOption> options_in(const std::vector<ScriptWord>& words, std::size_t begin, std::size_t end,
                                     std::vector<ScriptWord>* arguments, bool& is_open);

}  // namespace ckpt
