// The operators that are known, listed, filtered, and compared between two chips or two versions of torch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "migrator/operators/operator_knowledge.h"

namespace migrator {

struct OperatorSide {
    const ChipRow* chip = nullptr;
    std::optional<Version> version;  // of torch; empty: that which was measured
};

struct OperatorFilter {
    std::vector<std::string> words;          // an operator has one of them in its name; empty: all
    std::optional<OperatorVerdict> verdict;  // on one of the sides; empty: any
};

struct ListedOperator {
    std::string name;
    OperatorJudgement here;
    std::optional<OperatorJudgement> there;
};

struct OperatorList {
    OperatorSide here;
    std::optional<OperatorSide> there;
    std::string torch;  // that was measured
    std::vector<ListedOperator> operators;

    std::string text(const base::Language& say) const;
    std::string json() const;
};

// With `there`: only the operators whose verdicts differ. `knowledge` must outlive it.
OperatorList list_operators(const OperatorKnowledge& knowledge, const OperatorSide& here,
                            const std::optional<OperatorSide>& there, const OperatorFilter& filter);

}  // namespace migrator
