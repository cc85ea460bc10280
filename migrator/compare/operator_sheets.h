// Sheets of operators, of calls and of kernels.
#pragma once

#include "migrator/compare/operator_pairs.h"
#include "migrator/compare/sheet.h"

namespace migrator {

// Two profiles whose operators were paired. Sheets with a row for each pair make it from these when it is asked for.
struct PairedSides {
    const ProfileSide &base, &compared;
    const OperatorTree &base_tree, &tree;
    const std::vector<MatchedPair>& pairs;
};

// Each pair, with its kernels.
Sheet operator_sheet(const PairedSides& sides);
// By the name of the operator, the one that lost most first.
Sheet operator_statistic(const PairedSides& sides);
// What the host called.
Sheet api_sheet(const PairedSides& sides);
// Kernels of two NPUs by their type and the shapes of their inputs; without rows where a side has none.
Sheet kernel_sheet(const ProfileSide& base, const ProfileSide& compared);

// The largest difference first, with the numbers of rows; the difference is the last cell but one.
void sort_by_difference(std::vector<SheetRow>& rows);
// One line for each kernel.
std::string kernel_lines(const ProfileSide& side, const OperatorTree& tree, const std::vector<std::uint32_t>& kernels);
// Shapes or types as a cell: "N/A" where the trace says nothing.
Cell input_cell(const ProfileSide& side, TextNumber written);
// The headers of a sheet with the same columns for both sides.
std::vector<std::string> paired_headers(std::initializer_list<const char*> before,
                                        std::initializer_list<const char*> of_side,
                                        std::initializer_list<const char*> behind);

}  // namespace migrator
