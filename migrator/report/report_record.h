// What report.json holds: its objects as records, in the order of their fields. The writer, the JSON Schema and the tables of
// docs/reference/report-schema.md are made of them.
#pragma once

#include <optional>
#include <string>

#include "base/record.h"
#include "migrator/report/or_null.h"
#include "migrator/report/program_record.h"
#include "migrator/report/report.h"
#include "migrator/report/titles.h"

namespace base {

constexpr auto record_of(const TextPosition*) {
    return record("position", "in a text, both from 1", field("line", &TextPosition::line, "from 1").always(),
                  field("column", &TextPosition::column, "from 1, in code points").always());
}

}  // namespace base

namespace migrator {

constexpr auto record_of(const ToolRow*) {
    return base::record("tool", "the program that wrote this", base::field("name", &ToolRow::name, "its name").always(),
                        base::field("version", &ToolRow::version, "its version").always());
}

constexpr auto record_of(const KindRow*) {
    return base::record("kind_row", "how many findings of a kind there are",
                        base::field("kind", &KindRow::kind, "the kind").always(),
                        base::field(
                            "title", [](const KindRow& row) { return std::string(title(row.kind)); }, "for people")
                            .always(),
                        base::field("findings", &KindRow::findings, "all of it").always(),
                        base::field("error", &KindRow::errors, "of this severity").always(),
                        base::field("warning", &KindRow::warnings, "of this severity").always(),
                        base::field("info", &KindRow::infos, "of this severity").always(),
                        base::field("applied", &KindRow::applied, "with a fix that was made").always(),
                        base::field("available", &KindRow::available, "with a fix that could be made").always(),
                        base::field("to_review", &KindRow::to_review, "left to a person").always());
}

constexpr auto record_of(const ReportSummary*) {
    using S = ReportSummary;
    return base::record(
        "summary", "the report in figures",
        base::field(
            "verdict", &S::verdict,
            "of the program that people start first, where there is one, else of all files: `native`: it takes an NPU "
            "by "
            "itself; `ready`: nothing is left; `convertible`: `migrate` does the rest; `partly`: one of these, and "
            "another program has work left; `review`: a person has to look; `blocked`: it has no way on the NPU; "
            "`nothing_found`: nothing depends on CUDA")
            .always(),
        base::field("sentence", &S::sentence, "the verdict in words").always(),
        base::field("files_seen", &S::files_seen, "files of the project").always(),
        base::field("files_analysed", &S::files_analysed, "files of a kind that is analysed").always(),
        base::field("files_changed", &S::files_changed,
                    "files that the fixes change; for `analyze` and `--apply none`: would change")
            .always(),
        base::field("files_with_problems", &S::files_with_problems, "not readable, not decodable, or not wholly parsed")
            .always(),
        base::field("lines", &S::lines, "of the analysed files").always(),
        base::field("findings", &S::findings, "all findings").always(),
        base::field("applied", &S::applied,
                    "findings whose fix was made; what only follows the edit of another counts as none")
            .always(),
        base::field("available", &S::available,
                    "findings whose fix could be made; what only follows the edit of another counts as none")
            .always(),
        base::field("to_review", &S::to_review,
                    "findings of severity `warning` or `error` that are neither applied nor available")
            .always(),
        base::field("blocking", &S::blocking, "the errors among them").always(),
        base::field("by_severity", &S::by_severity, "findings for each word, zeros included").always(),
        base::field("by_state", &S::by_state, "findings for each word, zeros included").always(),
        base::field("by_effort", &S::by_effort, "findings that leave something to a person, for each word of `effort`")
            .always(),
        base::field("files_by_readiness", &S::by_readiness, "analysed files for each word of `readiness`").always(),
        base::field("by_kind", &S::by_kind, "a row for each kind with findings").always());
}

constexpr auto record_of(const ActionRow*) {
    using A = ActionRow;
    return base::record(
        "action", "what a person has to do: the open findings of a rule; of third-party packages, those of a package",
        base::field("severity", &A::severity, "the highest of the findings").always(),
        base::field("effort", &A::effort, "the costliest of the findings").always(),
        base::field("kind", &A::kind, "of the first finding").always(),
        base::field("rule", &A::rule, "of the findings").always(),
        base::field("message", &A::message, "of the first finding").always(),
        base::field("subjects", &A::subjects, "the different subjects, at most 20").always(),
        base::field("findings", &A::findings, "how many").always(),
        base::field("files", &A::files, "in how many files").always(),
        base::field("place", &A::place, "`path:line` of the first finding").always(),
        base::field("finding_id", &A::finding_id, "of the first finding").always(),
        base::field(
            "unverified", &A::unverified,
            "no source is known for what is said, or for a part of it; such rows come after others of their severity")
            .always());
}

constexpr auto record_of(const ThirdPartyRow*) {
    using T = ThirdPartyRow;
    return base::record(
        "package", "a package found in imports or requirements",
        base::field("package", &T::package, "the distribution's name").always(),
        base::field("status", &T::status,
                    "`native`: runs on Ascend; `ascend_fork`: has an Ascend version; `replacement`: use something "
                    "else; `unsupported`; `unknown`")
            .always(),
        base::field("advice", &T::advice, "what to do").always(),
        base::field("places", &T::places, "every import and requirement: `path:line`").always(),
        base::field("finding_ids", &T::finding_ids, "the ids of their findings, in the same order").always());
}

constexpr auto record_of(const BaselineRow*) {
    using B = BaselineRow;
    return base::record("baseline", "an older report in figures, and what has changed since",
                        base::field("findings", &B::findings, "that it had").always(),
                        base::field("to_review", &B::to_review, "of these, left to a person").always(),
                        base::field("blocking", &B::blocking, "the errors among them").always(),
                        base::field("new", &B::fresh, "findings that it did not have").always(),
                        base::field("gone", &B::gone, "findings that only it had").always());
}

constexpr auto record_of(const RuleRow::Name*) {
    using N = RuleRow::Name;
    return base::record("rule_name", "a name that a rule is about", base::field("from", &N::from, "the name").always(),
                        base::field(
                            "to", [](const N& row) { return or_null(row.to); }, "its new name, or null")
                            .always());
}

constexpr auto record_of(const RuleRow*) {
    using R = RuleRow;
    return base::record(
        "rule", "a rule that findings have; single findings may differ from it",
        base::field("id", &R::id, "of the rule").always(), base::field("kind", &R::kind, "as of a finding").always(),
        base::field("severity", &R::severity, "as of a finding").always(),
        base::field("certainty", &R::certainty, "what a finding needs at least for its fix to be applied").always(),
        base::field("effort", &R::effort, "as of a finding").always(),
        base::field("message", &R::message, "`NAME` and `NEW NAME` stand for what each finding names").always(),
        base::field("source", &R::source, "as of a finding").always(),
        base::field("name_count", &R::name_count, "how many names the rule is about").always(),
        base::field("names", &R::names, "the first 8 of them").always());
}

constexpr auto record_of(const ReportFinding*) {
    using F = ReportFinding;
    return base::record(
        "finding", "a place where a rule has something to say",
        base::field("id", &F::id, "16 hexadecimal digits, see below").always(),
        base::field(
            "rule", [](const F& f) -> auto& { return f.outcome.finding.rule; }, "the rule's id")
            .always(),
        base::field(
            "kind", [](const F& f) -> auto& { return f.outcome.finding.kind; }, "what it is about")
            .always(),
        base::field(
            "severity", [](const F& f) -> auto& { return f.outcome.finding.severity; },
            "`error`: will not work unchanged; `warning`: is likely to need attention; `info`: worth knowing")
            .always(),
        base::field(
            "certainty", [](const F& f) -> auto& { return f.outcome.finding.certainty; },
            "how sure the meaning of the name is")
            .always(),
        base::field(
            "state", [](const F& f) -> auto& { return f.outcome.state; },
            "what became of the fix: `none`: there is none; `applied`; `available`: not asked for; `uncertain`: "
            "not certain enough; `conflict`: overlaps one that was applied, or there is no place for an import "
            "that it needs; `at_run_time`: not needed in the style `auto`: redirected when the program runs; "
            "`syntax_guard`: the result would not parse")
            .always(),
        base::field(
            "subject", [](const F& f) -> auto& { return f.outcome.finding.subject; },
            "what was found, by its qualified name")
            .always(),
        base::field(
            "message", [](const F& f) -> auto& { return f.outcome.finding.message; }, "what it means and what to do")
            .always(),
        base::field(
            "source", [](const F& f) -> auto& { return f.outcome.finding.source; },
            "where the fact comes from: names of `sources`, each alone or with a place in it")
            .always(),
        base::field(
            "effort", [](const F& f) -> auto& { return f.outcome.finding.effort; },
            "what is left to a person unless `state` is `applied` or `at_run_time`: `check`: look and decide; "
            "`edit`: lines that the message names; `replace`: another interface or package; `port`: the same "
            "program for another runtime or build; `rewrite`: kernels from scratch")
            .always(),
        base::field(
            "begin", [](const F& f) -> auto& { return f.outcome.begin; }, "in the original text")
            .always(),
        base::field(
            "end", [](const F& f) -> auto& { return f.outcome.end; }, "in the original text, exclusive")
            .always(),
        base::field(
            "old_text", [](const F& f) -> auto& { return f.outcome.old_text; },
            "the original lines that the finding and its edits touch; empty for a finding of a whole file")
            .always(),
        base::field(
            "new_text", [](const F& f) { return or_null(f.outcome.new_text); },
            "the same lines after the fix; null where there is none")
            .always(),
        base::field(
            "reach", [](const F& f) { return f.reach == Reach::hard ? std::nullopt : std::optional(f.reach); },
            "where the report is about programs: `optional`: they run the code in some cases, so it is a warning at "
            "most; `none`: no program loads it, or it is for tests, so it is an info; missing: they always run it"),
        base::field("together", &F::together,
                    "ids of findings whose edits are one with this one's: all are applied, or none"),
        base::field("also", &F::also,
                    "the other places (`train.py:12`) at which the same would be said, of what is said once in a "
                    "project"));
}

constexpr auto record_of(const ReportEdit*) {
    using E = ReportEdit;
    return base::record(
        "edit", "a replacement; it is made when one of its findings is accepted",
        base::field(
            "begin_byte", [](const E& edit) { return edit.bytes.begin; }, "of the file, from 0")
            .always(),
        base::field(
            "end_byte", [](const E& edit) { return edit.bytes.end; }, "of the file, exclusive")
            .always(),
        base::field("begin", &E::begin, "the same as line and column").always(),
        base::field("end", &E::end, "exclusive").always(),
        base::field("old_text", &E::old_text, "the text that stands there").always(),
        base::field("new_text", &E::new_text, "what takes its place").always(),
        base::field("findings", &E::findings, "ids of the findings that want the edit; an import has all that need it")
            .always());
}

constexpr auto record_of(const Excerpt*) {
    return base::record("excerpt", "lines around findings and edits",
                        base::field("line", &Excerpt::first_line, "the number of the first").always(),
                        base::field("lines", &Excerpt::lines, "without their ends; very long ones are cut").always());
}

constexpr auto record_of(const OriginalRow*) {
    using O = OriginalRow;
    return base::record(
        "original", "the bytes that the edits are of",
        base::field("sha256", &O::sha256, "of the bytes; null for a file that is not there yet").always(),
        base::field("new_mode", &O::new_mode, "the permissions of a file that is not there yet"),
        base::field("encoding", &O::encoding, "of the file, in which new text is written").always());
}

constexpr auto record_of(const ReportFile*) {
    using F = ReportFile;
    return base::record(
        "file", "a file with findings, changes or problems",
        base::field("path", &F::path,
                    "relative to `root`: the project; with several paths on the command line, the directory that holds "
                    "them all")
            .always(),
        base::field("type", &F::type, "of the file").always(),
        base::field("lines", &F::lines, "number of lines").always(),
        base::field("parsed", &F::parsed, "Python: whether the whole file was understood; else false").always(),
        base::field(
            "test", [](const F& f) { return f.is_test ? std::optional(true) : std::nullopt; },
            "true for code of tests, by its path; else missing"),
        base::field("changed", &F::changed, "whether the fixes change it").always(),
        base::field(
            "readiness", &F::readiness,
            "what is left to a person, by the costliest open finding: `ready`: nothing; `small_work`: `check` or "
            "`edit`; `blocked`: `replace`, `port` or `rewrite`")
            .always(),
        base::field("programs", &F::programs,
                    "of Python and notebooks, the programs that load it, by their places in `programs`, from 0: of the "
                    "first 30 that the report is about"),
        base::field("findings", &F::findings, "by position, then rule").always(),
        base::field("original", &original_of, "only of files with edits: what they change"),
        base::field("edits", &F::edits, "all replacements, by position and without conflicts, see below").always(),
        base::field("excerpts", &F::excerpts, "the lines around findings and edits").always());
}

constexpr auto record_of(const Report*) {
    using R = Report;
    return base::record(
        "report", "what `migrator` found and did",
        base::field(
            "schema", [](const R&) { return std::string(kReportSchema); }, "`migrator-report/1`")
            .always(),
        base::field(
            "tool",
            [](const R& report) {
                return ToolRow{"migrator", report.run.tool_version};
            },
            "the program that wrote this")
            .always(),
        base::field(
            "command", [](const R& report) { return report.run.command; }, "`analyze` or `migrate`")
            .always(),
        base::field(
            "paths", [](const R& report) { return report.run.paths; },
            "what was analysed, as given on the command line")
            .always(),
        base::field(
            "output", [](const R& report) { return or_null(report.run.output); },
            "the directory of the migrated copy, with `--in-place` the first path, `-` for standard output; null "
            "when nothing was migrated")
            .always(),
        base::field(
            "root", [](const R& report) { return report.run.root; },
            "the directory that paths of files count from; empty for standard input")
            .always(),
        base::field(
            "include", [](const R& report) { return report.run.include; },
            "the patterns of `--include`; `apply -o` and `reapply -o` copy what they bring in"),
        base::field(
            "exclude", [](const R& report) { return report.run.exclude; },
            "the patterns of `--exclude`: what they name was not analysed"),
        base::field(
            "date", [](const R& report) { return or_null(report.run.origin.date); },
            "when it was made, in UTC; SOURCE_DATE_EPOCH, where it is set"),
        base::field(
            "commit", [](const R& report) { return or_null(report.run.origin.commit); },
            "that the project's git repository was at"),
        base::field(
            "command_line", [](const R& report) { return or_null(report.run.origin.command_line); },
            "that made it, without `--jobs` and what only changes the terminal"),
        base::field(
            "source_url", [](const R& report) { return or_null(report.run.origin.source_url); },
            "the address of a line in the repository, with `{commit}`, `{path}` and `{line}`"),
        base::field("baseline", &R::baseline, "with `--baseline`: what that report had, and what has changed"),
        base::field("summary", &R::summary, "the report in figures").always(),
        base::field(
            "actions", &R::actions,
            "what a person has to do, most severe first; then what has a source, the costliest, the most frequent")
            .always(),
        base::field("third_party", &R::third_party, "one row per package, sorted by name").always(),
        base::field("unknown_packages", &R::unknown_packages,
                    "packages that no rule knows; those that code imports first, then by name")
            .always(),
        base::field("operators", &R::operators,
                    "operators that the C++ and CUDA sources offer to Python, in their order")
            .always(),
        base::field("project", &R::project, "of one path: how far the project supports the NPU"),
        base::field(
            "programs", &R::programs,
            "of `analyze`: each file that is run: whether it runs on the NPU, and whether `transfer_to_npu` would be "
            "enough; what people start first in front")
            .always(),
        base::field("api_coverage", &R::api_coverage,
                    "how the versions of PyTorch support the interfaces that the project uses")
            .always(),
        base::field("chip_coverage", &R::chip_coverage, "where the chips run the operators that the project uses")
            .always(),
        base::field("rules", &R::rules, "the rules that the findings have, sorted by id").always(),
        base::field("sources", &R::sources, "by name: what the findings and rules cite").always(),
        base::field("notes", &R::notes, "for which version of the framework, and why; what was left out, and why")
            .always(),
        base::field("translations", &R::translations,
                    "by language (`zh`), messages and notes of this report, each with what it is in that language; a "
                    "text without a translation is missing")
            .always(),
        base::field("files", &R::files, "files with findings, changes or problems, sorted by path").always());
}

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::FixState> = migrator::kAllStates;
template <>
inline constexpr auto base::kAll<migrator::Reach> = [] {
    using enum migrator::Reach;
    return std::to_array({hard, optional, none});
}();
template <>
inline constexpr auto base::kAll<migrator::Verdict> = [] {
    using enum migrator::Verdict;
    return std::to_array({nothing_found, native, ready, convertible, partly, review, blocked});
}();
template <>
inline constexpr auto base::kAll<migrator::Readiness> = [] {
    using enum migrator::Readiness;
    return std::to_array({ready, small_work, blocked});
}();
template <>
inline constexpr auto base::kAll<migrator::FileType> = migrator::kAllFileTypes;
