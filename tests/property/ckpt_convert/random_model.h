// A Hugging Face checkpoint of any family with random sizes, made from the family's mapping file alone.
#pragma once

#include <string_view>

#include "ckpt_convert/mapping/model.h"
#include "tests/property/ckpt_convert/random.h"
#include "tests/support/memory_file_system.h"

namespace test {

// False for a family that not every layout has, or whose sizes go together in a way that only its own cases know: its
// layouts are tested by tests/model.
bool has_random_models(const ckpt::ModelMapping& mapping);

// Writes config.json and the weights below `directory`. Every element has a value of its own, all are finite. The switch
// `on` of the mapping is on, whatever chance says.
ckpt::Model add_random_hf(MemoryFileSystem& fs, const base::Path& directory, const ckpt::ModelMapping& mapping,
                          Random& random, std::string_view on = {});

}  // namespace test
