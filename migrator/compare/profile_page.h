// ProfilePage: what the pages of compare and of profile are made of: bars, tables, sections, and the file around them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/language.h"
#include "base/page_template.h"
#include "base/result.h"
#include "migrator/compare/sheet.h"
#include "migrator/compare/time_parts.h"

namespace migrator {

// Text of the input in an element or attribute.
using base::page_text;

// A piece of a bar, from where to where on the bar's scale.
struct BarPiece {
    std::string css, says;
    double from = 0, to = 0;
};
// A picture as wide as its place. `label`: what it shows, for who does not see it; empty: the text beside it says so.
std::string bar_picture(std::span<const BarPiece> pieces, double scale, std::string_view label = {});

// What the colours of bars mean.
struct KeyEntry {
    std::string css, name;
};
std::string key_markup(const std::vector<KeyEntry>& entries);
// A bar between its name and its value.
std::string side_bar(std::string_view name, std::string_view bar, std::string_view value);

// The times of both sides as bars on one scale, or of one.
std::string stacked_bars(const TimeParts& times, bool has_two_sides, const base::Language& say);

// Cells of tables, as markup.
std::string text_cell_markup(std::string_view text, std::string_view css = {});
std::string number_cell_markup(double value, std::string_view shown);
std::string picture_cell_markup(std::string_view picture);

struct PageColumn {
    std::string title;
    bool is_number = false;
};
struct PageTable {
    std::string title;
    std::vector<PageColumn> columns;
    std::vector<std::vector<std::string>> rows;  // cells as markup
    bool is_sorted = false;                      // a click on a column's title sorts
    std::string search;                          // label of the field that searches in it; empty: there is none
};
// A section with its title.
std::string table_markup(const PageTable& table);
std::string section_markup(std::string_view title, std::string_view content);
std::string paragraph_markup(std::string_view text, std::string_view css);

// The rows of an overall sheet, of both sides or of one.
std::string overall_markup(const Sheet& overall, bool has_two_sides, const base::Language& say);

// One file, that asks for nothing else. `content`: sections. Fails with rule_data when a template is missing.
base::Result<std::string> profile_page(const std::string& title, const std::string& content,
                                       const base::DataStore& templates, const base::Language& say);

}  // namespace migrator
