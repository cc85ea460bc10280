#include "migrator/profile/rank_kernels.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/string_map.h"

namespace migrator {
namespace {

// Each expert has an input and a weight of its own: x1; x2; w1; w2; list of groups. A gradient of weights has inputs that lie on their
// side, so that what differs between experts is their second axis.
std::optional<GroupedTokens> tokens_of_list(const std::vector<KernelShape>& inputs) {
    const auto matrices = static_cast<std::size_t>(
        std::ranges::find_if(inputs, [](const KernelShape& shape) { return shape.size() != 2; }) - inputs.begin());
    const std::size_t experts = matrices / 2;
    if (matrices == 0 || matrices % 2 != 0) return std::nullopt;
    bool are_first_equal = true, are_second_equal = true;
    for (std::size_t i = 0; i < experts; ++i) {
        const KernelShape &x = inputs[i], &weight = inputs[experts + i];
        if (x[1] != weight[0] && x[1] != weight[1]) return std::nullopt;
        are_first_equal = are_first_equal && x[0] == inputs[0][0];
        are_second_equal = are_second_equal && x[1] == inputs[0][1];
    }
    GroupedTokens out;
    const std::size_t axis = are_first_equal && !are_second_equal ? 1 : 0;
    for (std::size_t i = 0; i < experts; ++i) {
        out.of_experts.push_back(inputs[i][axis]);
        out.tokens += inputs[i][axis];
    }
    out.experts = static_cast<std::int64_t>(experts);
    return out;
}

}  // namespace

std::optional<GroupedTokens> grouped_tokens(std::vector<KernelShape> inputs, const std::vector<KernelShape>& outputs) {
    std::erase_if(inputs, [](const KernelShape& shape) { return shape.empty(); });
    if (inputs.size() < 2 || inputs[0].size() != 2) return std::nullopt;
    const KernelShape &x = inputs[0], &second = inputs[1];
    // The gradient of all weights: the axis that both inputs share is that of the tokens.
    if (second.size() == 2 && !outputs.empty() && outputs[0].size() == 3) {
        const std::int64_t tokens = x[1] == second[0] ? x[1] : x[0];
        return GroupedTokens{tokens, outputs[0][0], {}};
    }
    if (second.size() == 3) return GroupedTokens{x[0], second[0], {}};
    return tokens_of_list(inputs);
}

base::Result<RankKernels> read_rank_kernels(const ProfileSource& source, const KernelColumns& columns,
                                            const ProfileNames& names) {
    RankKernels out;
    TRY_ASSIGN(const auto table, source.table(ProfilePart::kernels));
    if (!table) return out;
    TableRows& rows = *table;
    const auto step = rows.column(columns.step), type = rows.column(columns.type), core = rows.column(columns.core),
               begin = rows.column(columns.begin), duration = rows.column(columns.duration),
               shapes = rows.column(columns.shapes), output_shapes = rows.column(columns.output_shapes);
    if (!begin || !duration)
        return base::fail(base::ErrorKind::bad_input,
                          base::format("it has no column {}, so that it is not a table of kernels",
                                       (begin ? columns.duration : columns.begin).front()),
                          source.path_of(ProfilePart::kernels));
    // Few different texts, so that each is looked at once.
    base::StringMap<bool> is_grouped, is_collective;
    const auto known = [](base::StringMap<bool>& of, std::string_view text, const auto& is) {
        const auto found = of.find(text);
        return found != of.end() ? found->second : of.emplace(std::string(text), is(lower_case(text))).first->second;
    };
    const auto is_of_experts = [&](const std::string& name) { return names.grouped_matmul_types.in(name); };
    const auto is_communication = [&](const std::string& name) { return names.communication_processes.is(name); };
    StepKernels* kernels = nullptr;
    std::string last_step;
    for (;;) {
        TRY_ASSIGN(const bool has_row, rows.next());
        if (!has_row) break;
        const double at = rows.number(begin), us = rows.number(duration);
        if (!std::isfinite(at) || !std::isfinite(us) || us < 0 || known(is_collective, rows[core], is_communication))
            continue;
        if (kernels == nullptr || rows[step] != last_step) {
            last_step = rows[step];
            kernels = &out.steps[last_step];
        }
        kernels->first_us = std::min(kernels->first_us.value_or(at), at);
        if (!known(is_grouped, rows[type], is_of_experts)) continue;
        const auto tokens = grouped_tokens(kernel_shapes(rows[shapes]), kernel_shapes(rows[output_shapes]));
        if (!tokens) continue;
        kernels->expert_calls.push_back({at, us, tokens->tokens});
        out.experts = std::max(out.experts, tokens->experts);
        if (out.tokens_of_experts.size() < tokens->of_experts.size())
            out.tokens_of_experts.resize(tokens->of_experts.size());
        for (std::size_t i = 0; i < tokens->of_experts.size(); ++i)
            out.tokens_of_experts[i] += static_cast<double>(tokens->of_experts[i]);
    }
    for (auto& [number, of_step] : out.steps) std::ranges::stable_sort(of_step.expert_calls, {}, &ExpertCall::begin_us);
    out.damage = rows.damage();
    return out;
}

}  // namespace migrator
