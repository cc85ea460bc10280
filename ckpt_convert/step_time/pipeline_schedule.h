// PipelineSchedule: in which order a rank of a pipeline computes its chunks, and when: one step, task by task.
//
//     1F1B         rank i: min(m, p-1-i) forwards, then a forward and a backward in turn, then the backwards that are left
//     interleaved  the same with v chunks a rank, in groups of p micro-batches (arXiv 2104.04473)
//     dualpipev    two chunks a rank, down and back up as a V; forward and backward of different chunks run as pairs,
//                  and the gradients of weights fill what is left (github.com/deepseek-ai/DualPipe, DualPipeV)
#pragma once

#include <cstddef>
#include <vector>

namespace ckpt {

enum class Schedule { one_f_one_b, interleaved, dualpipev };

// Seconds that a chunk of layers takes for one micro-batch.
struct ChunkTime {
    double forward = 0;
    double backward = 0;  // all of it
    double weights = 0;   // what of `backward` are gradients of weights, and can wait (dualpipev only)
};

struct PipelineWork {
    Schedule schedule = Schedule::one_f_one_b;
    std::size_t micro_batches = 1;
    std::vector<std::vector<ChunkTime>> ranks;  // [rank][chunk]; two chunks of each with dualpipev
    double transfer = 0;                        // seconds until the next rank has what one is done with
    double pair_share = 1;  // what a forward and a backward that run as a pair take of their sum (dualpipev)
};

struct PipelineTask {
    enum class Kind { forward, backward, pair, weights };
    Kind kind = Kind::forward;
    std::size_t chunk = 0, micro_batch = 0;                    // of the forward, of a backward alone, or of the weights
    std::size_t backward_chunk = 0, backward_micro_batch = 0;  // of a pair
    bool leaves_weights = false;                               // their gradients are a task of their own
    double begin = 0, end = 0;                                 // seconds

    bool has_forward() const { return kind == Kind::forward || kind == Kind::pair; }
};

struct PipelineChart {
    std::vector<std::vector<PipelineTask>> ranks;  // in the order of time
    double seconds = 0;

    double busy(std::size_t rank) const;  // seconds
    // What of the time of all ranks nothing is computed in, 0 to 1.
    double idle_share() const;
};

// The step as the schedule runs it. Needs a rank, and with interleaving micro-batches in multiples of the ranks; with
// dualpipev two for each rank.
PipelineChart run_pipeline(const PipelineWork& work);

}  // namespace ckpt
