#include "ckpt_convert/app/plan_commands.h"

#include "base/format.h"
#include "base/human.h"
#include "base/shell_word.h"
#include "ckpt_convert/launch/layout_options.h"

namespace ckpt {
std::string layout_title(const TrainingJob& job) {
    if (job.engine == Engine::fsdp2) return base::format("FSDP2 over {} devices", job.ranks.devices);
    std::string out = base::format("TP {} x PP {}", job.ranks.tp, job.ranks.pp);
    if (job.ranks.cp > 1) out += base::format(" x CP {}", job.ranks.cp);
    if (job.ranks.ep() > 1) out += base::format(" x EP {}", job.ranks.ep());
    out += base::format(", DP {}", job.ranks.dp());
    if (job.ranks.layers_per_virtual_stage > 0)
        out += base::format(", chunks of {}", base::plural(job.ranks.layers_per_virtual_stage, "layer"));
    if (job.batch.micro > 1) out += base::format(", micro-batch {}", job.batch.micro);
    if (job.memory.recompute == Recompute::uniform) out += ", layers computed again";
    if (job.memory.recompute == Recompute::block)
        out += base::format(", {} layers of a chunk computed again", job.memory.recompute_layers);
    if (job.memory.recomputes(Part::activation_function) || job.memory.recomputes(Part::moe_activation))
        out += ", activation functions computed again";
    if (job.memory.recomputes(Part::mlp)) out += ", MLPs computed again";
    if (job.memory.recomputes(Part::norm)) out += ", norms computed again";
    if (job.memory.recomputes(Part::latent_up)) out += ", latent projections computed again";
    if (job.memory.swap_attention) out += ", attention on the host";
    if (job.optimizer.swap) out += ", states on the host";
    return out;
}

namespace {

// Without the option, conversions leave them out.
void add_modules(const ModelShape& model, std::vector<std::string>& words) {
    if (model.mtp > 0) words.push_back(base::format("--mtp-num-layers {}", model.mtp));
}

}  // namespace

std::string conversion_command(const TrainingPlan& plan, const TrainingJob& job, const std::string& model) {
    if (job.engine == Engine::fsdp2 || plan.model.shape.tower_stages() > 0) return "";
    std::vector<std::string> words = topology_options(job.ranks);
    if (job.engine == Engine::megatron) words.insert(words.begin(), "--target " + plan.target);
    for (std::string& option : vocabulary_options(plan.vocab)) words.push_back(std::move(option));
    add_modules(plan.model.shape, words);
    return base::format("ckpt_convert {} OUT {}", model.empty() ? "MODEL" : base::shell_path(model),
                        base::joined(words, " "));
}

std::string scripts_command(const TrainingPlan& plan, const JobPlan& one, const std::string& model) {
    const TrainingJob& job = one.job;
    if (!plan.device.npu || job.precision != Precision::bf16 || job.fp8 || plan.model.shape.tower_stages() > 0)
        return "";
    // Its scripts are of pre-training alone.
    if (job.engine == Engine::megatron && job.mode != TrainingMode::pretrain) return "";
    const Parallelism& ranks = job.ranks;
    std::vector<std::string> words;
    const auto add = [&](const char* option, const auto& value) {
        words.push_back(base::format("{} {}", option, value));
    };
    if (job.engine != Engine::mindspeed) add("--target", name(job.engine));
    add("--devices", ranks.devices);
    if (ranks.per_node != plan.device.per_node) add("--devices-per-node", ranks.per_node);
    add("--device", plan.device.id);
    if (job.engine != Engine::fsdp2) {
        const auto layout = topology_options(ranks);
        words.insert(words.end(), layout.begin(), layout.end());
        for (std::string& option : vocabulary_options(plan.vocab)) words.push_back(std::move(option));
        add_modules(plan.model.shape, words);
    } else if (ranks.experts.ep > 1) {
        add("--ep", ranks.experts.ep);
    }
    if (ranks.cp > 1) add("--cp", ranks.cp);
    add("--seq-length", job.batch.sequence);
    if (job.batch.micro > 1) add("--micro-batch-size", job.batch.micro);
    add("--global-batch-size", job.batch.global);
    const std::string choices = chosen_words(plan.choices, job);
    // Without any, FSDP2's scripts compute all layers again.
    if (choices != kNoChoice || job.engine == Engine::fsdp2) add("--with", choices);
    return base::format("ckpt_convert launch {} SCRIPTS {}", model.empty() ? "MODEL" : base::shell_path(model),
                        base::joined(words, " "));
}

}  // namespace ckpt
