// ToldNames: the public names of torch of which an analysis says something on one chip: calls of theirs leave the NPU, or the
// API pages deny them (rules/operators/names_told.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"
#include "base/string_map.h"
#include "migrator/operators/instead.h"
#include "migrator/operators/operator_rows.h"

namespace migrator {

// What becomes of a name on the chip. "torch.optim.Adam(fused=True)" is told of calls with that argument alone.
struct ToldName {
    std::string keyword, value;  // of the argument; empty: of all calls
    VersionRange versions;       // of torch in which its operators have kernels; empty: all
    NameOn on;
};

class ToldNames {
public:
    // `chip`: as people call it; empty: the usual one. Fails with usage for a chip that there is not, else with rule_data.
    static base::Result<ToldNames> load(const base::DataStore& store, std::string_view chip);

    const ChipRow& chip() const { return chip_; }
    // By qualified name; nullptr: nothing is said of it.
    const std::vector<ToldName>* find(std::string_view name) const;
    const Instead& instead() const { return instead_; }

private:
    void add(const PublicNameRow& row);

    ChipRow chip_;
    base::StringMap<std::vector<ToldName>> by_name_;
    Instead instead_;
};

}  // namespace migrator
