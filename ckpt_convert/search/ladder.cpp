#include "ckpt_convert/search/ladder.h"

namespace ckpt {
namespace {

bool has_latent(const ModelShape& model) {
    for (const LayerShape& kind : model.kinds) {
        if (kind.attention == Attention::latent) return true;
    }
    return false;
}

}  // namespace

std::vector<Rung> ladder(const ModelShape& model, bool recompute, bool swap) {
    std::vector<Rung> out{{}};
    if (recompute) {
        out.push_back({Recompute::none, 0, true, false, false});
        if (has_latent(model)) out.push_back({Recompute::none, 0, true, true, false});
        for (int quarters : {1, 2, 3}) out.push_back({Recompute::block, quarters, false, false, false});
        out.push_back({Recompute::uniform, 4, false, false, false});
    }
    if (swap) {
        const std::size_t count = out.size();
        for (std::size_t i = 0; i < count; ++i) {
            Rung rung = out[i];
            rung.swap = true;
            out.push_back(rung);
        }
    }
    return out;
}

void apply(const Rung& rung, const ModelShape& model, std::size_t layers, TrainingJob& job) {
    job.memory.recompute = rung.recompute;
    job.memory.recompute_layers = rung.recompute == Recompute::block
                                      ? static_cast<int>((layers * static_cast<std::size_t>(rung.quarters) + 3) / 4)
                                      : 1;
    auto set = [&](Part part, bool value) { job.memory.recomputed[static_cast<std::size_t>(part)] = value; };
    const bool has_experts = model.moe.experts > 0;
    set(Part::activation_function, rung.activations && !has_experts);
    set(Part::moe_activation, rung.activations && has_experts);
    set(Part::latent_up, rung.latent_up);
    job.optimizer.swap = rung.swap;
}

}  // namespace ckpt
