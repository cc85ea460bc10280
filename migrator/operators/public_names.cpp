#include "migrator/operators/public_names.h"

#include <iterator>

namespace migrator {

base::Result<std::vector<PublicNameRow>> load_told_names(const base::DataStore& store) {
    TRY_ASSIGN(NamesFile file, base::read_rule_record<NamesFile>(store, "rules/operators/names_told.json"));
    return std::move(file.names);
}

base::Result<std::vector<PublicNameRow>> load_public_names(const base::DataStore& store) {
    TRY_ASSIGN(NamesFile file, base::read_rule_record<NamesFile>(store, "rules/operators/names.json"));
    TRY_ASSIGN(std::vector<PublicNameRow> told, load_told_names(store));
    std::move(told.begin(), told.end(), std::back_inserter(file.names));
    return std::move(file.names);
}

}  // namespace migrator
