#include "migrator/profile/expert_load.h"

#include <algorithm>
#include <numeric>

#include "base/number_text.h"

namespace migrator {
namespace {

constexpr std::size_t kShownPasses = 20;

double sum_of(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double factor_of(const std::vector<double>& values) {
    const double mean = sum_of(values) / static_cast<double>(values.size());
    return mean > 0 ? std::ranges::max(values) / mean : 1;
}

bool has_experts(const NamedKernels& rank) {
    return std::ranges::any_of(rank.kernels.steps, [](const auto& step) { return !step.second.expert_calls.empty(); });
}

using Ranks = std::vector<const NamedKernels*>;

// The same step of all ranks, call by call. False: they have other numbers of calls, so that it cannot be told what belongs together.
bool add_passes(const Ranks& ranks, const std::string& step, std::vector<ExpertPass>& out) {
    std::vector<const std::vector<ExpertCall>*> calls;
    for (const NamedKernels* rank : ranks) {
        const auto found = rank->kernels.steps.find(step);
        if (found == rank->kernels.steps.end()) return false;
        calls.push_back(&found->second.expert_calls);
        if (calls.back()->size() != calls.front()->size()) return false;
    }
    std::size_t number = 0;
    for (std::size_t i = 0; i < calls.front()->size(); ++i) {
        std::vector<double> tokens;
        for (const auto* of_rank : calls) tokens.push_back(static_cast<double>((*of_rank)[i].tokens));
        if (number == 0 || tokens != out.back().tokens)
            out.push_back({step, ++number, tokens, std::vector<double>(ranks.size()), factor_of(tokens)});
        for (std::size_t rank = 0; rank < calls.size(); ++rank) out.back().micros[rank] += (*calls[rank])[i].us;
    }
    return true;
}

double spread_of(const ExpertPass& pass) {
    const auto [least, most] = std::ranges::minmax(pass.tokens);
    return most - least;
}

void add_waits(ExpertGroup& group) {
    double most = 0, mean = 0;
    for (ExpertRank& rank : group.ranks) rank.waits_ms = 0;
    for (const ExpertPass& pass : group.passes) {
        const double longest = std::ranges::max(pass.micros);
        for (std::size_t i = 0; i < group.ranks.size(); ++i)
            *group.ranks[i].waits_ms += (longest - pass.micros[i]) / 1e3;
        most += std::ranges::max(pass.tokens);
        mean += sum_of(pass.tokens) / static_cast<double>(pass.tokens.size());
    }
    if (mean > 0) group.factor = most / mean;
}

ExpertGroup load_of(const Ranks& ranks, bool is_guessed) {
    ExpertGroup out;
    out.is_guessed = is_guessed;
    std::set<std::string> steps;
    std::vector<double> tokens;
    for (const NamedKernels* rank : ranks) {
        ExpertRank item{rank->name, 0, 0, {}, rank->kernels.tokens_of_experts, rank->kernels.experts};
        for (const auto& [step, kernels] : rank->kernels.steps) {
            if (!kernels.expert_calls.empty()) steps.insert(step);
            for (const ExpertCall& call : kernels.expert_calls) {
                item.tokens += static_cast<double>(call.tokens);
                item.ms += call.us / 1e3;
            }
        }
        tokens.push_back(item.tokens);
        out.ranks.push_back(std::move(item));
    }
    out.factor = factor_of(tokens);
    const bool is_told =
        std::ranges::all_of(steps, [&](const std::string& step) { return add_passes(ranks, step, out.passes); });
    if (!is_told) {
        out.passes.clear();
        return out;
    }
    add_waits(out);
    out.all_passes = out.passes.size();
    std::ranges::stable_sort(out.passes, std::greater(), spread_of);
    if (out.passes.size() > kShownPasses) out.passes.resize(kShownPasses);
    return out;
}

}  // namespace

const ExpertRank& ExpertGroup::most() const { return *std::ranges::max_element(ranks, {}, &ExpertRank::tokens); }
const ExpertRank& ExpertGroup::least() const { return *std::ranges::min_element(ranks, {}, &ExpertRank::tokens); }

std::vector<ExpertGroup> expert_load(const std::vector<NamedKernels>& ranks, const RankGroups& groups) {
    Ranks with_experts;
    for (const NamedKernels& rank : ranks) {
        if (has_experts(rank)) with_experts.push_back(&rank);
    }
    std::vector<ExpertGroup> out;
    for (const RankGroup& group : groups.experts) {
        Ranks in_group;
        for (const NamedKernels* rank : with_experts) {
            const auto number = base::number_in<std::uint64_t>(rank->name);
            if (number && std::ranges::find(group, *number) != group.end()) in_group.push_back(rank);
        }
        if (in_group.size() > 1) out.push_back(load_of(in_group, false));
    }
    if (groups.experts.empty() && with_experts.size() > 1) out.push_back(load_of(with_experts, true));
    return out;
}

}  // namespace migrator
