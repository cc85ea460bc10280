// The model of a training that is planned: from a directory, a config.json, a checkpoint of any layout, or sizes alone.
#pragma once

#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

struct PlannedModel {
    std::string title;  // "qwen3, 36 layers"
    ModelShape shape;
    std::optional<ParallelLayout> saved;  // the layout of a Megatron checkpoint
    std::optional<Model> model;           // nullopt: only sizes are known
    std::optional<std::int64_t> positions;
    bool is_part = false;  // the config has more than the language model: towers for images or sound
};

// A tower by its sizes: "hidden=1280,layers=32,heads=16,ffn=3420,patches=4096". Fails with usage.
Result<TowerShape> given_tower(const std::string& sizes);

// `place`: a directory or a config.json; empty: only `sizes`, "layers=32,hidden=4096,...", count, by the names of the family's
// mapping file or, without a family, by those of GivenSizes. `dialect`: of the program that trains it. Fails as opening a
// checkpoint does, and with usage.
Result<PlannedModel> planned_model(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                   const SourceOptions& source, const std::string& sizes, const Dialect& dialect);

}  // namespace ckpt
