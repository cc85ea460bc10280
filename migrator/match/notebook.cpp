// Notebooks: the code cells as one Python text, whose findings are put back to where the lines stand in the JSON.
#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "migrator/match/text_file.h"
#include "migrator/match/words.h"

namespace migrator {
namespace {

constexpr std::string_view kNotRewritten = "Notebooks are not rewritten yet: change the cell by hand.";

struct CodeLine {
    std::size_t begin = 0;    // in the Python text
    base::ByteRange in_json;  // the JSON string that holds the line
    std::size_t cell = 0;     // counted from 1 over all cells, as the notebook shows them
    std::size_t line = 0;     // in the cell, from 1
};

struct Code {
    std::string python;
    std::vector<CodeLine> lines;
    std::string shell;  // the lines behind ! and of shell cells
    std::vector<CodeLine> shell_lines;
};

bool is_magic(std::string_view line) {
    std::size_t first = line.find_first_not_of(" \t");
    return first != line.npos && (line[first] == '%' || line[first] == '!' || line.ends_with('?'));
}

// A JSON string and where it stands.
struct SourceString {
    std::string text;
    base::ByteRange range;
};

// The strings of a cell's "source". A value knows where its token ends; it begins at the first quote behind the one before.
std::vector<SourceString> source_strings(const base::Json& source, std::string_view json) {
    std::vector<SourceString> out;
    if (const std::string* whole = source.string()) {
        // One string for the whole cell: every line has the place of the cell.
        out.push_back({*whole, {source.offset() - 1, source.offset()}});
        return out;
    }
    if (source.array() == nullptr) return out;
    std::uint64_t previous = source.offset();
    for (const base::Json& item : *source.array()) {
        if (item.string() == nullptr) continue;
        std::size_t begin = json.find('"', previous);
        if (begin == json.npos || begin >= item.offset()) begin = item.offset() - 1;
        out.push_back({*item.string(), {begin, item.offset()}});
        previous = item.offset();
    }
    return out;
}

void add_cell(const base::Json& cell, std::size_t number, std::string_view json, Code& code) {
    const base::Json* source = cell.find("source");
    if (source == nullptr) return;
    std::size_t line_number = 0;
    bool shell_cell = false;
    bool other_cell = false;
    for (const SourceString& part : source_strings(*source, json)) {
        std::string_view rest = part.text;
        while (!rest.empty()) {
            std::size_t end = std::min(rest.find('\n'), rest.size());
            std::string_view line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            ++line_number;
            if (line_number == 1 && line.starts_with("%%")) {
                std::string_view magic = line.substr(2, line.find(' ') - 2);
                shell_cell = magic == "bash" || magic == "sh" || magic == "script";
                other_cell = !shell_cell && magic != "time" && magic != "timeit" && magic != "capture";
            }
            std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
            bool escape = line.substr(first).starts_with('!');
            bool shell = (shell_cell && line_number > 1) || escape;
            code.lines.push_back({code.python.size(), part.range, number, line_number});
            // A magic stands where a statement may stand.
            if (shell_cell || other_cell) code.python += "pass";
            else if (is_magic(line)) code.python += std::string(line.substr(0, first)) + "pass";
            else code.python += line;
            code.python += '\n';
            code.shell_lines.push_back({code.shell.size(), part.range, number, line_number});
            if (shell) code.shell += line.substr(escape ? first + 1 : 0);
            code.shell += '\n';
        }
    }
}

void put_back(FindingSink& found, const std::vector<CodeLine>& lines, FindingSink& sink) {
    for (Finding& finding : found) {
        auto next = std::upper_bound(lines.begin(), lines.end(), finding.range.begin,
                                     [](std::uint64_t offset, const CodeLine& line) { return offset < line.begin; });
        if (next == lines.begin()) continue;
        const CodeLine& line = *(next - 1);
        std::string_view advice = finding.fix ? kNotRewritten : std::string_view{};
        finding.message = base::format("Cell {}, line {}: {}{}{}", line.cell, line.line, finding.message,
                                       advice.empty() ? "" : " ", advice);
        finding.range = line.in_json;
        finding.fix.reset();
        sink.push_back(std::move(finding));
    }
}

Finding not_a_notebook(const base::Error& error) {
    Finding finding;
    finding.rule = "file.not_parsed";
    finding.kind = FindingKind::file;
    finding.severity = Severity::warning;
    finding.subject = "notebook";
    finding.message =
        base::format("This is not a notebook that can be read ({}); it was left as it is.", error.message);
    finding.source = "parser";
    return finding;
}

}  // namespace

void match_notebook(const SourceFile& file, std::string_view text, const MatchContext& context, FindingSink& sink) {
    auto document = base::parse_json(text, file.path);
    if (!document) {
        sink.push_back(not_a_notebook(document.error()));
        return;
    }
    const base::Json* cells = document->root.find("cells");
    if (cells == nullptr || cells->array() == nullptr) {
        sink.push_back(not_a_notebook({base::ErrorKind::bad_input, "it has no list of cells", {}, {}}));
        return;
    }
    Code code;
    std::size_t number = 0;
    for (const base::Json& cell : *cells->array()) {
        ++number;
        const base::Json* type = cell.find("cell_type");
        if (type != nullptr && type->string() != nullptr && *type->string() == "code")
            add_cell(cell, number, text, code);
    }
    FindingSink found;
    match_python(file.path, code.python, context, false, found);
    put_back(found, code.lines, sink);

    FindingSink in_shell;
    SourceFile shell{file.path, FileType::shell, file.mode, {}, {}, {}, {}};
    match_text_file(shell, code.shell, context, in_shell);
    put_back(in_shell, code.shell_lines, sink);
}

}  // namespace migrator
