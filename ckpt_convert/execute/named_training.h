// NamedTraining: what a checkpoint with PyTorch's names holds of an optimizer besides its moments.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "ckpt_convert/tensor/shared.h"

namespace ckpt {

// The moments are targets of the plan, named "MOMENT/WEIGHT".
struct NamedTraining {
    struct Group {
        std::vector<std::pair<std::string, pickle::Ref>> values;  // lr, betas, ...
        std::vector<Shared<std::string>> names;                   // of weights
    };
    std::vector<Group> groups;
    bool ordered = false;  // the names are in the order in which the optimizer has its parameters
    bool by_name = false;  // settings are saved for each weight rather than for each group
    float step = 0;
    // The schedule of the learning rate, by the keys that lead to its values.
    std::vector<std::pair<std::vector<std::string>, pickle::Ref>> schedule;
    std::vector<std::shared_ptr<const TorchFile>> owners;  // of the values
    std::shared_ptr<const pickle::Arena> made;             // values that no file has
};

}  // namespace ckpt
