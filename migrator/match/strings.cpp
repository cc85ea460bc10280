#include <algorithm>

#include "migrator/match/literal.h"
#include "migrator/match/words.h"

namespace migrator {
namespace {

void match_literal(const PythonFile& file, const Literal& literal, const StringRow& row, FindingSink& sink) {
    base::ByteRange place = file.tree().range(literal.node);
    auto whole = literal.range_of(0, literal.text.size());
    if (row.qualified_names) {
        const NameRow* name = file.rules().name_row(literal.text);
        if (name == nullptr || !name->to || literal.text.find('.') == literal.text.npos) return;
        Finding finding =
            make_finding(*row.rule, place, literal.text, Certainty::likely, *name->to, name->note, name->source);
        if (whole) finding.fix = Fix{rename_dotted(*whole, literal.text, *name->to), row.rule->imports};
        sink.push_back(std::move(finding));
        return;
    }
    if (std::find(row.values.begin(), row.values.end(), literal.text) == row.values.end()) return;
    auto replacement = row.replace.find(literal.text);
    std::string_view to = replacement == row.replace.end() ? std::string_view{} : std::string_view(replacement->second);
    Finding finding = make_finding(*row.rule, place, literal.text, Certainty::likely, to, {}, {});
    if (whole && replacement != row.replace.end())
        finding.fix = Fix{{{*whole, replacement->second}}, row.rule->imports};
    sink.push_back(std::move(finding));
}

}  // namespace

void match_strings(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink) {
    for (const Literal& literal : literals) {
        if (literal.text.empty()) continue;
        for (const StringRow& row : file.rules().strings()) match_literal(file, literal, row, sink);
    }
}

}  // namespace migrator
