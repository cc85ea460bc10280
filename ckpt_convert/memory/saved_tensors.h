// What the forward pass of a layer keeps for the backward pass, tensor by tensor, as data that sums and questions share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/job/training_job.h"

namespace ckpt {

// Which ranks share a tensor: with sequence parallelism the TP ranks have a part of each sequence.
enum class SharedBy { sequence, tensor };

struct SavedTensor {
    std::string_view name;
    double bytes = 0;  // per token of a micro-batch, of the whole layer
    SharedBy shared_by = SharedBy::tensor;
    std::uint32_t parts = 0;         // bits of Part: recomputing one of them frees it
    bool swapped_attention = false;  // swap_attention moves it to the host
    bool feed_forward = false;       // belongs to the MLP or the experts
};

constexpr std::uint32_t bit(Part part) { return 1u << static_cast<unsigned>(part); }

// All of a layer, whether options free it or not. `npu`: attention keeps its statistics in blocks of eight floats.
// Source: Korthikanti 2205.05198; checked against published peaks (tests/unit/ckpt_convert/memory). Of linear attention and
// Mamba mixers nothing is published: the projections and states that their code must keep.
std::vector<SavedTensor> saved_tensors(const ModelShape& model, const LayerShape& layer, const TrainingJob& job,
                                       bool npu);

// Ranks that a tensor's bytes are divided by.
int ranks_of(const SavedTensor& tensor, const TrainingJob& job);

// True when an option of the job frees it.
bool is_freed(const SavedTensor& tensor, const TrainingJob& job);

// Bytes per token of a micro-batch on a rank: of what stays, and of the MLP in it.
struct LayerBytes {
    double kept = 0;
    double feed_forward = 0;
};
LayerBytes layer_bytes(const std::vector<SavedTensor>& tensors, const TrainingJob& job);

// Bytes that a tower keeps of a micro-batch on a stage: of a frozen one only its output.
double tower_bytes(const TowerShape& tower, const TrainingJob& job, int stage);

}  // namespace ckpt
