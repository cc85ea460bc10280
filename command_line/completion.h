// Scripts that make a shell complete the commands, options and values of a program.
#pragma once

#include <array>
#include <string_view>

#include "command_line/command_page.h"

namespace command_line {

inline constexpr std::array<std::string_view, 3> kShells{"bash", "zsh", "fish"};

// `shell`: one of kShells.
std::string completion_script(const CommandPage& page, std::string_view shell);

}  // namespace command_line
