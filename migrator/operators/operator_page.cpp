#include "migrator/operators/operator_page.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/human.h"
#include "base/page_template.h"

namespace migrator {
namespace {

using base::Language;
using base::page_text;

std::string header_row(const OperatorReport& report, const Language& say) {
    std::string out = "<tr>";
    const auto add = [&](const std::string& text, std::string_view css = {}) {
        out += base::format("<th class=\"{}\">{}</th>", css, page_text(text));
    };
    add(say.text("operator"));
    add(say.text("dtype"));
    add(say.text("calls"));
    add(say.text("share"));
    for (const ChipRow& chip : report.chips->chips) {
        const std::string_view css = chip.name == report.chip->name ? "chosen" : "";
        add(say.text(chip.product), css);
    }
    add(say.text("why, and what to write in its place"));
    return out + "</tr>";
}

std::string reason_cell(const OperatorJudgement& said, const Language& say) {
    std::string out;
    if (!said.by.empty()) out += base::format("<code>{}</code> ", page_text(said.by));
    out += page_text(say.said(said.why));
    if (!said.instead.empty())
        out += base::format("<span class=\"instead\">{}</span>", page_text(say.said(said.instead)));
    return out + base::format("<details><summary>{}</summary>{}</details>", page_text(say.text("source")),
                              page_text(said.source));
}

std::string operator_rows(const OperatorReport& report, const Language& say) {
    std::vector<const JudgedOperator*> sorted;
    for (const JudgedOperator& item : report.operators) sorted.push_back(&item);
    std::stable_sort(sorted.begin(), sorted.end(), [](const JudgedOperator* a, const JudgedOperator* b) {
        const bool a_runs = is_on_npu(a->judgement.worst()), b_runs = is_on_npu(b->judgement.worst());
        return a_runs != b_runs ? b_runs : a->share > b->share;
    });
    std::string out;
    for (const JudgedOperator* item : sorted) {
        out += base::format("<tr data-verdict=\"{}\"><td class=\"name\">{}</td><td>{}</td>",
                            name(item->judgement.worst()), page_text(item->input.name), page_text(item->input.dtype));
        out += base::format("<td class=\"number\">{}</td><td class=\"number\">{}</td>",
                            base::with_separators(item->input.count), percent_of(item->share));
        for (std::size_t i = 0; i < item->by_chip.size(); ++i) {
            const bool is_chosen = report.chips->chips[i].name == report.chip->name;
            out += base::format("<td class=\"verdict {}{}\">{}</td>", name(item->by_chip[i]),
                                is_chosen ? " chosen" : "", name(item->by_chip[i]));
        }
        out += base::format("<td class=\"why\">{}</td></tr>\n", reason_cell(item->judgement, say));
    }
    return out;
}

std::string share_bars(const OperatorReport& report) {
    std::map<OperatorVerdict, double> shares;
    for (const JudgedOperator& item : report.operators) shares[item.judgement.worst()] += item.share;
    std::string out = "<ul class=\"bars\">\n";
    for (const auto& [verdict, share] : shares)
        out += base::format(
            "<li><meter min=\"0\" max=\"1\" value=\"{:.4f}\"></meter> <span class=\"{}\">{}</span> {}</li>\n", share,
            name(verdict), name(verdict), percent_of(share));
    return out + "</ul>\n";
}

std::string verdict_options(const OperatorReport& report, const Language& say) {
    std::string out;
    for (const OperatorVerdict verdict : base::kAll<OperatorVerdict>)
        out += base::format("<option value=\"{0}\">{0}: {1}</option>", name(verdict),
                            page_text(say.text(report.chips->verdicts.at(std::string(name(verdict))))));
    return out;
}

std::string notes(const OperatorReport& report, const Language& say) {
    std::string out;
    const auto add = [&](const std::string& text) {
        if (!text.empty()) out += base::format("<p class=\"note\">{}</p>\n", page_text(text));
    };
    add(say.said(report.read.warning));
    add(say.text(report.chip->weak));
    add(report.basis(say));
    return out;
}

}  // namespace

base::Result<std::string> operator_report_page(const OperatorReport& report, const base::DataStore& templates,
                                               const Language& say) {
    TRY_ASSIGN(const std::string_view page, base::template_text(templates, "templates/ops/page.html"));
    TRY_ASSIGN(const std::string_view style, base::template_text(templates, "templates/ops/style.css"));
    TRY_ASSIGN(const std::string_view script, base::template_text(templates, "templates/ops/page.js"));
    return base::filled_page(page, {{"{{language}}", say.code() == "zh" ? "zh-CN" : say.code()},
                                    {"{{title}}", page_text(say.show("Operators of {}", report.input))},
                                    {"{{style}}", std::string(style)},
                                    {"{{style_hash}}", base::policy_hash(style)},
                                    {"{{script}}", std::string(script)},
                                    {"{{script_hash}}", base::policy_hash(script)},
                                    {"{{says}}", page_text(report.sentence(say))},
                                    {"{{bars}}", share_bars(report)},
                                    {"{{notes}}", notes(report, say)},
                                    {"{{search}}", page_text(say.text("Search"))},
                                    {"{{verdict}}", page_text(say.text("Verdict"))},
                                    {"{{all}}", page_text(say.text("all verdicts"))},
                                    {"{{verdicts}}", verdict_options(report, say)},
                                    {"{{head}}", header_row(report, say)},
                                    {"{{rows}}", operator_rows(report, say)}});
}

}  // namespace migrator
