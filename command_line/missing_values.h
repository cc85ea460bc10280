// Values of options that are missing: an empty one, which a script forgot, or the next option in its place.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace command_line {

// The option says what an empty value means.
void allow_empty(CLI::Option& option);

// After all options are added. `words`: of the command line.
void refuse_missing_values(CLI::App& app, const std::vector<std::string>& words);

}  // namespace command_line
