// Empty values of options: what a script forgot, so errors, but where an option says what an empty value means.
#pragma once

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace command_line {

// The option says what an empty value means.
void allow_empty(CLI::Option& option);

// After all options are added.
void refuse_empty_values(CLI::App& app);

}  // namespace command_line
