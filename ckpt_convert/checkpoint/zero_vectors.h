// ZeroVectors: what the data parallel ranks of one DeepSpeed engine have of its optimizer together.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/zero_files.h"
#include "ckpt_convert/checkpoint/zero_tables.h"

namespace ckpt {

struct ZeroVectors {
    // The float32 copies of the weights, then "optimizer.state.WEIGHT.MOMENT".
    std::vector<TorchDistTensor> tensors;
    std::size_t weights = 0;              // how many of the tensors
    std::map<double, std::string> steps;  // see ShardedCheckpoint
    std::vector<ShardedGroup> groups;
    std::vector<std::shared_ptr<const TorchFile>> owners;  // of the settings in the groups
    bool by_parameter = false;                             // ZeRO 3
};

// Which experts a rank has, in groups of parameters that fewer ranks share than there are.
enum class ExpertOrder {
    ranks_in_turn,  // the first, the second, ..., and again from the first
    data_first      // those that have the same are next to each other
};

// By what a file of the model says of its run.
ExpertOrder expert_order(const OpenedFile& model);

// `shapes`: of the parameters, by flat group. `optimizers`: names of files, by rank. Experts, which the shapes number by rank, get
// their numbers in the model. Fails with bad_input when the files do not fit the shapes.
Result<ZeroVectors> read_zero_vectors(ZeroFiles& files, const std::vector<NamedShapes>& shapes,
                                      const std::vector<std::string>& optimizers, ExpertOrder order);

// Of engines that do not save the shapes of parameters: those that the ranks say they have parts of, by flat group, in the order of the
// vectors. `shape_of`: a parameter's; nullopt when there is none of this name.
Result<std::vector<NamedShapes>> shapes_of_fragments(
    const ZeroFiles& files, const std::vector<std::string>& optimizers,
    const std::function<std::optional<Shape>(const std::string&)>& shape_of);

}  // namespace ckpt
