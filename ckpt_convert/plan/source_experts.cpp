#include "ckpt_convert/plan/source_experts.h"

#include <algorithm>
#include <map>

#include "base/format.h"

namespace ckpt {
namespace {

using base::Result;

std::vector<ExpertParallel> candidates(const MegatronCheckpoint& checkpoint) {
    std::vector<ExpertParallel> out;
    const base::Json* etp = checkpoint.args.find("expert_tensor_parallel_size");
    const base::Json* extends = checkpoint.args.find("moe_tp_extend_ep");
    if (extends != nullptr && extends->boolean() != nullptr && *extends->boolean())
        out.push_back({checkpoint.ep, 0, true});
    if (etp != nullptr && etp->integer() != nullptr && *etp->integer() >= 1 && *etp->integer() <= checkpoint.tp)
        out.push_back({checkpoint.ep, static_cast<int>(*etp->integer()), false});
    out.push_back({checkpoint.ep, 0, false});
    out.push_back({checkpoint.ep, 0, true});
    for (int parts = 1; parts < checkpoint.tp; ++parts) {
        if (checkpoint.tp % parts == 0) out.push_back({checkpoint.ep, parts, false});
    }
    return out;
}

bool has_files(const MegatronCheckpoint& checkpoint, const std::vector<StageRank>& ranks) {
    return ranks.size() == checkpoint.stage_size() &&
           std::equal(ranks.begin(), ranks.end(), checkpoint.ranks.begin(),
                      [](const StageRank& a, const MegatronRank& b) { return a.tp == b.tp && a.ep == b.ep; });
}

using Shapes = std::map<std::pair<std::uint32_t, std::string_view>, const Shape*>;

// True when every tensor of the layout is in its file with its shape.
bool has_shapes(const Shapes& shapes, const Layout& layout) {
    return std::all_of(layout.tensors.begin(), layout.tensors.end(), [&](const LayoutTensor& tensor) {
        auto found = shapes.find({tensor.file, tensor.name});
        if (found == shapes.end()) return tensor.optional || tensor.copy;
        return *found->second == (tensor.file_shape.empty() ? tensor.shape : tensor.file_shape);
    });
}

}  // namespace

Result<ExpertParallel> find_expert_parallel(const MegatronCheckpoint& checkpoint, const Model& model,
                                            const ParallelLayout& parallel) {
    if (checkpoint.torch_dist || (model.experts() == 0 && checkpoint.ep == 1)) return ExpertParallel{};
    Shapes shapes;
    for (const IndexedTensor& tensor : checkpoint.index.tensors) shapes[{tensor.file, tensor.name}] = &tensor.shape;
    std::vector<ExpertParallel> possible;  // by the files alone
    for (const ExpertParallel& candidate : candidates(checkpoint)) {
        auto ranks = stage_ranks(checkpoint.tp, candidate);
        if (!ranks || !has_files(checkpoint, *ranks)) continue;
        possible.push_back(candidate);
        ParallelLayout tried = parallel;
        tried.experts = candidate;
        auto layout = mcore_layout(model, tried);
        if (layout && has_shapes(shapes, *layout)) return candidate;
    }
    // Nothing fits in full; what is wrong shows when the tensors are matched one by one.
    if (!possible.empty()) return possible.front();
    return base::fail(
        base::ErrorKind::bad_input,
        base::format("rank directories are missing: there are {} of each pipeline stage, which no split of TP "
                     "{} and EP {} has",
                     checkpoint.stage_size(), checkpoint.tp, checkpoint.ep),
        checkpoint.directory);
}

}  // namespace ckpt
