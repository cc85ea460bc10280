// StageLayers: which layers stages and their chunks have, for any number of both: even, or the fastest uneven split.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "ckpt_convert/step_time/step_time.h"

namespace ckpt {

// The pipeline of a job, and where its layers are.
struct PipelineChoice {
    Topology topology;  // what of it concerns stages
    Placement placement;
};

// Remembers what it has split: the answer follows from what the head costs, in layers, and not from the rest of the job.
class StageLayers {
public:
    explicit StageLayers(const ModelShape& model) : model_(&model) {}

    // Layers evenly where they divide, unless an uneven split of whole stages is faster by more than a fiftieth; chunks that do
    // not divide as a layout of their own. Nothing when there are more chunks than layers.
    const PipelineChoice* choose(int stages, std::uint32_t chunks, bool dualpipev, const MicroTime& micro);

private:
    std::optional<PipelineChoice> split(int stages, std::uint32_t chunks, bool dualpipev, const MicroTime& micro) const;

    const ModelShape* model_;
    std::map<std::tuple<int, std::uint32_t, bool, int>, std::optional<PipelineChoice>> known_;
};

}  // namespace ckpt
