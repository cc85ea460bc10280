// StateSource: where the optimizer state of each stored weight lies.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/json.h"
#include "ckpt_convert/checkpoint/optimizer_files.h"
#include "ckpt_convert/plan/layout.h"
#include "ckpt_convert/plan/registration_order.h"

namespace ckpt {

struct StateSource {
    // The states as tensors of the weights' names and shapes; files are those of the states.
    TensorIndex index;
    // By number of the weight's tensor: its states in `index`. Absent where another file has them, and for buffers.
    std::vector<std::optional<std::array<std::uint32_t, kOptimizerStates.size()>>> of_weight;
    // The element types of the gradients, by that of the parameters.
    std::map<DType, DType> gradients;
    RegistrationOrder order;
};

// `weights`: the rank files of the layout `parallel`, whose tensors `layout` names. Fails with bad_input when the
// buffers are not those of the parameters.
base::Result<StateSource> locate_states(const Model& model, const TensorIndex& weights, const ParallelLayout& parallel,
                                        const Layout& layout, const base::Json& args, const OptimizerFiles& files);

// False for weights that are no parameters but buffers of a module, which have no state.
bool is_parameter(const Model& model, const std::vector<Piece>& pieces);

}  // namespace ckpt
