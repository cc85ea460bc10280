#include "ckpt_convert/app/training_plan_page.h"

#include <algorithm>

#include "base/human.h"
#include "base/page_template.h"
#include "ckpt_convert/app/plan_commands.h"
#include "ckpt_convert/app/plan_page.h"
#include "ckpt_convert/step_time/pipeline_drawing.h"

namespace ckpt {
namespace {

constexpr const char* kTrainingTemplate = "templates/plan/training.html";

using base::page_text;

std::string facts_of_plan(const TrainingPlan& plan) {
    const ModelShape& model = plan.model.shape;
    std::string out = page_fact("model", plan.model.title);
    out +=
        page_fact("parameters", base::format("{}, {} of them for a token",
                                             base::human_count(static_cast<std::uint64_t>(model.parameters())),
                                             base::human_count(static_cast<std::uint64_t>(model.active_parameters()))));
    out += page_fact("device", plan.device.name);
    if (!plan.device.note.empty()) out += page_fact("its figures", plan.device.note);
    if (plan.least_devices)
        out += page_fact("fits on", base::plural(static_cast<std::uint64_t>(*plan.least_devices), "device"));
    for (const std::string& note : plan.notes) out += page_fact("not verified", note);
    return out;
}

std::string legend() {
    std::string out = "<ul class=\"legend\">\n";
    for (std::size_t line = 0; line < kMemoryLines; ++line)
        out += base::format("<li><span class=\"line{}\"></span>{}</li>\n", line, name(static_cast<MemoryLine>(line)));
    return out + "</ul>\n";
}

// Each part as wide as it is of the fullest stage, or of the budget where that is more.
std::string stage_html(std::size_t number, const StageMemory& stage, double usable, double full) {
    std::vector<std::string> parts;
    for (std::size_t line = 0; line < kMemoryLines; ++line)
        parts.push_back(base::format("{} {:.1f} GiB", name(static_cast<MemoryLine>(line)), gib(stage.bytes[line])));
    std::string out = base::format("<tr><td>{}</td><td><div class=\"bar\" role=\"img\" aria-label=\"{}\">", number,
                                   base::joined(parts, ", "));
    for (std::size_t line = 0; line < kMemoryLines; ++line) {
        out += base::format("<span class=\"line{}\" style=\"--part: {:.2f}%\" title=\"{}\"></span>", line,
                            stage.bytes[line] * 100 / full, parts[line]);
    }
    return out + base::format("<i style=\"--part: {:.2f}%\"></i></div></td><td class=\"bytes\">{:.1f} GiB</td></tr>\n",
                              usable * 100 / full, stage.peak() / kGiB);
}

std::string plan_html(const TrainingPlan& whole, const JobPlan& plan, const PlanView& view) {
    const double usable = plan.budget.usable();
    std::string out = base::format("<section>\n<h2>{}: {}</h2>\n", page_text(layout_title(plan.job)),
                                   plan.fits() ? "fits" : "does not fit");
    out += legend() + "<table class=\"stages\">\n<tr><th>stage</th><th>a device of it</th><th>peak</th></tr>\n";
    const double full = std::max(usable, plan.peak());
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage)
        out += stage_html(stage, plan.stages[stage], usable, full);
    out += base::format("</table>\n<p>The dashed line is the budget, {:.1f} of {:.1f} GiB.</p>\n", usable / kGiB,
                        plan.budget.capacity / kGiB);
    if (plan.time)
        out += base::format("<p>A step takes {:.3g} s ({:.3g} to {:.3g}): {:.0f} tokens/s for each device.</p>\n",
                            plan.time->time.seconds, plan.time->time.low, plan.time->time.high,
                            plan.time->time.tokens_per_second);
    for (const std::string& command :
         {conversion_command(whole, plan.job, view.model), scripts_command(whole, plan, view.model)})
        if (!command.empty()) out += base::format("<p><code>{}</code></p>\n", page_text(command));
    return out + "</section>\n";
}

// The picture keeps its size where the window is narrow, and is scrolled.
std::string pipeline_html(const PipelineChart& chart, const std::string& layout) {
    return "<section>\n<h2>Stages over time, and how long each waits</h2>\n<ul class=\"legend pipeline\">"
           "<li><span class=\"forward\"></span>forward</li><li><span class=\"backward\"></span>backward</li>"
           "<li><span class=\"pair\"></span>both at once</li><li><span class=\"weights\"></span>gradients of "
           "weights</li>"
           "<li><span class=\"idle\"></span>waiting</li></ul>\n"
           "<div class=\"scrolled\" tabindex=\"0\" role=\"region\" aria-label=\"Stages over time, " +
           page_text(layout) + "\">\n" + pipeline_svg(chart) + "</div>\n</section>\n";
}

std::string ideas_html(const TrainingPlan& plan) {
    if (plan.what_if.empty()) return "";
    std::string out = base::format(
        "<section>\n<h2>What frees most on stage {} of the first layout</h2>\n<table>\n"
        "<tr><th>GiB</th><th>--with</th><th>cost</th><th>then</th></tr>\n",
        plan.plans.front().fullest());
    for (const WhatIf& idea : plan.what_if) {
        out += base::format("<tr><td class=\"bytes\">{:.1f}</td><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                            idea.freed / kGiB, page_text(idea.choice->word), page_text(idea.choice->cost),
                            idea.fits ? "fits" : "does not fit");
    }
    return out + "</table>\n</section>\n";
}

}  // namespace

Result<std::string> training_plan_page(const base::DataStore& templates, const TrainingPlan& plan,
                                       const PlanView& view) {
    TRY_ASSIGN(const std::string_view text, base::template_text(templates, kTrainingTemplate));
    TRY_ASSIGN(const std::string_view style, base::template_text(templates, kPlanStyle));
    std::string plans;
    for (const JobPlan& job : plan.plans) {
        plans += plan_html(plan, job, view);
        if (job.time && !job.time->chart.ranks.empty()) plans += pipeline_html(job.time->chart, layout_title(job.job));
    }
    return base::filled_page(text, {{"{{style}}", std::string(style)},
                                    {"{{title}}", page_text(plan.model.title)},
                                    {"{{facts}}", facts_of_plan(plan)},
                                    {"{{plans}}", plans},
                                    {"{{ideas}}", ideas_html(plan)}});
}

}  // namespace ckpt
