// distribute: a training script for one device into one for several, which torchrun starts: still for the old device;
// the ordinary migration follows.
//
//   setup_distributed()                      first thing in `if __name__ == "__main__":`, else behind the imports
//   loader = DataLoader(d, sampler=DistributedSampler(d, shuffle=..., drop_last=...))      of the training loops only
//   loader = divide_between_processes(loader)     instead, where the call does not show what to divide
//   loader.sampler.set_epoch(epoch)          first thing in the loop over epochs, or before each pass over the loader
//   ddp_model = DistributedDataParallel(model)   when the model is made and placed; what is saved stays `model`
//   if is_main_process(): print(...)         also saving
//   open(path if is_main_process() else os.devnull, "w")
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

// Python that the script gets: templates/distribute.
struct DistributeTexts {
    std::string setup;
    std::string divide;  // only where a loader is divided when it is there, because its call cannot say it
};

// `model`: the variable that holds the model.
DistributedScript distribute(const SyntaxTree& tree, const Bindings& bindings, const DistributeFacts& facts,
                             const LoopFacts& loops, std::string_view model, const DistributeTexts& texts);

}  // namespace migrator
