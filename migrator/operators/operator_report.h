// OperatorReport: what becomes of the operators of an input on a chip, for a person and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "migrator/operators/operator_input.h"
#include "migrator/operators/operator_knowledge.h"

namespace migrator {

struct JudgedOperator {
    InputOperator input;
    OperatorJudgement judgement;
    double share = 0;                      // of the time of all operators, or of all calls where there are no times
    std::vector<OperatorVerdict> by_chip;  // the worse of both directions, in the order of the chips
};

// "97.9 %"; below 100 whatever is missing.
std::string percent_of(double share);

struct OperatorReport {
    std::string input;  // the file
    const ChipRow* chip = nullptr;
    std::string torch;
    OperatorInput read;                     // without the operators
    std::vector<JudgedOperator> operators;  // in the order of the input
    const ChipsFile* chips = nullptr;

    std::string text(const base::Language& say,
                     bool all) const;  // `all`: also a line for each operator that runs on the NPU
    std::string json() const;
    // What becomes of the whole input, as one sentence.
    std::string sentence(const base::Language& say) const;
    // What the verdicts rest on.
    std::string basis(const base::Language& say) const;
    // The operators that are as bad as the verdict, or worse.
    std::vector<const JudgedOperator*> at_or_above(OperatorVerdict verdict) const;
};

// `knowledge` must outlive it. `version`: empty: that which was measured.
OperatorReport judge_operators(OperatorInput input, const std::string& name, const OperatorKnowledge& knowledge,
                               const ChipRow& chip, std::optional<Version> version);

}  // namespace migrator
