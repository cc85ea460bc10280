// notebook_exports: what the cells of a notebook put into the environment of the programs that it starts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "migrator/source/notebook.h"
#include "migrator/start/script_exports.h"

namespace migrator {

// `line`: of the notebook's shell text, with the command. %env and os.environ["A"] = "1" of cells above it, and what the command's
// own line or shell cell exports: `!export A=1` is gone with its line.
std::vector<ScriptAssignment> notebook_exports(const NotebookCode& code, std::string_view json, std::uint32_t line);

}  // namespace migrator
