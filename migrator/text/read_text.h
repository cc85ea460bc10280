// read_text: what a file that is no Python says.
#pragma once

#include <span>
#include <string>

#include "migrator/source/source_file.h"
#include "migrator/text/text_contents.h"

namespace migrator {

// `directives`: comments of scripts that are none: "#SBATCH". Time and memory grow with the text, whatever is in it.
TextContents read_text(FileType type, std::string_view text, std::span<const std::string> directives);

// Whether it is a script of a shell, or full of them: variables are set and read in it.
bool is_script(FileType type);

}  // namespace migrator
