// entry_points: the commands that a Python package installs, as pyproject.toml, setup.cfg and setup.py name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"

namespace migrator {

struct EntryPoint {
    std::string command;   // "toy"
    std::string module;    // "toy.cli" of "toy.cli:main"
    std::string function;  // "main"; empty: what the module does when it is loaded
    std::uint32_t line = 0;
};

// `file`: where the text is from; none of another name. In the order of the text.
std::vector<EntryPoint> entry_points(const base::Path& file, std::string_view text);

// The sets of packages that a pyproject.toml offers by name: "npu" of `npu = ["torch-npu"]`.
std::vector<std::string> package_extras(const base::Path& file, std::string_view text);

}  // namespace migrator
