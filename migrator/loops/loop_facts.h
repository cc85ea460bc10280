// LoopFacts: how a training loop is recognised: rules/loops/loops.json.
#pragma once

#include <string>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"

namespace migrator {

struct LoopFacts {
    std::vector<std::string> backward;         // functions and members that compute gradients
    std::vector<std::string> step;             // members of an optimizer, or of what drives one, that change weights
    std::vector<std::string> whole_step;       // functions of other files that do both
    std::vector<std::string> optimizers;       // packages whose classes are optimizers
    std::vector<std::string> no_optimizers;    // but not those of these
    std::vector<std::string> optimizer_words;  // a name of unknown class is an optimizer's when it has one of them
    std::vector<std::string> model_words;      // the same of models

    static base::Result<LoopFacts> load(const base::DataStore& store);
};

}  // namespace migrator
