#include "migrator/compare/profile_page.h"

#include <algorithm>

#include "base/format.h"
#include "base/page_template.h"

namespace migrator {
namespace {

constexpr double kBarWidth = 1000;

// The style has so many colours.
std::string css_of_part(std::size_t number) { return base::format("p{}", number % 16); }

std::string head_markup(const PageTable& table) {
    std::string out = "<thead><tr>";
    for (const PageColumn& column : table.columns) {
        const std::string title = page_text(column.title);
        out += base::format("<th scope=\"col\"{}>{}</th>", column.is_number ? " class=\"number\"" : "",
                            table.is_sorted ? "<button type=\"button\">" + title + "</button>" : title);
    }
    return out + "</tr></thead>";
}

}  // namespace

std::string bar_picture(std::span<const BarPiece> pieces, double scale, std::string_view label) {
    std::string out =
        base::format("<svg class=\"bar\" viewBox=\"0 0 {} 20\" preserveAspectRatio=\"none\" {}>", kBarWidth,
                     label.empty() ? std::string("aria-hidden=\"true\"")
                                   : base::format("role=\"img\" aria-label=\"{}\"", page_text(label)));
    for (const BarPiece& piece : pieces) {
        const double from = scale > 0 ? piece.from / scale * kBarWidth : 0;
        const double width = scale > 0 ? (piece.to - piece.from) / scale * kBarWidth : 0;
        if (width <= 0) continue;
        out += base::format(
            "<rect class=\"{}\" x=\"{:.2f}\" y=\"0\" width=\"{:.2f}\" height=\"20\"><title>{}</title></rect>",
            piece.css, from, width, page_text(piece.says));
    }
    return out + "</svg>";
}

std::string key_markup(const std::vector<KeyEntry>& entries) {
    std::string out = "<ul class=\"key\">\n";
    for (const KeyEntry& entry : entries)
        out += base::format(
            "<li><svg viewBox=\"0 0 1 1\" aria-hidden=\"true\"><rect class=\"{}\" width=\"1\" height=\"1\"/>"
            "</svg>{}</li>\n",
            entry.css, page_text(entry.name));
    return out + "</ul>\n";
}

std::string side_bar(std::string_view name, std::string_view bar, std::string_view value) {
    return base::format("<div class=\"side\"><span class=\"name\">{}</span>{}<span class=\"value\">{}</span></div>\n",
                        page_text(name), bar, page_text(value));
}

std::string stacked_bars(const TimeParts& times, bool has_two_sides, const base::Language& say) {
    using Side = double TimePart::*;
    std::vector<std::pair<std::string, Side>> sides{
        {has_two_sides ? say.text("base") : std::string(), &TimePart::base}};
    if (has_two_sides) sides.emplace_back(say.text("new"), &TimePart::compared);
    double scale = 0;
    for (const auto& [name, side] : sides) {
        double sum = 0;
        for (const TimePart& part : times.parts) sum += std::max(part.*side, 0.0);
        scale = std::max(scale, sum);
    }
    std::string out;
    for (const auto& [name, side] : sides) {
        std::vector<BarPiece> pieces;
        std::string label = name;
        double at = 0;
        for (std::size_t i = 0; i < times.parts.size(); ++i) {
            const double time = times.parts[i].*side;
            if (time <= 0) continue;
            const std::string says = base::format("{}: {:.3f} ms", say.text(times.parts[i].name), time);
            label += (label.empty() ? "" : ", ") + says;
            pieces.push_back({css_of_part(i), says, at, at + time});
            at += time;
        }
        out += side_bar(name, bar_picture(pieces, scale, label), base::format("{:.3f} ms", times.whole.*side));
    }
    std::vector<KeyEntry> key;
    for (std::size_t i = 0; i < times.parts.size(); ++i) key.push_back({css_of_part(i), say.text(times.parts[i].name)});
    return out + key_markup(key);
}

std::string text_cell_markup(std::string_view text, std::string_view css) {
    return base::format("<td class=\"{}\">{}</td>", css, page_text(text));
}

std::string number_cell_markup(double value, std::string_view shown) {
    return base::format("<td class=\"number\" data-value=\"{}\">{}</td>", value, page_text(shown));
}

std::string picture_cell_markup(std::string_view picture) {
    return base::format("<td class=\"picture\">{}</td>", picture);
}

std::string table_markup(const PageTable& table) {
    std::string out;
    if (!table.search.empty())
        out += base::format(
            "<div class=\"tools\"><label>{} <input type=\"search\"></label><span class=\"shown\" role=\"status\">"
            "</span></div>\n",
            page_text(table.search));
    // What scrolls sideways can be reached by keyboard.
    out += base::format("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table{}>\n{}\n<tbody>\n",
                        page_text(table.title), table.is_sorted ? " class=\"sorted\"" : "", head_markup(table));
    for (const auto& row : table.rows) {
        out += "<tr>";
        for (const std::string& cell : row) out += cell;
        out += "</tr>\n";
    }
    return section_markup(table.title, out + "</tbody>\n</table></div>\n");
}

std::string section_markup(std::string_view title, std::string_view content) {
    return base::format("<section>\n<h2>{}</h2>\n{}</section>\n", page_text(title), content);
}

std::string paragraph_markup(std::string_view text, std::string_view css) {
    return base::format("<p class=\"{}\">{}</p>\n", css, page_text(text));
}

std::string overall_markup(const Sheet& overall, bool has_two_sides, const base::Language& say) {
    PageTable table{say.text("Where the time went"), {{say.text("part"), false}}, {}, false, {}};
    const std::vector<std::string> titles = has_two_sides ? std::vector<std::string>{"base", "new", "more"}
                                                          : std::vector<std::string>{"milliseconds", "share"};
    for (const std::string& title : titles) table.columns.push_back({say.text(title), true});
    for (const SheetRow& row : overall.rows) {
        const std::string name = text_in(row[0]);
        const std::size_t depth = name.find_first_not_of('\t');
        const double base = number_in(row[1]), compared = number_in(row[4]);
        std::vector<std::string> cells{text_cell_markup(say.text(name.substr(depth)), base::format("depth{}", depth)),
                                       number_cell_markup(base, base::format("{:.3f}", base))};
        if (has_two_sides) {
            cells.push_back(number_cell_markup(compared, base::format("{:.3f}", compared)));
            cells.push_back(number_cell_markup(compared - base, base::format("{:+.3f}", compared - base)));
        } else {
            cells.push_back(number_cell_markup(number_in(row[2]), base::format("{:.2f}%", 100 * number_in(row[2]))));
        }
        table.rows.push_back(std::move(cells));
    }
    return table_markup(table);
}

base::Result<std::string> profile_page(const std::string& title, const std::string& content,
                                       const base::DataStore& templates, const base::Language& say) {
    TRY_ASSIGN(const std::string_view page, base::template_text(templates, "templates/profile/page.html"));
    TRY_ASSIGN(const std::string_view common_style, base::template_text(templates, "templates/ops/style.css"));
    TRY_ASSIGN(const std::string_view own_style, base::template_text(templates, "templates/profile/style.css"));
    TRY_ASSIGN(const std::string_view script, base::template_text(templates, "templates/profile/page.js"));
    const std::string style = std::string(common_style) + std::string(own_style);
    return base::filled_page(page, {{"{{language}}", say.code() == "zh" ? "zh-CN" : say.code()},
                                    {"{{title}}", page_text(title)},
                                    {"{{style}}", style},
                                    {"{{style_hash}}", base::policy_hash(style)},
                                    {"{{script}}", std::string(script)},
                                    {"{{script_hash}}", base::policy_hash(script)},
                                    {"{{content}}", content}});
}

}  // namespace migrator
