#include "migrator/report/report_edits.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/rewrite/byte_edits.h"

namespace migrator {
namespace {

constexpr std::uint32_t kContextLines = 3;
constexpr std::uint32_t kMaxLinesOfFinding = 12;
constexpr std::size_t kMaxExcerptBytes = 2000;

std::vector<std::string> ids_of(const ReportFile& file, const std::vector<std::size_t>& places) {
    std::vector<std::string> out;
    for (std::size_t place : places) out.push_back(file.findings[place].id);
    return out;
}

struct LineSpan {
    std::uint32_t first = 1;
    std::uint32_t last = 1;
};

// Of a finding and of every edit, with the lines around them, merged where they touch.
std::vector<LineSpan> spans_of(const ReportFile& file, std::uint32_t line_count) {
    std::vector<LineSpan> spans;
    auto add = [&](std::uint32_t first, std::uint32_t last) {
        if (first <= line_count) spans.push_back({first - std::min(first - 1, kContextLines), last + kContextLines});
    };
    for (const ReportFinding& item : file.findings) {
        const FindingOutcome& outcome = item.outcome;
        if (outcome.finding.kind == FindingKind::file) continue;
        add(outcome.begin.line, std::min(outcome.end.line, outcome.begin.line + kMaxLinesOfFinding));
    }
    for (const ReportEdit& edit : file.edits) add(edit.begin.line, edit.end.line);
    std::sort(spans.begin(), spans.end(), [](const LineSpan& a, const LineSpan& b) { return a.first < b.first; });
    std::vector<LineSpan> out;
    for (const LineSpan& span : spans) {
        if (!out.empty() && span.first <= out.back().last + 1) out.back().last = std::max(out.back().last, span.last);
        else out.push_back(span);
    }
    for (LineSpan& span : out) span.last = std::min(span.last, line_count);
    return out;
}

std::string shortened(std::string_view line) {
    if (line.size() <= kMaxExcerptBytes) return std::string(line);
    std::size_t end = kMaxExcerptBytes;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0u) == 0x80u) --end;  // not inside a character
    return std::string(line.substr(0, end));
}

}  // namespace

void add_edits(const FileOutcome& outcome, const base::LineIndex& lines, ReportFile& file) {
    const std::vector<base::ByteRange> bytes = byte_ranges(outcome);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto& [edit, owners] = outcome.edits[i];
        file.edits.push_back({bytes[i], lines.position(edit.range.begin), lines.position(edit.range.end),
                              outcome.original.substr(edit.range.begin, edit.range.size()), edit.replacement,
                              ids_of(file, owners)});
    }
    for (const std::vector<std::size_t>& group : outcome.bound) {
        const std::vector<std::string> ids = ids_of(file, group);
        for (std::size_t place : group) {
            std::vector<std::string>& together = file.findings[place].together;
            for (const std::string& id : ids) {
                const bool known = base::contains(together, id);
                if (id != file.findings[place].id && !known) together.push_back(id);
            }
        }
    }
    // The last line is empty where the text ends with a line end.
    for (const LineSpan& span : spans_of(file, outcome.original.empty() ? 0 : lines.line_count())) {
        Excerpt& excerpt = file.excerpts.emplace_back();
        excerpt.first_line = span.first;
        for (std::uint32_t line = span.first; line <= span.last; ++line)
            excerpt.lines.push_back(shortened(lines.line_text(line)));
    }
}

}  // namespace migrator
