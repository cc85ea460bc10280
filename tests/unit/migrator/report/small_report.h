// A small constructed report: one file with an applied and an open finding, one third-party package.
#pragma once

#include "migrator/report/report.h"
#include "tests/support/collected_text.h"

namespace test {

inline std::string json_of(const migrator::Report& report, int indent = 2) {
    return collected([&](const base::TextSink& out) { migrator::report_json(report, out, indent); });
}
inline std::string diff_of(const migrator::Report& report) {
    return collected([&](const base::TextSink& out) { migrator::report_diff(report, out); });
}

inline constexpr std::string_view kTrainText =
    "import torch\n"
    "import flash_attn\n"
    "x = torch.cuda.current_device()\n";

inline migrator::FindingOutcome finding_outcome(std::string rule, migrator::FindingKind kind,
                                                migrator::Severity severity, std::string subject, std::string message,
                                                migrator::FixState state, base::TextPosition begin,
                                                base::TextPosition end) {
    migrator::FindingOutcome outcome;
    outcome.finding.rule = std::move(rule);
    outcome.finding.kind = kind;
    outcome.finding.severity = severity;
    outcome.finding.subject = std::move(subject);
    outcome.finding.message = std::move(message);
    outcome.finding.source = "torch_npu 2.6 documentation";
    outcome.state = state;
    outcome.begin = begin;
    outcome.end = end;
    return outcome;
}

inline migrator::FileOutcome train_outcome() {
    using namespace migrator;
    FileOutcome file;
    file.path = "train.py";
    file.type = FileType::python;
    file.lines = 3;
    file.parsed = true;
    file.original = kTrainText;
    file.rewritten = "import torch\nimport torch_npu\nimport flash_attn\nx = torch.npu.current_device()\n";
    file.findings.push_back(finding_outcome("third_party.flash_attn", FindingKind::third_party, Severity::warning,
                                            "flash_attn", "Use torch_npu.npu_fusion_attention.", FixState::none, {2, 8},
                                            {2, 18}));
    file.findings.back().old_text = "import flash_attn";
    file.findings.push_back(finding_outcome("cuda.module", FindingKind::cuda_api, Severity::error,
                                            "torch.cuda.current_device", "torch.npu has the same function.",
                                            FixState::applied, {3, 5}, {3, 31}));
    file.findings.back().finding.fix = Fix{};
    file.findings.back().old_text = "x = torch.cuda.current_device()";
    file.findings.back().new_text = "x = torch.npu.current_device()";
    file.edits.push_back({{{kTrainText.find("cuda"), kTrainText.find("cuda") + 4}, "npu"}, {1}});
    return file;
}

inline migrator::ReportFile file_of(migrator::FileOutcome outcome) {
    std::string original = outcome.original;
    std::string rewritten = outcome.rewritten;
    return migrator::make_report_file(std::move(outcome), original, rewritten);
}

inline migrator::ReportFile quiet_file() {
    migrator::FileOutcome file;
    file.path = "a.py";
    file.type = migrator::FileType::python;
    file.lines = 1;
    file.parsed = true;
    file.original = file.rewritten = "pass\n";
    return file_of(file);
}

inline migrator::Report small_report() {
    return migrator::make_report({"migrate", {"in"}, "out", "1.2.3"}, {file_of(train_outcome()), quiet_file()}, 5,
                                 {{"flash_attn", "replacement"}}, {"The directory .git was not looked at."});
}

}  // namespace test
