// distribute: a training script for one device into one for several, which torchrun starts: still for the old device;
// the ordinary migration follows.
//
//   setup_distributed()                      first thing in `if __name__ == "__main__":`, else behind the imports
//   loader = DataLoader(d, sampler=DistributedSampler(d, shuffle=..., drop_last=...))      of the training loops only
//   loader.sampler.set_epoch(epoch)          first thing in the loop over epochs
//   ddp_model = DistributedDataParallel(model)   when the model is made and placed; what is saved stays `model`
//   if is_main_process(): print(...)         also saving
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "migrator/distribute/distribute_facts.h"
#include "migrator/edit/edit.h"
#include "migrator/loops/loop_facts.h"
#include "migrator/semantic/bindings.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

struct DistributedScript {
    std::vector<Edit> edits;             // by position, without conflicts
    std::vector<std::string> obstacles;  // why it cannot be done right: "line 12: ..."; then there are no edits
    std::vector<base::Message> notes;    // what a person should know
};

// `model`: the variable that holds the model. `setup`: templates/distribute/setup.py.
DistributedScript distribute(const SyntaxTree& tree, const Bindings& bindings, const DistributeFacts& facts,
                             const LoopFacts& loops, std::string_view model, std::string_view setup);

}  // namespace migrator
