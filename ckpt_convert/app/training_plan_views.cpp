#include "ckpt_convert/app/training_plan_views.h"

#include <algorithm>
#include <cmath>

#include "base/console.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "ckpt_convert/app/plan_commands.h"
#include "ckpt_convert/app/stage_explanation.h"
#include "ckpt_convert/app/training_time_views.h"
#include "ckpt_convert/launch/layout_options.h"

namespace ckpt {
namespace {

using base::Language;

constexpr int kBarCells = 30;
constexpr std::size_t kShownIdeas = 5;
constexpr double kShownGib = 0.05;  // less is 0.0
constexpr int kNarrowStages = 16;   // more are shown in runs of equal ones

std::string numbers(const std::vector<std::int64_t>& values) {
    std::vector<std::string> out;
    for (const std::int64_t value : values) out.push_back(std::to_string(value));
    const bool equal = std::adjacent_find(out.begin(), out.end(), std::not_equal_to<>()) == out.end();
    if (equal && out.size() > 1) return base::format("{}x{}", out.size(), out.front());
    return base::joined(out, "+");
}

// A cell of each line's first letter; what lies above the budget is marked.
std::string bar(const StageMemory& stage, double usable) {
    constexpr std::string_view letters = "WGOAwb";
    const double full = std::max(usable, stage.peak());
    std::string out;
    double sum = 0;
    for (std::size_t line = 0; line < kMemoryLines; ++line) {
        sum += stage.bytes[line];
        const auto end = static_cast<std::size_t>(std::lround(sum / full * kBarCells));
        if (end > out.size()) out.append(end - out.size(), letters[line]);
    }
    out.resize(kBarCells, '.');
    const auto limit = static_cast<std::size_t>(std::lround(usable / full * kBarCells));
    if (limit < out.size()) out.insert(limit, "|");
    return out;
}

// Of the two columns that list a number for each chunk.
struct ChunkColumns {
    std::size_t layers = 10, flying = 10;
};

ChunkColumns columns_of(const std::vector<StageMemory>& stages) {
    ChunkColumns out;
    for (const StageMemory& stage : stages) {
        out.layers = std::max(out.layers, numbers(stage.layers).size() + 2);
        out.flying = std::max(out.flying, numbers(stage.in_flight).size() + 2);
    }
    return out;
}

std::string stage_row(const std::string& name, const StageMemory& stage, const ChunkColumns& columns, double usable) {
    std::string out = base::format("  {:<7}{:>{}}{:>{}}", name, numbers(stage.layers), columns.layers,
                                   numbers(stage.in_flight), columns.flying);
    for (const double bytes : stage.bytes) out += base::format("{:>8.1f}", gib(bytes));
    return out + base::format("{:>8.1f}  {}\n", gib(stage.peak()), bar(stage, usable));
}

bool look_alike(const StageMemory& a, const StageMemory& b) {
    return a.layers == b.layers && a.in_flight == b.in_flight && std::abs(a.peak() - b.peak()) < kGiB / 100;
}

std::string stage_table(const JobPlan& plan, const Language& say) {
    const ChunkColumns columns = columns_of(plan.stages);
    std::string out = base::format("  {:<7}{:>{}}{:>{}}", say.text("stage"), say.text("layers"), columns.layers,
                                   say.text("flying"), columns.flying);
    for (const char* title : {"weights", "grads", "optim", "kept", "work", "buffers", "peak"})
        out += base::format("{:>8}", say.text(title));
    out += "\n";
    const std::size_t count = plan.stages.size();
    for (std::size_t stage = 0; stage < count;) {
        std::size_t end = stage + 1;
        while (count > kNarrowStages && end < count && look_alike(plan.stages[stage], plan.stages[end])) ++end;
        const std::string name = end - stage > 1 ? base::format("{}-{}", stage, end - 1) : std::to_string(stage);
        out += stage_row(name, plan.stages[stage], columns, plan.budget.usable());
        stage = end;
    }
    return out;
}

std::string binding_text(const JobPlan& plan, const Language& say) {
    const std::size_t number = plan.fullest();
    const StageMemory& stage = plan.stages[number];
    const double work = gib(stage[MemoryLine::working]);
    const char* what = stage.binding == Binding::loss        ? "the logits at the loss"
                       : stage.binding == Binding::optimizer ? "the step of the optimizer"
                                                             : "the backward pass of a layer";
    return say.show(
        "fullest: stage {}, {:.1f} GiB; micro-batches in flight: {}; what works at the peak is {}, {:.1f} GiB\n",
        number, gib(stage.peak()), numbers(stage.in_flight), say.text(what), work);
}

std::string budget_text(const Budget& budget, const Language& say) {
    return say.show(
        "budget: {:.1f} GiB = {:.2f} GiB of the device - {:.1f} communication - {:.1f} runtime - {:.1f} fragments\n",
        gib(budget.usable()), gib(budget.capacity), gib(budget.communication), gib(budget.reserve), gib(budget.lost));
}

std::string ideas_text(const TrainingPlan& plan, const Language& say) {
    const JobPlan& job = plan.plans.front();
    if (plan.what_if.empty()) return "";
    std::string out = say.show("\nwhat frees most on stage {}\n", job.fullest());
    for (std::size_t i = 0; i < std::min(kShownIdeas, plan.what_if.size()); ++i) {
        const WhatIf& idea = plan.what_if[i];
        if (i > 0 && gib(idea.freed) < kShownGib) break;
        out += base::show("  {:>7.1f} GiB  --with {:<30} {}{}\n", gib(idea.freed), idea.choice->word,
                          say.text(idea.choice->cost),
                          idea.fits && !job.fits() ? say.text("; then it fits") : std::string());
    }
    return out;
}

void add_stage(base::JsonWriter& json, const StageMemory& stage) {
    json.begin_object();
    json.key("layers").begin_array();
    for (const std::int64_t layers : stage.layers) json.integer(layers);
    json.end_array().key("in_flight").begin_array();
    for (const std::int64_t flying : stage.in_flight) json.integer(flying);
    json.end_array();
    for (std::size_t line = 0; line < kMemoryLines; ++line)
        json.key(std::string(name(static_cast<MemoryLine>(line))) + "_gib").number(gib(stage.bytes[line]));
    json.key("fixed_gib").number(gib(stage.fixed()));
    json.key("peak_gib").number(gib(stage.peak()));
    json.key("host_gib").number(gib(stage.on_host));
    json.key("working_is").string(name(stage.binding));
    json.key("dense_parameters").number(stage.dense).key("expert_parameters").number(stage.experts);
    json.end_object();
}

void add_job(base::JsonWriter& json, const TrainingPlan& whole, const JobPlan& plan, const PlanView& view) {
    const Parallelism& ranks = plan.job.ranks;
    json.begin_object();
    json.key("layout").string(layout_title(plan.job)).key("with").string(chosen_words(whole.choices, plan.job));
    json.key("engine").string(name(plan.job.engine)).key("mode").string(name(plan.job.mode));
    json.key("precision").string(name(plan.job.precision)).key("sequence_length").integer(plan.job.batch.sequence);
    json.key("options").begin_array();
    if (plan.job.engine != Engine::fsdp2)
        for (const std::string& option : topology_options(ranks)) json.string(option);
    json.end_array();
    json.key("tp").integer(ranks.tp).key("pp").integer(ranks.pp).key("cp").integer(ranks.cp);
    json.key("ep").integer(ranks.ep()).key("etp").integer(ranks.etp()).key("dp").integer(ranks.dp());
    json.key("micro_batch").integer(plan.job.batch.micro).key("global_batch").integer(plan.job.batch.global);
    json.key("micro_batches").integer(plan.job.micro_batches());
    json.key("recompute_all").boolean(plan.job.memory.recompute == Recompute::uniform);
    json.key("fits").boolean(plan.fits());
    if (plan.time) whole.clock->write(json.key("time"), *plan.time);
    json.key("budget").begin_object().key("device_gib").number(gib(plan.budget.capacity));
    json.key("communication_gib").number(gib(plan.budget.communication));
    json.key("runtime_gib").number(gib(plan.budget.reserve));
    json.key("fragments_gib").number(gib(plan.budget.lost)).end_object();
    json.key("usable_gib").number(gib(plan.budget.usable())).key("peak_gib").number(gib(plan.peak()));
    json.key("fullest_stage").integer(static_cast<std::int64_t>(plan.fullest()));
    json.key("stages").begin_array();
    for (const StageMemory& stage : plan.stages) add_stage(json, stage);
    json.end_array();
    json.key("conversion").string(conversion_command(whole, plan.job, view.model));
    json.key("scripts").string(scripts_command(whole, plan, view.model));
    json.end_object();
}

}  // namespace

Result<std::string> training_plan_text(const TrainingPlan& plan, const PlanView& view) {
    const Language& say = view.language;
    const ModelShape& model = plan.model.shape;
    std::string out =
        say.show("{}: {} parameters, {} of them for a token; {}\n", plan.model.title,
                 base::human_count(static_cast<std::uint64_t>(model.parameters())),
                 base::human_count(static_cast<std::uint64_t>(model.active_parameters())), plan.device.name);
    for (const JobPlan& job : plan.plans) {
        const std::string verdict = job.fits() ? base::styled(say.text("fits"), base::Style::green, view.colour)
                                               : base::styled(say.text("does not fit"), base::Style::red, view.colour);
        out += say.show("\n{}: {}, {:.1f} of {:.1f} GiB\n", layout_title(job.job), verdict, gib(job.peak()),
                        gib(job.budget.usable()));
        if (job.time) out += plan.clock->text(*job.time, say);
        out += stage_table(job, say);
        const std::string command = conversion_command(plan, job.job, view.model);
        if (!command.empty()) out += base::show("  {}\n", command);
        const std::string scripts = scripts_command(plan, job, view.model);
        if (!scripts.empty()) out += base::show("  {}\n", scripts);
    }
    if (plan.plans.empty()) out += say.text("no layout of these devices fits\n");
    if (!plan.plans.empty()) {
        const JobPlan& first = plan.plans.front();
        out += "\n" + binding_text(first, say) + budget_text(first.budget, say) + time_notes(plan, say) +
               ideas_text(plan, say);
        if (view.explained) {
            TRY_ASSIGN(const StageExplanation explained, explained_stage(plan, *view.explained));
            out += explanation_text(explained, say);
        }
    }
    if (plan.least_devices) out += say.show("it fits on {} devices\n", *plan.least_devices);
    if (!plan.no_time.empty()) out += say.show("no time of a step: {}\n", plan.no_time);
    for (const std::string& note : plan.notes) out += say.show("not verified: {}\n", say.text(note));
    return out;
}

Result<std::string> training_plan_json(const TrainingPlan& plan, const PlanView& view) {
    base::JsonWriter json(1);
    json.begin_object();
    json.key("model").string(plan.model.title).key("parameters").integer(plan.model.shape.parameters());
    json.key("active_parameters").integer(plan.model.shape.active_parameters());
    json.key("device").string(plan.device.id).key("device_name").string(plan.device.name);
    if (plan.assumed_batch > 0) json.key("assumed_global_batch").integer(plan.assumed_batch);
    if (!plan.no_time.empty()) json.key("no_time").string(plan.no_time);
    json.key("plans").begin_array();
    for (const JobPlan& job : plan.plans) add_job(json, plan, job, view);
    json.end_array().key("what_if").begin_array();
    for (const WhatIf& idea : plan.what_if) {
        json.begin_object().key("with").string(idea.choice->word).key("freed_gib").number(gib(idea.freed));
        json.key("cost").string(idea.choice->cost).key("fits").boolean(idea.fits).end_object();
    }
    json.end_array();
    if (view.explained && !plan.plans.empty()) {
        TRY_ASSIGN(const StageExplanation explained, explained_stage(plan, *view.explained));
        add_explanation(json.key("explained"), explained);
    }
    if (plan.searched) add_search(json, *plan.searched);
    if (plan.lists) add_lists(json, *plan.lists);
    if (plan.recompute) add_recompute(json, *plan.recompute);
    if (plan.least_devices) json.key("least_devices").integer(*plan.least_devices);
    if (plan.memory_scale) {
        json.key("memory_calibration").begin_object();
        json.key("stage").integer(static_cast<std::int64_t>(plan.memory_scale->stage));
        json.key("peak_gib").number(gib(plan.memory_scale->peak)).key("scale").number(plan.memory_scale->kept);
        if (plan.memory_scale->used) json.key("used_share").number(*plan.memory_scale->used);
        json.end_object();
    }
    json.key("not_verified").begin_array();
    for (const std::string& note : plan.notes) json.string(note);
    json.end_array().end_object();
    return std::move(json).take() + "\n";
}

}  // namespace ckpt
