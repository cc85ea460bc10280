// ImportIndex: the imports of a file by what they bind: a thousand of them are not looked at for each of a thousand uses.
#pragma once

#include <span>
#include <string_view>

#include "base/string_map.h"
#include "migrator/semantic/bindings.h"

namespace migrator {

class ImportIndex {
public:
    // The imports must outlive the index.
    explicit ImportIndex(std::span<const ImportedName> imports);

    // Some import binds `name` to what is called `qualified`.
    bool binds(std::string_view name, std::string_view qualified) const;
    // `import module` at the level of the module binds this name.
    bool binds_module(std::string_view name) const;
    // The name is bound by this import alone.
    bool is_bound_once(const ImportedName& import) const;
    // The first `import a.b` at the level of the module, not for type checking only, of a module that `qualified` is in,
    // or of one that has its first part in common; nullptr when there is none.
    const ImportedName* import_of(std::string_view qualified) const;

private:
    struct Bound {
        base::StringSet qualified;
        std::size_t imports = 0;
        bool is_module = false;
    };

    base::StringMap<Bound> bound_;
    base::StringMap<const ImportedName*> of_module_;  // plain imports that `import_of` may give: the first of a module
    base::StringMap<const ImportedName*> of_name_;    // ... and the first that binds its own first part
};

}  // namespace migrator
