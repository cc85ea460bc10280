#include "ckpt_convert/memory/fitting_layouts.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ckpt {
namespace {

// Stages whose sizes differ by one where layers do not divide; the last ones, which wait least, have more.
std::vector<std::uint32_t> even_list(std::int64_t layers, int stages) {
    if (layers % stages == 0) return {};
    std::vector<std::uint32_t> out(static_cast<std::size_t>(stages), static_cast<std::uint32_t>(layers / stages));
    for (std::int64_t i = 0; i < layers % stages; ++i) ++out[out.size() - 1 - static_cast<std::size_t>(i)];
    return out;
}

}  // namespace

std::vector<TrainingJob> possible_layouts(const ModelShape& model, const TrainingJob& job) {
    std::vector<TrainingJob> out;
    const std::int64_t devices = job.ranks.devices, layers = static_cast<std::int64_t>(model.layer_count());
    const std::int64_t heads = std::max<std::int64_t>(model.layer(0).heads, 1);
    for (const int tp : divisors(std::gcd(devices, heads), job.ranks.per_node)) {
        for (const int pp : divisors(devices / tp, layers)) {
            if (devices % (std::int64_t{tp} * pp * job.ranks.cp) != 0) continue;
            const std::int64_t experts = model.moe.experts > 0 ? std::gcd(devices / pp, model.moe.experts) : 1;
            for (const int ep : divisors(experts, experts)) {
                TrainingJob candidate = job;
                candidate.ranks.tp = tp;
                candidate.ranks.pp = pp;
                candidate.ranks.experts.ep = ep;
                if (model.moe.experts > 0) candidate.ranks.experts.etp = 1;
                candidate.ranks.sequence_parallel = tp > 1;
                candidate.ranks.layers_per_stage = even_list(layers, pp);
                if (candidate.batch.global == 0)
                    candidate.batch.global = candidate.batch.micro * candidate.ranks.dp() * pp;
                out.push_back(candidate);
                if (job.memory.recompute != Recompute::none) continue;
                candidate.memory.recompute = Recompute::uniform;
                out.push_back(std::move(candidate));
            }
        }
    }
    const auto cost = [](const TrainingJob& plan) {
        const Parallelism& ranks = plan.ranks;
        return std::tuple(ranks.tp * ranks.pp, plan.memory.recompute != Recompute::none, ranks.ep(), ranks.pp);
    };
    std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
    return out;
}

}  // namespace ckpt
