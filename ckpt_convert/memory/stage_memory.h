// What a device of each pipeline stage must hold at the peak of a training step, line by line, in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/job/training_job.h"

namespace ckpt {

enum class MemoryLine { weights, gradients, optimizer, activations, working, buffers };
inline constexpr std::size_t kMemoryLines = 6;
constexpr std::string_view name(MemoryLine line) {
    constexpr std::array<std::string_view, kMemoryLines> words{"weights",     "gradients", "optimizer",
                                                               "activations", "working",   "buffers"};
    return words[static_cast<std::size_t>(line)];
}

// What the working memory at the peak is for.
enum class Binding { layer, loss, optimizer };
constexpr std::string_view name(Binding binding) {
    return binding == Binding::layer ? "layer" : binding == Binding::loss ? "loss" : "optimizer";
}

// Of the activations, what is no tensor inside a layer.
struct OtherActivations {
    double layer_inputs = 0;  // of layers that are computed again
    double step_inputs = 0;   // numbers of tokens, positions, labels; the mask of dropped embeddings
    double towers = 0;
    double mtp = 0;
    double calibrated = 0;  // what a measured run kept beside; below 0 where it kept less
};

struct StageMemory {
    std::array<double, kMemoryLines> bytes{};
    double dense = 0, experts = 0;        // parameters on a rank
    std::vector<std::int64_t> layers;     // of each chunk
    std::vector<std::int64_t> in_flight;  // micro-batches of each chunk
    // By kind of layer: layers times micro-batches in flight of which everything is kept, and everything but the MLP.
    std::vector<std::int64_t> whole, without_mlp;
    OtherActivations other;  // parts of the activations
    Binding binding = Binding::layer;
    // What competes for `working`: one of them is there at a time.
    double layer_work = 0, loss_work = 0, optimizer_work = 0;
    double on_host = 0;  // what options moved there, per device

    double operator[](MemoryLine line) const { return bytes[static_cast<std::size_t>(line)]; }
    double& operator[](MemoryLine line) { return bytes[static_cast<std::size_t>(line)]; }
    // Weights, gradients and states: what is there before the first step.
    double fixed() const;
    double peak() const;
    // What layers keep and work with, times `scale`: see memory_scale.
    void calibrate(double scale);
};

// One entry per stage, one in all with FSDP2. `npu`: see saved_tensors. Fails as place_layers does.
Result<std::vector<StageMemory>> memory_of(const ModelShape& model, const TrainingJob& job, bool npu);

// The first of those with the highest peak; there is at least one stage.
std::size_t fullest_stage(const std::vector<StageMemory>& stages);

// The vocabulary as the ranks hold it: filled up to a multiple that TP divides.
std::int64_t padded_vocabulary(const ModelShape& model, const TrainingJob& job);

}  // namespace ckpt
