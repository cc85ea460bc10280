// What a device, or a use of CUDA, is to the code around it, in programs that choose the device by themselves. Private to this
// folder.
#pragma once

#include <string>

#include "migrator/match/adapted_code.h"
#include "migrator/python/finding.h"
#include "migrator/python/python_file.h"

namespace migrator {

// The text that the node is, or is a part of; kNoNode: none.
NodeId literal_at(const SyntaxTree& tree, NodeId node);

// Whether what the name becomes only asks whether there is a device.
bool asks_for_device(const PythonFile& file, const Finding& finding);

// Whether the text is the device that is used, and not one of several, or what is taken where nothing else is said.
bool is_handed_over(const PythonFile& file, const Finding& finding, NodeId literal);

// Whether it makes an attribute of a class, or a member of an enumeration.
bool is_of_class(const SyntaxTree& tree, NodeId assignment);

// Whether it is the default of a parameter or of an attribute of a class, a value of a table, or a part of a longer text.
bool is_assumed(const SyntaxTree& tree, NodeId use);

// Whether a function of the project gave what the use is of: `get_torch_device().synchronize()`.
bool is_given_by_project(const PythonFile& file, NodeId use);

// Whether the code only names it: to compare with it, in a list, as a type, to import it, to set it; or calls what does
// nothing without CUDA. `assert x.is_cuda` asks for more.
bool is_only_named(const PythonFile& file, const Finding& finding);

// What a person gives the program where the text of the finding is only what it takes otherwise: "--device npu"; empty: it
// is not.
std::string told_instead(const PythonFile& file, const AdaptedCode& adapted, const Finding& finding);

}  // namespace migrator
