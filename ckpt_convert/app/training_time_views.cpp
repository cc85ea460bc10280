#include "ckpt_convert/app/training_time_views.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "ckpt_convert/app/plan_commands.h"
#include "ckpt_convert/step_time/pipeline_drawing.h"

namespace ckpt {
namespace {

using base::Language;

constexpr std::size_t kDrawnColumns = 84, kShownMisses = 3;
constexpr std::array<std::string_view, kParts> kPartNames{"core attention",
                                                          "norms",
                                                          "MLPs",
                                                          "activation functions",
                                                          "activation functions of experts",
                                                          "experts",
                                                          "shared experts",
                                                          "latent projections"};
constexpr std::array<std::string_view, kRefusals> kReasons{
    "TP does not divide the heads",
    "TP x PP x CP does not divide the devices",
    "EP does not divide experts or ranks",
    "the global batch does not divide into micro-batches for the pipeline",
    "CP does not divide the sequence, or leaves pieces of less than 4096 tokens",
    "there are more stages than layers",
    "the schedule needs other micro-batches, no CP, or untied embeddings",
    "weights, gradients and states alone do not fit"};

std::string list_of(const std::vector<std::size_t>& layers) {
    std::vector<std::string> out;
    for (const std::size_t count : layers) out.push_back(std::to_string(count));
    return base::joined(out, ",");
}

std::vector<std::string> parts_of(const RecomputeChoice& choice) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < kParts; ++i) {
        if (choice.parts[i]) out.emplace_back(kPartNames[i]);
    }
    return out;
}

std::string search_text(const SearchResult& result, const Language& say) {
    std::string out = say.show("\nof {} candidates, {} were weighed\n", base::with_separators(result.candidates),
                               base::with_separators(result.weighed));
    for (std::size_t i = 0; i < kRefusals; ++i) {
        if (result.refused[i] > 0)
            out += say.show("  left out {}: {}\n", base::with_separators(result.refused[i]),
                            say.text(std::string(kReasons[i])));
    }
    for (std::size_t i = 0; i < std::min(kShownMisses, result.misses.size()); ++i) {
        const NearMiss& miss = result.misses[i];
        out += say.show("  faster, but needs {:.1f} GiB: {}, {:.3g} s\n", miss.peak / kGiB, layout_title(miss.job),
                        miss.seconds);
    }
    return out;
}

std::string picture(const TimedJob& timed, const Language& say) {
    if (timed.chart.ranks.empty()) return "";
    return say.text(
               "\nstages over time, of a few micro-batches: F forward, B backward, X both, W weights, . waiting\n") +
           pipeline_text(timed.chart, kDrawnColumns);
}

}  // namespace

std::string time_notes(const TrainingPlan& plan, const Language& say) {
    const JobPlan& first = plan.plans.front();
    std::string out;
    if (plan.searched) out += search_text(*plan.searched, say);
    if (plan.assumed_batch > 0)
        out += say.show("  {} samples a step are assumed; --global-batch-size says how many\n", plan.assumed_batch);
    if (first.time) {
        out += picture(*first.time, say);
        out += say.show("the time rests on: {}\n", plan.clock->basis());
        out += say.text("MFU counts model FLOPs: attention to the causal half, nothing that is computed again\n");
    }
    if (plan.lists)
        out += say.show("layers for time: {}; for memory: {}\n", list_of(plan.lists->fastest.layers),
                        list_of(plan.lists->lightest.layers));
    if (plan.recompute && !parts_of(*plan.recompute).empty())
        out += say.show("cheapest parts to compute again so that it fits: {}; {:.1f} GiB, {:.3g} s\n",
                        base::joined(parts_of(*plan.recompute), ", "), plan.recompute->peak / kGiB,
                        plan.recompute->seconds);
    return out;
}

void add_search(base::JsonWriter& json, const SearchResult& result) {
    json.key("search").begin_object();
    json.key("candidates").unsigned_integer(result.candidates).key("weighed").unsigned_integer(result.weighed);
    json.key("left_out").begin_object();
    for (std::size_t i = 0; i < kRefusals; ++i)
        json.key(name(static_cast<Refusal>(i))).unsigned_integer(result.refused[i]);
    json.end_object().key("ranked").begin_array();
    for (const RankedPlan& plan : result.plans) {
        const Parallelism& ranks = plan.job.ranks;
        json.begin_object().key("layout").string(layout_title(plan.job));
        json.key("tp").integer(ranks.tp).key("pp").integer(ranks.pp).key("cp").integer(ranks.cp).key("ep").integer(
            ranks.ep());
        json.key("etp").integer(ranks.etp()).key("chunks").unsigned_integer(plan.placement.chunks());
        json.key("micro_batch").integer(plan.job.batch.micro);
        json.key("step_seconds").number(plan.time.seconds).key("peak_gib").number(plan.peak / kGiB).end_object();
    }
    json.end_array().key("misses").begin_array();
    for (const NearMiss& miss : result.misses) {
        json.begin_object()
            .key("layout")
            .string(layout_title(miss.job))
            .key("micro_batch")
            .integer(miss.job.batch.micro);
        json.key("step_seconds").number(miss.seconds).key("peak_gib").number(miss.peak / kGiB).end_object();
    }
    json.end_array().end_object();
}

void add_lists(base::JsonWriter& json, const LayerLists& lists) {
    json.key("layer_lists").begin_object();
    for (const auto& [key, split] : {std::pair{"time", &lists.fastest}, std::pair{"memory", &lists.lightest}}) {
        json.key(key).begin_array();
        for (const std::size_t count : split->layers) json.unsigned_integer(count);
        json.end_array();
    }
    json.end_object();
}

void add_recompute(base::JsonWriter& json, const RecomputeChoice& choice) {
    json.key("recompute").begin_object().key("parts").begin_array();
    for (const std::string& part : parts_of(choice)) json.string(part);
    json.end_array().key("peak_gib").number(choice.peak / kGiB).key("step_seconds").number(choice.seconds).end_object();
}

}  // namespace ckpt
