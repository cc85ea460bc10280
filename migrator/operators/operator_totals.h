// OperatorTotals: adds up how often each operator of an input is called with each dtype, and for how long.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "migrator/operators/operator_input.h"

namespace migrator {

class OperatorTotals {
public:
    void add(const std::string& name, const std::string& dtype, std::uint64_t count, double microseconds = 0) {
        const auto [place, is_new] = index_.try_emplace({name, dtype}, rows_.size());
        if (is_new) rows_.push_back({name, dtype, 0, 0});
        InputOperator& row = rows_[place->second];
        row.count += count;
        row.microseconds += microseconds;
    }
    // In the order in which they came.
    std::vector<InputOperator> take() && { return std::move(rows_); }

private:
    std::map<std::pair<std::string, std::string>, std::size_t> index_;
    std::vector<InputOperator> rows_;
};

}  // namespace migrator
