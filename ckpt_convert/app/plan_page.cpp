#include "ckpt_convert/app/plan_page.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "base/markup.h"
#include "base/page_template.h"
#include "base/printable.h"
#include "ckpt_convert/execute/plan_text.h"

namespace ckpt {
namespace {

constexpr const char* kTemplate = "templates/plan/page.html";

// Names come from the checkpoint.
std::string html_text(std::string_view text) { return base::markup_text(base::printable(text)); }

std::string fact(std::string_view name, std::string_view value) {
    return base::format("<dt>{}</dt><dd>{}</dd>\n", name, html_text(value));
}

std::string facts_html(const ConvertSummary& summary) {
    std::string out =
        fact("from", summary.from) + fact("to", summary.to) +
        fact("model", base::format("{}, {}, {} parameters, {}", summary.family, base::plural(summary.layers, "layer"),
                                   base::human_count(summary.parameters), summary.dtypes));
    out += fact("read", base::human_bytes(summary.read_bytes));
    out += fact("written",
                base::format("{}, {} in {}", base::plural(summary.tensors, "tensor"),
                             base::human_bytes(summary.written_bytes), base::plural(summary.files.size(), "file")));
    for (const std::string& note : summary.notes) out += fact("note", note);
    return out;
}

// Each cell is filled as far as its rank is, of the largest.
std::string ranks_html(const RankMatrix& matrix) {
    std::string out = "<section>\n<h2>Stages and ranks</h2>\n<table>\n<tr><th>stage</th><th>layers</th>";
    for (const std::string& rank : matrix.ranks) out += base::format("<th>{}</th>", html_text(rank));
    out += "</tr>\n";
    const std::uint64_t largest = std::max<std::uint64_t>(matrix.largest(), 1);
    for (std::size_t stage = 0; stage < matrix.stages.size(); ++stage) {
        out += base::format("<tr><td>PP {}</td><td>{}</td>", stage, html_text(matrix.stages[stage].layers));
        for (const std::uint64_t bytes : matrix.stages[stage].bytes)
            out += base::format("<td class=\"bytes\" style=\"--part: {}%\">{}</td>", bytes * 100 / largest,
                                base::human_bytes(bytes));
        out += "</tr>\n";
    }
    out += "</table>\n";
    if (const std::string uneven = uneven_text(matrix); !uneven.empty())
        out += base::format("<p class=\"uneven\">{}</p>\n", html_text(uneven));
    return out + "</section>\n";
}

std::string files_html(const PlannedOutput& target) {
    std::string out;
    for (const DescribedFile& file : described_files(target.plan, target.output)) {
        out += base::format("<details><summary><code>{}</code> {}, {}</summary>\n", html_text(file.file->path),
                            base::human_bytes(file.file->bytes), base::plural(file.tensors.size(), "tensor"));
        out += "<table>\n<tr><th>tensor</th><th>type</th><th>shape</th><th>made of</th></tr>\n";
        for (const DescribedTensor& tensor : file.tensors)
            out += base::format("<tr><td class=\"name\">{}</td><td>{}</td><td>{}</td><td class=\"made\">{}</td></tr>\n",
                                html_text(tensor.target->name), name(tensor.target->dtype),
                                to_string(tensor.target->shape_in_file()), html_text(tensor.made_of));
        out += "</table>\n</details>\n";
    }
    return out;
}

}  // namespace

Result<std::string> plan_page(const base::DataStore& templates, const ConvertSummary& summary,
                              const PlannedOutput& target) {
    const std::string_view* text = templates.find(kTemplate);
    if (text == nullptr) return base::fail(ErrorKind::rule_data, "the template is missing", kTemplate);
    return base::filled_page(*text, {{"{{title}}", html_text(base::format("{} to {}", summary.from, summary.to))},
                                     {"{{facts}}", facts_html(summary)},
                                     {"{{ranks}}", target.ranks ? ranks_html(*target.ranks) : ""},
                                     {"{{files}}", files_html(target)}});
}

}  // namespace ckpt
