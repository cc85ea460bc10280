// ModelRanks: how the ranks that share the model of a DeepSpeed run are laid out, by what their files say.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ckpt_convert/checkpoint/zero_files.h"

namespace ckpt {

// Rank number stage * tensor + T is tensor parallel rank T of the stage.
struct ModelRanks {
    std::uint64_t stages = 1;
    std::uint64_t tensor = 1;
};

// `models`: a file of the model of each rank, at least one. `tensor`: how many tensor parallel ranks there are where no file tells.
// Fails with bad_input when ranks are missing or too many, or the files are of different saves.
Result<ModelRanks> model_ranks(const ZeroFiles& files, const std::vector<OpenedFile>& models, std::uint64_t tensor);

}  // namespace ckpt
