// The stages of a DeepSpeed pipeline, of one tensor parallel rank, as one model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/engine_files.h"
#include "ckpt_convert/checkpoint/zero_files.h"

namespace ckpt {

struct PipelineStage {
    OpenedFile model;
    EngineFiles files;
};

// `layers`: files, by number of the layer. `stages` is empty where the layers are there alone. The numbers of files in the content are
// those of `files`, whose list the caller owns.
Result<ShardedCheckpoint> read_pipeline_stages(base::FileSystem& fs, ZeroFiles& files,
                                               const std::map<std::uint64_t, std::string>& layers,
                                               const std::vector<PipelineStage>& stages, const Path& directory);

}  // namespace ckpt
