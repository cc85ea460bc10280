#include "migrator/python/match_context.h"

#include <algorithm>

namespace migrator {

bool imports_module(const Bindings& bindings, std::string_view module) {
    const auto imports = bindings.imports();
    return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& import) {
        return !import.type_checking_only && (is_within(import.module, module) || import.qualified() == module);
    });
}

bool loads_framework(const Bindings& bindings, const MatchContext& context) {
    const auto& loaders = context.rules->framework.loaded_by;
    const std::string& helper = context.rules->style.helper;
    if (!helper.empty() && imports_module(bindings, helper)) return true;
    return context.loads_framework || std::any_of(loaders.begin(), loaders.end(), [&](const std::string& module) {
               return imports_module(bindings, module);
           });
}

}  // namespace migrator
