// Notebooks: the code cells as one Python text and one shell text, and their findings in the places of the JSON.
#include "migrator/match/notebook_cells.h"
#include "base/format.h"
#include "migrator/match/matchers.h"
#include "migrator/match/text_file.h"

namespace migrator {

std::vector<Finding> match_cells(const SourceFile& file, const ParsedText& python, const MatchContext& context) {
    FindingSink found;
    match_python(file.path, python, context, false, found);
    sort_findings(found);
    return found;
}

std::vector<Finding> match_shell_lines(const SourceFile& file, const NotebookCode& code, const MatchContext& context) {
    FindingSink found;
    SourceFile shell{file.path, FileType::shell, file.mode, {}, {}, {}, {}};
    match_text_file(shell, code.shell().text(), context, found);
    sort_findings(found);
    return found;
}

std::optional<Edit> edit_in_json(const NotebookCode& code, const CellText& text, const Edit& edit) {
    const auto range = text.in_json(edit.range);
    if (!range) return std::nullopt;
    return Edit{*range, code.in_string(edit.replacement, range->begin)};
}

Finding finding_in_json(const NotebookCode& code, const CellText& text, Finding finding) {
    const CellText::Place place = text.place(finding.range.begin);
    finding.message.add_in_front(
        {"Cell {cell}, line {line}:", {{"cell", std::to_string(place.cell)}, {"line", std::to_string(place.line)}}});
    finding.range = text.in_json(finding.range).value_or(place.in_json);
    if (!finding.fix) return finding;
    for (Edit& edit : finding.fix->edits) {
        auto mapped = edit_in_json(code, text, edit);
        if (!mapped) {
            finding.fix.reset();
            return finding;
        }
        edit = std::move(*mapped);
    }
    return finding;
}

Finding not_a_notebook(const base::Error& error) {
    Finding finding;
    finding.rule = "file.not_parsed";
    finding.kind = FindingKind::file;
    finding.severity = Severity::warning;
    finding.subject = "notebook";
    finding.message = {"This is not a notebook that can be read ({problem}); it was left as it is.",
                       {{"problem", error.message}}};
    finding.source = "parser";
    return finding;
}

}  // namespace migrator
