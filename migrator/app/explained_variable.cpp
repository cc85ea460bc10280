#include "migrator/app/explained_variable.h"

#include <vector>

#include "base/text.h"

namespace migrator {
namespace {

using base::Language;

// What values there are: limits, the form, the options of a list.
std::vector<std::string> values_of_row(const Language& say, const VariableValues& row) {
    std::vector<std::string> out;
    if (const base::Message words = row.words(); !words.empty()) out.push_back(say.message(words));
    if (!row.form.empty()) out.push_back(say.text(row.form));
    for (const auto& [option, limits] : row.options) {
        const base::Message words = limits.words();
        out.push_back(words.empty() ? option : base::format("{}: {}", option, say.message(words)));
    }
    return out;
}

std::vector<std::string> not_beside_of(const Language& say, const VariableValues& row) {
    std::vector<std::string> out;
    for (const base::NotBeside& one : row.not_beside) out.push_back(say.text(one.note));
    for (const auto& [option, others] : row.excludes)
        out.push_back(say.format("{} excludes {}.", option, base::joined(others, ", ")));
    return out;
}

const std::string& source_of_row(const VariableValues& row) {
    return row.source.empty() ? row.rule->source : row.source;
}

// The page of the variable, where its source names one: "hicann/hccl docs: docs/zh/PAGE.md".
std::string address_in(std::string_view cited, std::string_view url) {
    const std::size_t place = cited.find(": ");
    const bool is_page = place != cited.npos && cited.ends_with(".md") && url.starts_with("https://github.com/");
    return is_page ? base::format("{}/blob/master/{}", url, cited.substr(place + 2)) : std::string(url);
}

}  // namespace

const VariableValues* explained_variable(const RuleSet& rules, const std::string& word) {
    if (const VariableValues* row = rules.values_of(word)) return row;
    for (const auto& [name, row] : rules.variable_values) {
        if (row.options.contains(word)) return &row;
    }
    return nullptr;
}

std::string variable_page(const Language& say, const RuleSet& rules, const VariableValues& row) {
    std::string out = say.show("\nThe environment variable {}:\n", row.name);
    const auto line = [&](std::string_view title, const std::string& text) {
        if (!text.empty()) out += say.show("  {}: {}\n", say.text(title), text);
    };
    if (!row.meaning.empty()) out += say.show("  {}\n", say.text(row.meaning));
    line("Values", base::joined(values_of_row(say, row), "; "));
    line("Unit", row.unit);
    line("Without it", row.otherwise);
    line("When to set it", row.use_when.empty() ? "" : say.text(row.use_when));
    line("Note", row.note.empty() ? "" : say.text(row.note));
    line("Not together", base::joined(not_beside_of(say, row), " "));
    line("From", row.since);
    line("Replaced by", row.instead);
    line("Source", source_of_row(row));
    for (const auto& [key, entry] : cited_sources(rules.sources, source_of_row(row)))
        out += say.show("    {}: {}\n", key, address_in(source_of_row(row), entry.url));
    return out;
}

void write_variable(base::JsonWriter& json, const RuleSet& rules, const VariableValues& row) {
    const Language english;
    json.begin_object();
    json.key("name").string(row.name);
    json.key("meaning").string(row.meaning);
    json.key("values").begin_array();
    for (const std::string& value : values_of_row(english, row)) json.string(value);
    json.end_array();
    json.key("unit").string(row.unit);
    json.key("default").string(row.otherwise);
    json.key("use_when").string(row.use_when);
    json.key("note").string(row.note);
    json.key("not_together").begin_array();
    for (const std::string& one : not_beside_of(english, row)) json.string(one);
    json.end_array();
    json.key("since").string(row.since);
    json.key("instead").string(row.instead);
    json.key("source").string(source_of_row(row));
    json.key("urls").begin_array();
    for (const auto& [key, entry] : cited_sources(rules.sources, source_of_row(row))) {
        json.string(address_in(source_of_row(row), entry.url));
    }
    json.end_array();
    json.end_object();
}

}  // namespace migrator
