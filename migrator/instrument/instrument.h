// instrument: lines around a training loop that measure it, and the way back.
//
//   before                                   # migrator: instrument
//   for batch in loader:
//       data = batch.to(device)
//       before_step                          # migrator: instrument
//       model(data).backward()
//       optimizer.step()
//       behind_step                          # migrator: instrument
//
// Only whole lines are added, each with the mark at its end; nothing else changes, so taking out the marked lines gives
// the text of before, byte for byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrator/edit/edit.h"
#include "migrator/instrument/instrument_facts.h"
#include "migrator/loops/training_loop.h"

namespace migrator {

struct Instrumented {
    std::vector<Edit> edits;             // by position
    std::vector<std::string> obstacles;  // why it cannot be done right: "line 12: ..."; then there are no edits
};

Instrumented instrument(const Script& script, const LoopFacts& facts, const TrainingLoop& loop,
                        const Instrument& instrument);

// The text without the lines that `instrument` adds.
std::string without_instruments(std::string_view text);

}  // namespace migrator
