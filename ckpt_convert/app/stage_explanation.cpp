#include "ckpt_convert/app/stage_explanation.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"

namespace ckpt {
namespace {

ExplainedKind explained_kind(const TrainingPlan& plan, const StageExplanation& of, std::size_t kind) {
    const ModelShape& model = plan.model.shape;
    const TrainingJob& job = plan.plans.front().job;
    ExplainedKind out;
    out.kind = kind;
    out.layers = std::count(model.layers.begin(), model.layers.end(), static_cast<std::uint16_t>(kind));
    out.whole = of.stage.whole[kind];
    out.without_mlp = of.stage.without_mlp[kind];
    const auto tensors = saved_tensors(model, model.kinds[kind], job, plan.device.npu);
    for (const SavedTensor& tensor : tensors)
        out.tensors.push_back({tensor.name, tensor.bytes / ranks_of(tensor, job), is_freed(tensor, job)});
    out.kept = layer_bytes(tensors, job);
    const double beside_mlp = out.kept.kept - out.kept.feed_forward;
    out.activations = static_cast<double>(of.tokens) * (static_cast<double>(out.whole) * out.kept.kept +
                                                        static_cast<double>(out.without_mlp) * beside_mlp);
    return out;
}

struct OtherPart {
    const char* what;
    double OtherActivations::*bytes;
};
constexpr OtherPart kOthers[] = {{"inputs of layers that are computed again", &OtherActivations::layer_inputs},
                                 {"tokens, positions, labels, masks", &OtherActivations::step_inputs},
                                 {"towers", &OtherActivations::towers},
                                 {"modules for multi-token prediction", &OtherActivations::mtp},
                                 {"what the measured run kept besides", &OtherActivations::calibrated}};

std::string kind_text(const ExplainedKind& kind, const base::Language& say) {
    std::string out =
        say.show("  a layer of kind {} ({} of the model), bytes per token on a device\n", kind.kind, kind.layers);
    for (const ExplainedTensor& tensor : kind.tensors) {
        out += say.show("    {:>9.0f}  {}{}\n", tensor.bytes, say.text(std::string(tensor.name)),
                        tensor.is_freed ? say.text(" (computed again or on the host)") : std::string());
    }
    return out + say.show("    {:>9.0f}  stay: {:.2f} GiB for {}, layers of this stage times micro-batches in flight\n",
                          kind.kept.kept, gib(kind.activations), kind.whole + kind.without_mlp);
}

}  // namespace

double StageExplanation::activations() const {
    double out = 0;
    for (const ExplainedKind& kind : kinds) out += kind.activations;
    for (const OtherPart& part : kOthers) out += stage.other.*part.bytes;
    return out;
}

Result<StageExplanation> explained_stage(const TrainingPlan& plan, int number) {
    const JobPlan& job = plan.plans.front();
    if (number < 0 || static_cast<std::size_t>(number) >= job.stages.size())
        return base::fail(ErrorKind::usage, base::format("--explain: there is no stage {}; they are 0 to {}", number,
                                                         job.stages.size() - 1));
    StageExplanation out;
    out.number = static_cast<std::size_t>(number);
    out.stage = job.stages[out.number];
    out.tokens = job.job.held_tokens();
    for (std::size_t kind = 0; kind < plan.model.shape.kinds.size(); ++kind) {
        ExplainedKind explained = explained_kind(plan, out, kind);
        if (explained.layers > 0) out.kinds.push_back(std::move(explained));
    }
    return out;
}

std::string explanation_text(const StageExplanation& explained, const base::Language& say) {
    const StageMemory& stage = explained.stage;
    std::string out = say.show("\nstage {}: {} parameters on a device, {} of them of experts\n", explained.number,
                               base::human_count(static_cast<std::uint64_t>(stage.dense + stage.experts)),
                               base::human_count(static_cast<std::uint64_t>(stage.experts)));
    for (const ExplainedKind& kind : explained.kinds) out += kind_text(kind, say);
    for (const OtherPart& part : kOthers) {
        if (stage.other.*part.bytes != 0)
            out += say.show("  {}: {:.2f} GiB\n", say.text(part.what), gib(stage.other.*part.bytes));
    }
    out += say.show("  work: {:.2f} GiB for a layer's backward pass, {:.2f} GiB for the loss\n", gib(stage.layer_work),
                    gib(stage.loss_work));
    out += say.show(
        "  {:.2f} weights + {:.2f} gradients + {:.2f} optimizer + {:.2f} kept + {:.2f} work + {:.2f} buffers = "
        "{:.2f} GiB\n",
        gib(stage[MemoryLine::weights]), gib(stage[MemoryLine::gradients]), gib(stage[MemoryLine::optimizer]),
        gib(explained.activations()), gib(stage[MemoryLine::working]), gib(stage[MemoryLine::buffers]),
        gib(stage.peak()));
    return out;
}

void add_explanation(base::JsonWriter& json, const StageExplanation& explained) {
    const StageMemory& stage = explained.stage;
    json.begin_object().key("stage").integer(static_cast<std::int64_t>(explained.number));
    json.key("tokens").integer(explained.tokens).key("kinds").begin_array();
    for (const ExplainedKind& kind : explained.kinds) {
        json.begin_object().key("kind").integer(static_cast<std::int64_t>(kind.kind));
        json.key("layers").integer(kind.layers).key("whole").integer(kind.whole);
        json.key("without_mlp").integer(kind.without_mlp).key("tensors").begin_array();
        for (const ExplainedTensor& tensor : kind.tensors) {
            json.begin_object().key("name").string(tensor.name).key("bytes_per_token").number(tensor.bytes);
            json.key("freed").boolean(tensor.is_freed).end_object();
        }
        json.end_array().key("kept_bytes_per_token").number(kind.kept.kept);
        json.key("mlp_bytes_per_token").number(kind.kept.feed_forward);
        json.key("activations_gib").number(gib(kind.activations)).end_object();
    }
    json.end_array();
    json.key("layer_inputs_gib").number(gib(stage.other.layer_inputs));
    json.key("step_inputs_gib").number(gib(stage.other.step_inputs));
    json.key("towers_gib").number(gib(stage.other.towers)).key("mtp_gib").number(gib(stage.other.mtp));
    json.key("calibrated_gib").number(gib(stage.other.calibrated));
    json.key("layer_work_gib").number(gib(stage.layer_work)).key("loss_work_gib").number(gib(stage.loss_work));
    json.key("optimizer_work_gib").number(gib(stage.optimizer_work)).key("peak_gib").number(gib(stage.peak()));
    json.end_object();
}

}  // namespace ckpt
