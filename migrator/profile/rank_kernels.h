// RankKernels: what the table of kernels of one rank tells of a cluster: when a step computes, and the products of its experts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "migrator/profile/kernel_shapes.h"
#include "migrator/profile/profile_names.h"
#include "migrator/profile/profile_source.h"
#include "migrator/profile/profile_tables.h"

namespace migrator {

// One product of the tokens that came to the experts of a rank.
struct ExpertCall {
    double begin_us = 0, us = 0;
    std::int64_t tokens = 0;
};

struct StepKernels {
    std::optional<double> first_us;        // when the first kernel begins that is no collective
    std::vector<ExpertCall> expert_calls;  // by their begin
};

struct RankKernels {
    std::map<std::string, StepKernels> steps;  // by their number
    std::vector<double> tokens_of_experts;     // of all steps, where each expert has an input of its own
    std::int64_t experts = 0;                  // that the rank has; 0: not told
    std::string damage;                        // empty: the table is whole, or not there
};

// How many tokens a product of several matrices takes, and where each expert has an input of its own, of each.
struct GroupedTokens {
    std::int64_t tokens = 0, experts = 0;
    std::vector<std::int64_t> of_experts;
};
// nullopt: the shapes do not tell.
std::optional<GroupedTokens> grouped_tokens(std::vector<KernelShape> inputs, const std::vector<KernelShape>& outputs);

// A table that is not there says nothing. Fails with bad_input where it is no table.
base::Result<RankKernels> read_rank_kernels(const ProfileSource& source, const KernelColumns& columns,
                                            const ProfileNames& names);

}  // namespace migrator
