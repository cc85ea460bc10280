// Pairs the operators of two profiles.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "migrator/compare/operator_tree.h"
#include "migrator/compare/sequence_match.h"

namespace migrator {

struct PairingOptions {
    ProfileNumbers numbers = ProfileNumbers::ours;
    std::map<std::string, std::string, std::less<>>
        names;                                 // of the base, and what they are called in the other profile
    bool by_shape = false;                     // operators are the same only with the same shapes
    bool without_details = false;              // no operator has a partner
    std::optional<std::uint64_t> max_kernels;  // pairs with more are taken apart
};

// Both are nodes of their trees; kNone: no partner.
std::vector<MatchedPair> pair_operators(const ProfileSide& base, const OperatorTree& base_tree,
                                        const ProfileSide& compared, const OperatorTree& tree,
                                        const PairingOptions& options);

// The shapes of inputs as the trace of an NPU writes them: "32,128;\r\n128,64".
std::string joined_shapes(std::string_view written);
// A value of JSON as Python shows it: "[[32, 128], [128, 64]]".
std::string python_text(std::string_view written);
// A number as Python shows it, with ".0" where it is whole.
std::string python_number(double value);

}  // namespace migrator
