#include "migrator/python/import_index.h"

#include <algorithm>

namespace migrator {

ImportIndex::ImportIndex(std::span<const ImportedName> imports) {
    for (const ImportedName& import : imports) {
        Bound& bound = bound_[import.bound_name];
        bound.qualified.insert(import.qualified());
        ++bound.imports;
        if (!import.name.empty() || import.scope != kModuleScope) continue;
        bound.is_module = true;
        if (import.type_checking_only) continue;
        of_module_.emplace(import.module, &import);
        // Under another name it may be anything.
        const bool own_name = import.bound_name == std::string_view(import.module).substr(0, import.module.find('.'));
        if (own_name) of_name_.emplace(import.bound_name, &import);
    }
}

bool ImportIndex::binds(std::string_view name, std::string_view qualified) const {
    const auto found = bound_.find(name);
    return found != bound_.end() && found->second.qualified.contains(qualified);
}

bool ImportIndex::binds_module(std::string_view name) const {
    const auto found = bound_.find(name);
    return found != bound_.end() && found->second.is_module;
}

bool ImportIndex::is_bound_once(const ImportedName& import) const {
    const auto found = bound_.find(import.bound_name);
    return found != bound_.end() && found->second.imports == 1;
}

const ImportedName* ImportIndex::import_of(std::string_view qualified) const {
    const ImportedName* first = nullptr;
    // They lie in the order of the source.
    const auto consider = [&](const base::StringMap<const ImportedName*>& imports, std::string_view name) {
        const auto found = imports.find(name);
        if (found != imports.end() && (first == nullptr || found->second < first)) first = found->second;
    };
    consider(of_name_, qualified.substr(0, qualified.find('.')));
    for (std::size_t dot = qualified.find('.'); dot != qualified.npos; dot = qualified.find('.', dot + 1))
        consider(of_module_, qualified.substr(0, dot));
    return first;
}

}  // namespace migrator
