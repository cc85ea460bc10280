// OperatorTotals: adds up how often each operator of an input is called with each dtype, and for how long.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "migrator/operators/operator_input.h"

namespace migrator {

class OperatorTotals {
public:
    void add(const InputOperator& item) {
        const auto [place, is_new] = index_.try_emplace({item.name, item.dtype}, rows_.size());
        if (is_new) {
            rows_.push_back(item);
            return;
        }
        InputOperator& row = rows_[place->second];
        row.count += item.count;
        row.microseconds += item.microseconds;
        row.dimensions = std::max(row.dimensions, item.dimensions);
    }
    // In the order in which they came.
    std::vector<InputOperator> take() && { return std::move(rows_); }

private:
    std::map<std::pair<std::string, std::string>, std::size_t> index_;
    std::vector<InputOperator> rows_;
};

}  // namespace migrator
