#include "migrator/compare/comparison_page.h"

#include <algorithm>

#include "base/format.h"
#include "migrator/compare/profile_page.h"
#include "migrator/compare/time_parts.h"

namespace migrator {
namespace {

using base::Language;

std::string signed_text(double milliseconds) { return base::format("{:+.3f}", milliseconds); }

// How the page calls both sides, and what is to be known of them.
std::string sides_markup(const Comparison& comparison, const Language& say) {
    std::string out;
    for (const auto& [title, side] :
         {std::pair(say.text("base"), comparison.base.get()), std::pair(say.text("new"), comparison.compared.get())}) {
        out += paragraph_markup(side_line(say, title, *side), "note");
        for (const base::Message& note : side->metrics.notes)
            out += paragraph_markup(say.show("{}: {}", title, say.said(note.text())), "note");
    }
    for (const std::string& damage : comparison.damage()) out += paragraph_markup(say.said(damage), "note");
    return out;
}

// What costs the difference, from the whole of the base to that of the new profile.
std::string waterfall_markup(const TimeParts& times, const Language& say) {
    PageTable table{say.text("What costs the difference"),
                    {{say.text("part"), false}, {say.text("more"), true}, {say.text("from base to new"), false}},
                    {},
                    false,
                    {}};
    std::vector<TimePart> steps = times.parts;
    TimePart together = times.side_by_side();
    together.name = "side by side";
    steps.push_back(together);
    std::erase_if(steps, [](const TimePart& part) { return part.more() == 0; });
    std::ranges::stable_sort(steps, std::greater<>(), &TimePart::more);
    double at = times.whole.base, scale = std::max(times.whole.base, times.whole.compared);
    for (const TimePart& part : steps) scale = std::max(scale, at += part.more());
    const auto add = [&](const std::string& name, double value, const std::string& shown, const BarPiece& piece) {
        table.rows.push_back({text_cell_markup(say.text(name)), number_cell_markup(value, shown),
                              picture_cell_markup(bar_picture(std::span(&piece, 1), scale))});
    };
    const auto add_whole = [&](const std::string& name, double value) {
        const std::string shown = base::format("{:.3f}", value);
        add(name, value, shown, {"whole", shown, 0, value});
    };
    add_whole("base", times.whole.base);
    at = times.whole.base;
    for (const TimePart& part : steps) {
        const double next = at + part.more();
        add(part.name, part.more(), signed_text(part.more()),
            {part.more() > 0 ? "more" : "less", signed_text(part.more()), std::min(at, next), std::max(at, next)});
        at = next;
    }
    add_whole("new", times.whole.compared);
    return table_markup(table);
}

std::string operators_markup(const Sheet& statistic, const Language& say) {
    PageTable table{say.text("Operators"), {{say.text("operator"), false}}, {}, true, say.text("Search")};
    for (const char* title : {"base, ms", "calls in base", "new, ms", "calls in new", "more, ms", "factor"})
        table.columns.push_back({say.text(title), true});
    for (const SheetRow& row : statistic.rows) {
        const double a = number_in(row[2]), b = number_in(row[4]);
        std::vector<std::string> cells{text_cell_markup(text_in(row[1]), "name")};
        for (const std::size_t column : {2, 3, 4, 5}) {
            const double value = number_in(row[column]);
            cells.push_back(number_cell_markup(
                value, column % 2 == 0 ? base::format("{:.3f}", value) : base::format("{:.0f}", value)));
        }
        cells.push_back(number_cell_markup(b - a, signed_text(b - a)));
        cells.push_back(a == 0 ? text_cell_markup("-", "number")
                               : number_cell_markup(b / a, base::format("{:.2f}", b / a)));
        table.rows.push_back(std::move(cells));
    }
    return table_markup(table);
}

// Of each module the sum over its runs, which the sheet has in front of its operators.
std::string modules_markup(const Sheet& statistic, const Language& say) {
    PageTable table{say.text("Modules"), {{say.text("module"), false}}, {}, true, say.text("Search")};
    for (const char* title :
         {"base, ms", "runs in base", "new, ms", "runs in new", "more, ms", "of it itself, ms", "factor"})
        table.columns.push_back({say.text(title), true});
    const auto time_cell = [](double value) { return number_cell_markup(value, base::format("{:.3f}", value)); };
    for (const SheetRow& row : statistic.rows) {
        if (text_in(row[4]) != kModuleTotal) continue;
        const double a = number_in(row[8]), b = number_in(row[12]);
        std::vector<std::string> cells{text_cell_markup(text_in(row[3]), "name"), time_cell(a)};
        cells.push_back(number_cell_markup(number_in(row[7]), base::format("{:.0f}", number_in(row[7]))));
        cells.push_back(time_cell(b));
        cells.push_back(number_cell_markup(number_in(row[11]), base::format("{:.0f}", number_in(row[11]))));
        const double itself = number_in(row[10]) - number_in(row[6]);
        cells.push_back(number_cell_markup(b - a, signed_text(b - a)));
        cells.push_back(number_cell_markup(itself, signed_text(itself)));
        cells.push_back(a == 0 ? text_cell_markup("-", "number")
                               : number_cell_markup(b / a, base::format("{:.2f}", b / a)));
        table.rows.push_back(std::move(cells));
    }
    return table.rows.empty() ? std::string() : table_markup(table);
}

// Nothing where no cause is known.
std::string causes_markup(const Sheet& causes, const Language& say) {
    PageTable table{say.text("Why operators cost more"),
                    {{say.text("operator"), false}, {say.text("more, ms"), true}, {say.text("why"), false}},
                    {},
                    false,
                    {}};
    for (const SheetRow& row : causes.rows) {
        std::string why;
        for (const base::Message& cause : causes_of(row))
            why += base::format("{}{}", why.empty() ? "" : "; ", say.said(cause.text()));
        if (why.empty()) continue;
        table.rows.push_back({text_cell_markup(text_in(row[1]), "name"),
                              number_cell_markup(number_in(row[4]), signed_text(number_in(row[4]))),
                              text_cell_markup(why)});
    }
    return table.rows.empty() ? std::string() : table_markup(table);
}

std::string overall_sections(const Sheet& overall, const Language& say) {
    const TimeParts times = time_parts(overall);
    return section_markup(say.text("Side by side"),
                          paragraph_markup(difference_line(say, times), "says") + stacked_bars(times, true, say)) +
           waterfall_markup(times, say) + overall_markup(overall, true, say);
}

}  // namespace

base::Result<std::string> comparison_page(const Comparison& comparison, const base::DataStore& templates,
                                          const base::Language& say) {
    std::string content;
    if (const Sheet* overall = named_sheet(comparison.sheets, "OverallMetrics"))
        content += overall_sections(*overall, say);
    if (const Sheet* statistic = named_sheet(comparison.sheets, "OperatorCompareStatistic"))
        content += operators_markup(*statistic, say);
    if (const Sheet* modules = named_sheet(comparison.sheets, "ModuleCompareStatistic"))
        content += modules_markup(*modules, say);
    if (const Sheet* causes = named_sheet(comparison.sheets, "OperatorCauses")) content += causes_markup(*causes, say);
    content += section_markup(say.text("Profiles"), sides_markup(comparison, say));
    return profile_page(say.text("Comparison of profiles"), content, templates, say);
}

}  // namespace migrator
