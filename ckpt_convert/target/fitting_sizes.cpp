#include "ckpt_convert/target/fitting_sizes.h"

#include <set>

#include "base/format.h"

namespace ckpt {
namespace {

constexpr int kLargestTried = 64;

// What does not fit of the sizes of one kind, the others being 1.
std::set<std::string> misfits_of(const Knowledge& knowledge, const Model& model, const ConvertOptions& options) {
    auto target = megatron_target(knowledge, model, options);
    if (!target) return {target.error().message};
    auto found = misfits(model, target->parallel);
    if (!found) return {found.error().message};
    return std::move(*found);
}

// The options with no sizes but what `keep` takes over.
template <class Keep>
ConvertOptions with_sizes(const ConvertOptions& options, const Keep& keep) {
    ConvertOptions out = options;
    out.topology = {};
    out.topology.kv_sharing = options.topology.kv_sharing;
    keep(out.topology);
    return out;
}

}  // namespace

base::Error with_fitting_sizes(base::Error error, const Knowledge& knowledge, const Model& model,
                               const ConvertOptions& options) {
    if (error.kind != ErrorKind::usage) return error;
    const Topology& asked = options.topology;
    const auto tp_only = [&](int tp) { return with_sizes(options, [&](Topology& sizes) { sizes.tp = tp; }); };
    const auto experts_only = [&](int ep) {
        return with_sizes(options, [&](Topology& sizes) {
            sizes.experts = asked.experts;
            sizes.experts.ep = ep;
        });
    };
    const auto stages_only = with_sizes(options, [&](Topology& sizes) {
        sizes = asked;
        sizes.tp = 1;
        sizes.experts = {};
    });
    if (!misfits_of(knowledge, model, tp_only(1)).empty()) return error;  // whatever the sizes are
    std::vector<std::string> problems;
    const auto add = [&](const char* kind, int size, const auto& with) {
        const auto found = misfits_of(knowledge, model, with(size));
        problems.insert(problems.end(), found.begin(), found.end());
        std::vector<int> fitting;
        for (int tried = 1; !found.empty() && tried <= kLargestTried; ++tried) {
            if (misfits_of(knowledge, model, with(tried)).empty()) fitting.push_back(tried);
        }
        if (fitting.size() > 1)
            problems.push_back(base::format("{} sizes that fit: {}", kind, base::joined(fitting, ", ")));
    };
    add("TP", asked.tp, tp_only);
    if (asked.experts.ep > 1) add("EP", asked.experts.ep, experts_only);
    if (problems.empty()) return error;
    const auto of_stages = misfits_of(knowledge, model, stages_only);
    problems.insert(problems.end(), of_stages.begin(), of_stages.end());
    error.message = base::joined(problems, "; ");
    return error;
}

}  // namespace ckpt
