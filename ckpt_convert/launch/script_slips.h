// What a script says that the shell reads otherwise, or that only the run knows. Private to this folder.
#pragma once

#include <optional>

#include "ckpt_convert/launch/script_reading.h"

namespace ckpt {

// Of an option at the beginning of a command: what cut it off from the command before it.
std::optional<ScriptSlip> cut_slip(std::string_view text, const ScriptPlace& begin, std::string_view word);

// Blanks behind a backslash, ends of lines of Windows. Gives whether one of them ends a command.
bool add_line_slips(std::string_view text, std::uint32_t file, std::vector<ScriptSlip>& slips);

enum class NotRead { unknown_place, not_found, unreadable };

// Of a script that another one sources, or starts.
ScriptSlip not_read_slip(const ScriptPlace& place, std::string_view file, NotRead why, bool is_sourced);

}  // namespace ckpt
