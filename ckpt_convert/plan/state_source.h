// StateSource: where the optimizer state of each stored weight lies.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/optimizer_files.h"
#include "ckpt_convert/checkpoint/torch_dist_checkpoint.h"
#include "ckpt_convert/plan/layout.h"
#include "ckpt_convert/plan/registration_order.h"
#include "ckpt_convert/plan/source_binding.h"

namespace ckpt {

struct StateSource {
    // The states as tensors of the names and shapes of their weights; files are those of the states.
    TensorIndex index;
    // By state and logical tensor: what covers it once, in `index`. Empty for buffers of modules.
    std::array<std::vector<std::vector<StoredPiece>>, kOptimizerStates.size()> pieces;
    // Of rank files: by number of the weight's tensor its states in `index`. Absent where another file has them.
    std::vector<std::optional<std::array<std::uint32_t, kOptimizerStates.size()>>> of_weight;
    // The element types of the gradients, by that of the parameters.
    std::map<DType, DType> gradients;
    RegistrationOrder order;
};

// Where a checkpoint has its weights.
struct BoundWeights {
    const Model& model;
    const TensorIndex& index;
    const SourceBinding& binding;
    const ParallelLayout& parallel;
    const Layout& layout;  // of `parallel`
    const Json& args;      // of the run
};

// Of rank files. Fails with bad_input when the buffers are not those of the parameters.
Result<StateSource> locate_states(const BoundWeights& weights, const OptimizerFiles& files);

// Of torch_dist, which says nothing about the order of parameters: `parameter_names` are in that order. Fails with
// bad_input when states are missing or have other shapes than their weights.
Result<StateSource> locate_states(const BoundWeights& weights, const TorchDistStates& states,
                                  const std::vector<std::string>& parameter_names);

// False for weights that are no parameters but buffers of a module, which have no state.
bool is_parameter(const Model& model, const std::vector<Piece>& pieces);

}  // namespace ckpt
