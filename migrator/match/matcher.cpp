#include "migrator/match/matcher.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "migrator/match/matchers.h"
#include "migrator/match/notebook_cells.h"
#include "migrator/match/variables.h"

namespace migrator {
namespace {

Finding unreadable(const SourceFile& file) {
    Finding finding;
    finding.rule = "file.not_read";
    finding.kind = FindingKind::file;
    finding.severity = Severity::warning;
    finding.subject = file.path;
    finding.message = {"The file could not be read as text and was left as it is: {problem}.",
                       {{"problem", *file.problem}}};
    finding.source = "reader";
    return finding;
}

void match_notebook(const SourceFile& file, std::string_view text, const MatchContext& context, FindingSink& findings) {
    auto code = NotebookCode::read(text, file.path);
    if (!code) {
        findings.push_back(not_a_notebook(code.error()));
        return;
    }
    const SyntaxTree tree = SyntaxTree::parse(code->python().text());
    const Bindings bindings = Bindings::analyse(tree, *context.facts, context.module);
    for (Finding& finding : match_cells(file, {&tree, &bindings}, context))
        findings.push_back(finding_in_json(*code, code->python(), std::move(finding)));
    for (Finding& finding : match_shell_lines(file, *code, context))
        findings.push_back(finding_in_json(*code, code->shell(), std::move(finding)));
}

// Cython is close enough to Python to be read, and other shells to a shell, but not to be changed.
void report_only(FindingSink& findings) {
    for (Finding& finding : findings) finding.fix.reset();
}

auto order(const Finding& finding) {
    return std::tie(finding.range.begin, finding.range.end, finding.rule, finding.subject);
}

}  // namespace

void sort_findings(FindingSink& findings) {
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) { return order(a) < order(b); });
    // Two rows may see the same thing in two ways; once is enough.
    auto same = [](const Finding& a, const Finding& b) { return order(a) == order(b); };
    findings.erase(std::unique(findings.begin(), findings.end(), same), findings.end());
}

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
        case FileType::cython:
            match_python(file.path, text, context, true, findings);
            report_only(findings);
            break;
        case FileType::notebook: match_notebook(file, text, context, findings); break;
        case FileType::cuda:
        case FileType::cpp: match_cuda_source(file, text, context, findings); break;
        case FileType::script:
            match_text_file(file, text, context, findings);
            report_only(findings);
            break;
        case FileType::shell:
        case FileType::dockerfile:
        case FileType::makefile:
        case FileType::requirements:
        case FileType::yaml:
        case FileType::json:
        case FileType::toml:
        case FileType::setup_cfg:
        case FileType::ini:
        case FileType::cmake:
        case FileType::protobuf: match_text_file(file, text, context, findings); break;
        case FileType::compiled: match_named_file(file, context, findings); break;
        case FileType::other: break;
    }
    std::erase_if(findings, [&](const Finding& finding) {
        const Rule* rule = context.rules->find_rule(finding.rule);
        return rule != nullptr && !rule->holds;
    });
    leave_unloaded(context.own_choice, findings);
    keep_variables_apart(*context.rules, findings);
    sort_findings(findings);
    return findings;
}

}  // namespace migrator
