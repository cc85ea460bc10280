#include "ckpt_convert/plan/source_fit.h"

#include <algorithm>
#include <map>

#include "base/format.h"

namespace ckpt {
namespace {

bool has_files(const MegatronCheckpoint& checkpoint, const ExpertParallel& experts) {
    auto ranks = stage_ranks(checkpoint.tp, experts);
    return ranks && ranks->size() == checkpoint.stage_size() &&
           std::equal(ranks->begin(), ranks->end(), checkpoint.ranks.begin(),
                      [](const StageRank& a, const MegatronRank& b) { return a.tp == b.tp && a.ep == b.ep; });
}

// Every way to deal experts out for which the files are there.
std::vector<ExpertParallel> possible_experts(const MegatronCheckpoint& checkpoint) {
    std::vector<ExpertParallel> out;
    const Json* etp = checkpoint.args.find("expert_tensor_parallel_size");
    const Json* extends = checkpoint.args.find("moe_tp_extend_ep");
    if (extends != nullptr && extends->boolean() != nullptr && *extends->boolean())
        out.push_back({checkpoint.ep, 0, true});
    if (etp != nullptr && etp->integer() != nullptr && *etp->integer() >= 1 && *etp->integer() <= checkpoint.tp)
        out.push_back({checkpoint.ep, static_cast<int>(*etp->integer()), false});
    out.push_back({checkpoint.ep, 0, false});
    out.push_back({checkpoint.ep, 0, true});
    for (int parts = 1; parts < checkpoint.tp; ++parts) {
        if (checkpoint.tp % parts == 0) out.push_back({checkpoint.ep, parts, false});
    }
    std::erase_if(out, [&](const ExpertParallel& experts) { return !has_files(checkpoint, experts); });
    return out;
}

using Shapes = std::map<std::pair<std::uint32_t, std::string_view>, const Shape*>;

// True when everything that is there is in the layout with its shape; with `all`, and every tensor of the layout is there.
bool has_shapes(const Shapes& shapes, const Layout& layout, bool all) {
    std::size_t used = 0;
    bool fits = std::all_of(layout.tensors.begin(), layout.tensors.end(), [&](const LayoutTensor& tensor) {
        auto found = shapes.find({tensor.file, tensor.name});
        if (found == shapes.end()) return tensor.optional || tensor.copy || !all;
        ++used;
        return *found->second == tensor.shape_in_file();
    });
    return fits && used == shapes.size();
}

}  // namespace

Result<ParallelLayout> fit_layout(const MegatronCheckpoint& checkpoint, const Model& model, const FoundLayout& found) {
    std::vector<ExpertParallel> experts{ExpertParallel{}};
    if (!checkpoint.torch_dist && (model.experts() > 0 || checkpoint.ep > 1)) experts = possible_experts(checkpoint);
    if (experts.empty()) {
        return base::fail(
            ErrorKind::bad_input,
            base::format("rank directories are missing: there are {} of each pipeline stage, which no split "
                         "of TP {} and EP {} has",
                         checkpoint.stage_size(), checkpoint.tp, checkpoint.ep),
            checkpoint.directory);
    }
    ParallelLayout first = found.parallel;
    first.experts = experts.front();
    if (experts.size() == 1 && found.dialects.size() == 1) return first;
    Shapes shapes;
    for (const IndexedTensor& tensor : checkpoint.index.tensors) {
        if (model.mapping().ignores(tensor.name)) continue;
        const SharedShape& whole = tensor.whole_shape.empty() ? tensor.shape : tensor.whole_shape;
        shapes[{checkpoint.torch_dist ? 0 : tensor.file, tensor.name}] = &whole.get();
    }
    // An adapter has some of the weights only.
    for (bool all : {true, false}) {
        for (const ExpertParallel& candidate : experts) {
            for (const Dialect& dialect : found.dialects) {
                ParallelLayout tried = found.parallel;
                tried.experts = candidate;
                tried.dialect = dialect;
                auto layout = mcore_layout(model, tried);
                if (layout && has_shapes(shapes, *layout, all)) return tried;
            }
        }
    }
    // Nothing fits in full; what is wrong shows when the tensors are matched one by one.
    return first;
}

}  // namespace ckpt
