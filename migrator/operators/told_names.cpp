#include "migrator/operators/told_names.h"

#include "base/text.h"
#include "migrator/operators/chips.h"
#include "migrator/operators/public_names.h"

namespace migrator {

base::Result<ToldNames> ToldNames::load(const base::DataStore& store, std::string_view chip) {
    TRY_ASSIGN(const ChipsFile chips, load_chips(store));
    TRY_ASSIGN(const ChipRow* chosen, chosen_chip(chips, chip));
    TRY_ASSIGN(const std::vector<PublicNameRow> names, load_told_names(store));
    ToldNames out;
    TRY_ASSIGN(out.instead_, Instead::load(store));
    out.chip_ = *chosen;
    for (const PublicNameRow& row : names) out.add(row);
    return out;
}

void ToldNames::add(const PublicNameRow& row) {
    for (const NameOn& on : row.on) {
        if (!base::contains(on.chips, chip_.name)) continue;
        ToldName told{{}, {}, row.versions, on};
        std::string name = row.name;
        if (const std::size_t open = name.find('('); open != name.npos) {
            const std::size_t equals = name.find('=', open);
            told.keyword = name.substr(open + 1, equals - open - 1);
            told.value = name.substr(equals + 1, name.size() - equals - 2);
            name.resize(open);
        }
        by_name_[name].push_back(told);
        if (!row.also.empty()) by_name_[row.also].push_back(std::move(told));
    }
}

const std::vector<ToldName>* ToldNames::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &found->second;
}

}  // namespace migrator
