#include "migrator/match/matcher.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "migrator/match/words.h"

namespace migrator {
namespace {

Finding unreadable(const SourceFile& file) {
    Finding finding;
    finding.rule = "file.not_read";
    finding.kind = FindingKind::file;
    finding.severity = Severity::warning;
    finding.subject = file.path;
    finding.message = "The file could not be read as text and was left as it is: " + *file.problem + ".";
    finding.source = "reader";
    return finding;
}

auto order(const Finding& finding) {
    return std::tie(finding.range.begin, finding.range.end, finding.rule, finding.subject);
}

}  // namespace

std::vector<Finding> match(const SourceFile& file, const MatchContext& context) {
    return match(file, file.text, context);
}

std::vector<Finding> match(const SourceFile& file, std::string_view text, const MatchContext& context,
                           const ParsedText& parsed) {
    CHECK(context.rules != nullptr && context.facts != nullptr);
    FindingSink findings;
    if (file.problem) return {unreadable(file)};
    switch (file.type) {
        case FileType::python:
            if (parsed.tree != nullptr) match_python(file.path, parsed, context, true, findings);
            else match_python(file.path, text, context, true, findings);
            break;
        case FileType::notebook: match_notebook(file, text, context, findings); break;
        case FileType::cuda:
        case FileType::cpp: match_cuda_source(file, text, context, findings); break;
        case FileType::shell:
        case FileType::dockerfile:
        case FileType::requirements:
        case FileType::yaml:
        case FileType::json:
        case FileType::toml:
        case FileType::setup_cfg: match_text_file(file, text, context, findings); break;
        case FileType::other: break;
    }
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return order(a) < order(b); });
    // Two rows may see the same thing in two ways; once is enough.
    auto same = [](const Finding& a, const Finding& b) { return order(a) == order(b); };
    findings.erase(std::unique(findings.begin(), findings.end(), same), findings.end());
    return findings;
}

}  // namespace migrator
