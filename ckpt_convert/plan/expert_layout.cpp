#include "ckpt_convert/plan/expert_layout.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/format.h"

namespace ckpt {
namespace {

int parts_of(int tp, const ExpertParallel& experts) {
    if (experts.tp_extends_ep) return 1;
    return experts.etp == 0 ? tp : experts.etp;
}

}  // namespace

std::int64_t stage_size(int tp, const ExpertParallel& experts) {
    if (experts.tp_extends_ep) return std::int64_t{tp} * experts.ep;
    return std::lcm(std::int64_t{tp}, std::int64_t{parts_of(tp, experts)} * experts.ep);
}

Result<std::vector<StageRank>> stage_ranks(int tp, const ExpertParallel& experts) {
    std::vector<StageRank> out;
    if (experts.tp_extends_ep) {
        for (int ep = 0; ep < experts.ep; ++ep) {
            for (int rank = 0; rank < tp; ++rank) out.push_back({rank, ep, 0});
        }
        return out;
    }
    // Megatron numbers the ranks of a stage by TP, and once more by expert TP, then EP.
    int etp = parts_of(tp, experts);
    for (std::int64_t rank = 0; rank < stage_size(tp, experts); ++rank) {
        out.push_back(
            {static_cast<int>(rank % tp), static_cast<int>(rank / etp % experts.ep), static_cast<int>(rank % etp)});
    }
    std::sort(out.begin(), out.end(), [](const StageRank& a, const StageRank& b) {
        return std::tie(a.ep, a.tp, a.etp) < std::tie(b.ep, b.tp, b.etp);
    });
    out.erase(std::unique(out.begin(), out.end()), out.end());
    for (std::size_t i = 1; i < out.size(); ++i) {
        if (out[i].tp != out[i - 1].tp || out[i].ep != out[i - 1].ep) continue;
        return base::fail(ErrorKind::unsupported,
                          base::format("with TP {}, EP {} and expert TP {} two ranks have one file name in the torch "
                                       "format and different parts of the experts; expert TP must divide TP, or use "
                                       "--ckpt-format torch_dist",
                                       tp, experts.ep, etp));
    }
    return out;
}

std::vector<StateOwner> state_owners(int tp, const ExpertParallel& experts) {
    auto ranks = stage_ranks(tp, experts);
    std::int64_t etp = parts_of(tp, experts);
    std::vector<StateOwner> out(ranks->size());
    for (std::int64_t rank = 0; rank < stage_size(tp, experts); ++rank) {
        auto file = std::find_if(ranks->begin(), ranks->end(), [&](const StageRank& known) {
            return known.tp == rank % tp && known.ep == rank / etp % experts.ep;
        });
        StateOwner& owner = out[static_cast<std::size_t>(file - ranks->begin())];
        owner.dense |= rank < tp;
        owner.experts |= rank < etp * experts.ep;
    }
    return out;
}

Result<ExpertShare> expert_share(std::uint32_t experts, int tp, const ExpertParallel& parallel, const StageRank& rank) {
    int groups = parallel.ep * (parallel.tp_extends_ep ? tp : 1);
    if (experts == 0 && (parallel.ep > 1 || parallel.tp_extends_ep))
        return base::fail(ErrorKind::usage, "--ep requires a mixture-of-experts model, and this one is dense");
    if (experts % static_cast<std::uint32_t>(groups) != 0) {
        return base::fail(ErrorKind::usage,
                          base::format("{} {} does not divide the {} experts of the model",
                                       parallel.tp_extends_ep ? "EP times TP" : "EP", groups, experts));
    }
    ExpertShare out;
    out.count = experts / static_cast<std::uint32_t>(groups);
    int group = parallel.tp_extends_ep ? rank.ep * tp + rank.tp : rank.ep;
    out.first = static_cast<std::uint32_t>(group) * out.count;
    out.parts = static_cast<std::uint64_t>(parts_of(tp, parallel));
    out.index = static_cast<std::uint64_t>(rank.etp);
    return out;
}

}  // namespace ckpt
