// ProjectModules: which module an import statement means, when it may be one of the project's own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "migrator/semantic/bindings.h"

namespace migrator {

struct ResolvedModule {
    std::string name;  // absolute where it can be known
    Origin origin = Origin::external;
};

// Whether it is a directory of modules without an __init__.py. Other installed packages may add to it.
bool is_namespace_package(const ModuleContext& context, std::string_view module);

// `dotted` as an import statement has it, with the leading dots of a relative import.
ResolvedModule resolve_module(const ModuleContext& context, std::string_view dotted);

}  // namespace migrator
