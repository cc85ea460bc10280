#include "ckpt_convert/app/plan_page.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "base/page_template.h"
#include "ckpt_convert/execute/plan_text.h"

namespace ckpt {
namespace {

using base::page_text;

constexpr const char* kTemplate = "templates/plan/page.html";

std::string facts_html(const ConvertSummary& summary) {
    std::string out =
        page_fact("from", summary.from) + page_fact("to", summary.to) + page_fact("model", model_text(summary));
    out += page_fact("read", base::human_bytes(summary.read_bytes));
    out += page_fact(
        "written", base::format("{}, {} in {}", base::plural(summary.tensors, "tensor"),
                                base::human_bytes(summary.written_bytes), base::plural(summary.files.size(), "file")));
    for (const std::string& note : summary.notes) out += page_fact("note", note);
    return out;
}

// Each cell is filled as far as its rank is, of the largest.
std::string ranks_html(const RankMatrix& matrix) {
    std::string out = "<section>\n<h2>Stages and ranks</h2>\n<table>\n<tr><th>stage</th><th>layers</th>";
    for (const std::string& rank : matrix.ranks) out += base::format("<th>{}</th>", page_text(rank));
    out += "</tr>\n";
    const std::uint64_t largest = std::max<std::uint64_t>(matrix.largest(), 1);
    for (std::size_t stage = 0; stage < matrix.stages.size(); ++stage) {
        out += base::format("<tr><td>PP {}</td><td>{}</td>", stage, page_text(matrix.stages[stage].layers));
        for (const std::uint64_t bytes : matrix.stages[stage].bytes)
            out += base::format("<td class=\"bytes\" style=\"--part: {}%\">{}</td>", bytes * 100 / largest,
                                base::human_bytes(bytes));
        out += "</tr>\n";
    }
    out += "</table>\n";
    if (const std::string uneven = uneven_text(matrix); !uneven.empty())
        out += base::format("<p class=\"uneven\">{}</p>\n", page_text(uneven));
    return out + "</section>\n";
}

std::string files_html(const PlannedOutput& target) {
    std::string out;
    describe_files(target.plan, target.output, [&](const DescribedFile& file) {
        out += base::format("<details><summary><code>{}</code> {}, {}</summary>\n", page_text(file.file->path),
                            base::human_bytes(file.file->bytes), base::plural(file.tensors.size(), "tensor"));
        out += "<table>\n<tr><th>tensor</th><th>type</th><th>shape</th><th>made of</th></tr>\n";
        for (const DescribedTensor& tensor : file.tensors)
            out += base::format("<tr><td class=\"name\">{}</td><td>{}</td><td>{}</td><td class=\"made\">{}</td></tr>\n",
                                page_text(tensor.target->name.get()), name(tensor.target->dtype),
                                to_string(tensor.target->shape_in_file()), page_text(tensor.made_of));
        out += "</table>\n</details>\n";
    });
    return out;
}

}  // namespace

std::string page_fact(std::string_view name, std::string_view value) {
    return base::format("<dt>{}</dt><dd>{}</dd>\n", name, page_text(value));
}

Result<std::string> plan_page(const base::DataStore& templates, const ConvertSummary& summary,
                              const PlannedOutput& target) {
    TRY_ASSIGN(const std::string_view text, base::template_text(templates, kTemplate));
    TRY_ASSIGN(const std::string_view style, base::template_text(templates, kPlanStyle));
    return base::filled_page(text, {{"{{style}}", std::string(style)},
                                    {"{{title}}", page_text(base::format("{} to {}", summary.from, summary.to))},
                                    {"{{facts}}", facts_html(summary)},
                                    {"{{ranks}}", target.ranks ? ranks_html(*target.ranks) : ""},
                                    {"{{files}}", files_html(target)}});
}

}  // namespace ckpt
