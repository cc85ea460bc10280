#include "migrator/app/chip_coverage.h"

#include <set>
#include <string>

#include "base/text.h"
#include "migrator/operators/chips.h"
#include "migrator/operators/public_names.h"

namespace migrator {
namespace {

void count_verdict(OperatorVerdict verdict, ChipCoverageRow& row) {
    switch (verdict) {
        case OperatorVerdict::npu_native:
        case OperatorVerdict::npu_aclnn: ++row.on_npu; break;
        case OperatorVerdict::npu_aclop: ++row.recompiled; break;
        case OperatorVerdict::cpu_fallback: ++row.on_cpu; break;
        case OperatorVerdict::dtype_refused:
        case OperatorVerdict::refused: ++row.refused; break;
        case OperatorVerdict::unknown: ++row.unknown; break;
    }
}

void count_name(const PublicNameRow& name, ChipCoverageRow& row) {
    for (const NameOn& on : name.on) {
        if (base::contains(on.chips, row.chip)) count_verdict(on.worst(), row);
    }
}

}  // namespace

base::Result<std::vector<ChipCoverageRow>> chip_coverage(const base::DataStore& store,
                                                         const std::vector<JobFacts>& facts) {
    std::set<std::string> used;
    for (const JobFacts& file : facts) used.insert(file.interfaces.begin(), file.interfaces.end());
    std::vector<ChipCoverageRow> rows;
    if (used.empty()) return rows;
    TRY_ASSIGN(const ChipsFile chips, load_chips(store));
    for (const ChipRow& chip : chips.chips) rows.push_back({chip.name, chip.product});
    TRY_ASSIGN(std::vector<PublicNameRow> names, load_public_names(store));
    // What is no operator, such as torch.save, is the business of no chip.
    std::erase_if(names, [&](const auto& row) { return !used.contains(row.name) && !used.contains(row.also); });
    if (names.empty()) rows.clear();
    for (ChipCoverageRow& row : rows) {
        for (const PublicNameRow& name : names) count_name(name, row);
    }
    return rows;
}

}  // namespace migrator
