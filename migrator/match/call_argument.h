// call_argument: the value of an argument of a call, by position or keyword. Private to this folder.
#pragma once

#include <optional>
#include <string_view>

#include "migrator/python/python_file.h"

namespace migrator {

// kNoNode: it is not written.
NodeId call_argument(const SyntaxTree& tree, NodeId call, std::optional<std::size_t> position,
                     std::string_view keyword);

}  // namespace migrator
