#include "migrator/app/chip_coverage.h"

#include <set>
#include <string>

#include "migrator/operators/operator_knowledge.h"

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

}  // namespace

base::Result<std::vector<ChipCoverageRow>> chip_coverage(const base::DataStore& store,
                                                         const std::vector<JobFacts>& facts) {
    std::set<std::string> used;
    for (const JobFacts& file : facts) used.insert(file.interfaces.begin(), file.interfaces.end());
    std::vector<ChipCoverageRow> rows;
    if (used.empty()) return rows;
    TRY_ASSIGN(const OperatorKnowledge knowledge, OperatorKnowledge::load(store));
    // What is no operator, such as torch.save, is the business of no chip.
    std::erase_if(used, [&](const std::string& name) { return knowledge.find_name(name) == nullptr; });
    if (used.empty()) return rows;
    for (const ChipRow& chip : knowledge.chips().chips) {
        ChipCoverageRow row{chip.name, chip.product};
        for (const std::string& name : used) count_verdict(knowledge.judge(name, {}, chip, {}).worst(), row);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace migrator
