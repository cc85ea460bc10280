#include "ckpt_convert/search/ladder.h"

namespace ckpt {
namespace {

bool has_latent(const ModelShape& model) {
    for (const LayerShape& kind : model.kinds) {
        if (kind.attention == Attention::latent) return true;
    }
    return false;
}

Rung again(std::initializer_list<Part> parts) {
    Rung out;
    for (const Part part : parts) out.parts[static_cast<std::size_t>(part)] = true;
    return out;
}

// The cheapest parts first. Megatron-LM has no option to compute the activation functions of dense MLPs again, and one to keep
// what attention needs on the host.
std::vector<Rung> rungs_of_parts(const ModelShape& model, Engine engine) {
    const bool has_experts = model.moe.experts > 0;
    const Part activation = has_experts ? Part::moe_activation : Part::activation_function;
    std::vector<Rung> out;
    if (engine == Engine::megatron && !has_experts) {
        out.emplace_back().swap_attention = true;
        out.push_back(again({Part::norm, Part::mlp}));
    } else {
        out.push_back(again({activation}));
    }
    const bool is_offered = engine != Engine::megatron || has_experts;
    if (has_latent(model) && is_offered) out.push_back(again({activation, Part::latent_up}));
    return out;
}

}  // namespace

std::vector<Rung> ladder(const ModelShape& model, const TrainingJob& job, bool recompute, bool swap) {
    std::vector<Rung> out{{}};
    if (recompute) {
        for (const Rung& rung : rungs_of_parts(model, job.engine)) out.push_back(rung);
        for (int eighths : {1, 2, 4, 6}) out.push_back({Recompute::block, eighths, {}, false, false});
        out.push_back({Recompute::uniform, 8, {}, false, false});
    }
    const std::size_t count = out.size();
    for (std::size_t i = 0; i < count && swap && !job.optimizer.swap; ++i) {
        Rung rung = out[i];
        rung.swap = true;
        out.push_back(rung);
    }
    for (Rung& rung : out) rung.swap = rung.swap || job.optimizer.swap;
    return out;
}

bool has_rung(const Rung& rung, Engine engine) {
    if (engine != Engine::fsdp2) return true;
    return rung.parts == std::array<bool, kParts>{} && !rung.swap && !rung.swap_attention &&
           rung.recompute != Recompute::block;
}

void apply(const Rung& rung, std::size_t layers, TrainingJob& job) {
    job.memory.recompute = rung.recompute;
    const auto counted = static_cast<int>((layers * static_cast<std::size_t>(rung.eighths) + 7) / 8);
    job.memory.recompute_layers = rung.recompute == Recompute::block ? counted : 1;
    job.memory.recomputed = rung.parts;
    job.optimizer.swap = rung.swap;
    job.memory.swap_attention = rung.swap_attention;
}

}  // namespace ckpt
