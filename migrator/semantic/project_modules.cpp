#include "migrator/semantic/project_modules.h"

#include <algorithm>

namespace migrator {
namespace {

bool holds_modules(const ModuleContext& context, std::string_view module) {
    const std::string inside = std::string(module) + ".";
    const auto first = std::ranges::lower_bound(context.project_modules, inside);
    return first != context.project_modules.end() && first->starts_with(inside);
}

// Is it listed, or a directory that holds listed modules (a namespace package)?
bool is_project_module(const ModuleContext& context, std::string_view module) {
    return std::ranges::binary_search(context.project_modules, module, std::less<>{}) || holds_modules(context, module);
}

bool is_package(const ModuleContext& context, std::string_view module) {
    return std::ranges::binary_search(context.project_packages, module, std::less<>{});
}

// Whether or not a file of the module is there: one may be made by a build.
bool is_in_package(const ModuleContext& context, std::string_view module) {
    return is_package(context, module.substr(0, module.find('.')));
}

std::string_view parent_package(std::string_view module) {
    const std::size_t dot = module.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : module.substr(0, dot);
}

ResolvedModule resolve_relative(const ModuleContext& context, std::string_view dotted) {
    const std::size_t level = std::min(dotted.find_first_not_of('.'), dotted.size());
    const std::string_view rest = dotted.substr(level);
    std::string_view package = context.module_name;
    if (!context.is_package) package = parent_package(package);
    for (std::size_t i = 1; i < level && !package.empty(); ++i) package = parent_package(package);
    // Unknown, or above the project's root.
    if (package.empty()) return {std::string(dotted), Origin::project};
    std::string name(package);
    if (!rest.empty()) name += '.';
    name += rest;
    return {std::move(name), Origin::project};
}

}  // namespace

bool is_namespace_package(const ModuleContext& context, std::string_view module) {
    return !is_package(context, module) && holds_modules(context, module);
}

ResolvedModule resolve_module(const ModuleContext& context, std::string_view dotted) {
    if (dotted.starts_with('.')) return resolve_relative(context, dotted);
    if (is_project_module(context, dotted) || is_in_package(context, dotted))
        return {std::string(dotted), Origin::project};
    // A script sees its own directory: in src/train.py `import utils` is src/utils.py. Inside a package Python does
    // not look there, so a backends/torch.py beside a backends/__init__.py does not hide the real torch.
    for (std::string_view around = parent_package(context.module_name); !around.empty();
         around = parent_package(around)) {
        if (is_package(context, around)) continue;
        std::string candidate(around);
        candidate += '.';
        const std::size_t top = std::min(dotted.find('.'), dotted.size()) + candidate.size();
        candidate += dotted;
        const bool is_of_package = is_package(context, std::string_view(candidate).substr(0, top));
        if (is_of_package || is_project_module(context, candidate)) return {std::move(candidate), Origin::project};
    }
    return {std::string(dotted), Origin::external};
}

}  // namespace migrator
