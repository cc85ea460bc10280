#include "migrator/operators/instead.h"

#include "migrator/operators/operator_rows.h"

namespace migrator {

base::Result<Instead> Instead::load(const base::DataStore& store) {
    TRY_ASSIGN(const InsteadFile file, base::read_rule_record<InsteadFile>(store, "rules/operators/instead.json"));
    Instead out;
    for (const InsteadRow& row : file.instead) {
        for (const std::string& name : row.of) out.by_operator_.emplace(name, row.text);
    }
    return out;
}

std::string_view Instead::of(std::string_view name) const {
    const auto found = by_operator_.find(name.substr(0, name.find('.')));
    return found == by_operator_.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace migrator
