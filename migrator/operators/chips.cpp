#include "migrator/operators/chips.h"

#include <algorithm>

#include "base/format.h"
#include "base/lower_case.h"
#include "base/nearest_word.h"
#include "base/text.h"

namespace migrator {

base::Result<ChipsFile> load_chips(const base::DataStore& store) {
    const std::string path = "rules/operators/chips.json";
    TRY_ASSIGN(ChipsFile chips, base::read_rule_record<ChipsFile>(store, path));
    if (find_chip(chips, chips.default_chip) != nullptr) return chips;
    return base::fail(base::ErrorKind::rule_data, base::format("the default chip {} is not listed", chips.default_chip),
                      path);
}

const ChipRow* find_chip(const ChipsFile& chips, std::string_view word) {
    const std::string small = base::lower_case(word);
    const auto found = std::find_if(chips.chips.begin(), chips.chips.end(), [&](const ChipRow& chip) {
        return chip.name == small || base::contains(chip.also, small);
    });
    return found == chips.chips.end() ? nullptr : &*found;
}

base::Result<const ChipRow*> chosen_chip(const ChipsFile& chips, std::string_view word) {
    if (const ChipRow* chip = find_chip(chips, word.empty() ? chips.default_chip : word)) return chip;
    std::vector<std::string> names;
    for (const ChipRow& chip : chips.chips) {
        names.push_back(chip.name);
        if (!chip.also.empty()) names.push_back(chip.also.front());
    }
    return base::fail(base::ErrorKind::usage,
                      base::format("unknown chip \"{}\"{}", word, base::did_you_mean_or_all(std::string(word), names)));
}

}  // namespace migrator
