#include "migrator/app/compare_command.h"

#include <algorithm>
#include <optional>

#include "base/file_set.h"
#include "base/format.h"
#include "base/json.h"
#include "base/number_text.h"
#include "base/text.h"
#include "migrator/app/pipeline.h"
#include "migrator/compare/comparison_page.h"
#include "migrator/compare/report_page.h"
#include "migrator/compare/slower_parts.h"
#include "migrator/compare/workbook.h"
#include "migrator/project/knowledge.h"

namespace migrator {
namespace {

base::Result<std::optional<std::uint64_t>> step_of(const std::string& text, const char* option) {
    const auto number = base::number_in<std::uint64_t>(text);
    if (number || text.empty()) return number;
    return base::fail(base::ErrorKind::usage, base::format("{}: \"{}\" is not a number of a step", option, text));
}

// OLD=NEW, or {"OLD": "NEW", ...}.
base::Status add_names(const std::string& text, std::map<std::string, std::string, std::less<>>& names) {
    if (text.starts_with('{')) {
        const auto document = base::parse_json(text, "--map");
        if (!document) return base::fail(base::ErrorKind::usage, document.error().message, document.error().where);
        for (const auto& [name, other] : *document->root.object()) {
            if (other.string() == nullptr)
                return base::fail(base::ErrorKind::usage, base::format("--map: the name for \"{}\" is not text", name));
            names[name] = *other.string();
        }
        return {};
    }
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
        return base::fail(base::ErrorKind::usage, base::format("--map: \"{}\" is not OLD=NEW", text));
    names[text.substr(0, equals)] = text.substr(equals + 1);
    return {};
}

// "5%" or "5"
base::Result<std::optional<double>> percent_of(const std::string& text) {
    if (text.empty()) return std::nullopt;
    const auto number =
        base::number_in<double>(std::string_view(text).substr(0, text.size() - (text.ends_with('%') ? 1 : 0)));
    if (number && *number >= 0 && *number < 1e9) return number;
    return base::fail(base::ErrorKind::usage,
                      base::format("--fail-over: \"{}\" is not a number of percent, such as 5%", text));
}

// What analyze finds in the code that was profiled.
base::Result<ProjectCode> project_code(base::FileSystem& fs, const Options& options) {
    ProjectCode out;
    out.directory = options.compare.project;
    if (out.directory.empty()) return out;
    Options analysis;
    analysis.paths = {out.directory};
    analysis.rules = options.rules;
    analysis.progress = false;
    TRY_ASSIGN(const RunResult result, run(analysis, fs));
    for (const ReportFile& file : result.report.files) {
        for (const ReportFinding& finding : file.findings) {
            auto& rules = out.findings[{file.path, finding.outcome.begin.line}];
            const std::string& rule = finding.outcome.finding.rule;
            if (!base::contains(rules, rule)) rules.push_back(rule);
        }
    }
    return out;
}

base::Result<CompareRequest> request_of(const CompareOptions& options) {
    CompareRequest out;
    out.base = options.base;
    out.compared = options.compared;
    if (!options.compat.empty()) out.numbers = ProfileNumbers::msprof;
    for (const std::string& word : options.only) {
        const auto found = std::ranges::find(kComparePartNames, word);
        out.parts.insert(static_cast<ComparePart>(found - kComparePartNames.begin()));
    }
    TRY_ASSIGN(out.base_step, step_of(options.base_step, "--base-step"));
    TRY_ASSIGN(out.step, step_of(options.step, "--new-step"));
    if (out.base_step.has_value() != out.step.has_value())
        return base::fail(base::ErrorKind::usage, "--base-step and --new-step belong together; give both or none");
    for (const std::string& text : options.map) TRY(add_names(text, out.pairing.names));
    out.pairing.numbers = out.numbers;
    out.pairing.by_shape = options.by_shape;
    out.pairing.without_details = options.no_details;
    if (options.max_kernels > 0) out.pairing.max_kernels = options.max_kernels;
    out.without_modules = options.no_modules;
    out.kernels_by_type = options.by_type;
    out.flow_category = options.flow_category;
    return out;
}

// The files of a report, those that are wanted: the page, which comes first, and the others by name.
class ReportFiles {
public:
    static base::Result<ReportFiles> begin(base::FileSystem& fs, const Options& options) {
        TRY_ASSIGN(auto files, base::FileSet::begin(fs, options.report_directory, base::FileSet::Place::any));
        return ReportFiles(options, std::move(files));
    }

    bool wants(const char* format, bool by_default = true) const {
        return options_.formats.empty() ? by_default : base::contains(options_.formats, format);
    }
    // `text`: whole, or as a source.
    template <class Text>
    base::Status write(const std::string& name, const Text& text) {
        if (first_.empty()) first_ = base::join(options_.report_directory, name);
        return files_.add(name, text);
    }
    base::Status write_tables(const std::string& workbook_name, const std::vector<Sheet>& sheets) {
        if (wants("xlsx", false)) {
            TRY_ASSIGN(const base::TextSource text, workbook(sheets));
            TRY(write(workbook_name, text));
        }
        if (!wants("csv")) return {};
        for (const Sheet& sheet : sheets) TRY(write(sheet.name + ".csv", csv_text(sheet)));
        return {};
    }
    // Publishes all; what is said of them.
    base::Result<std::string> finish() {
        TRY(files_.commit());
        return options_.json ? "" : options_.language.show("The report: {}\n", first_);
    }

private:
    ReportFiles(const Options& options, base::FileSet files) : options_(options), files_(std::move(files)) {}

    const Options& options_;
    base::FileSet files_;
    base::Path first_;
};

base::Result<std::string> write_report(base::FileSystem& fs, const Options& options, const base::DataStore& store,
                                       const Comparison& comparison) {
    TRY_ASSIGN(ReportFiles files, ReportFiles::begin(fs, options));
    if (files.wants("html")) {
        TRY_ASSIGN(const std::string page, comparison_page(comparison, store, options.language));
        TRY(files.write("comparison.html", page));
    }
    if (files.wants("json")) TRY(files.write("comparison.json", comparison.json()));
    TRY(files.write_tables("comparison.xlsx", comparison.sheets));
    return files.finish();
}

base::Result<std::string> write_report(base::FileSystem& fs, const Options& options, const base::DataStore& store,
                                       const ProfileReport& report) {
    TRY_ASSIGN(ReportFiles files, ReportFiles::begin(fs, options));
    if (files.wants("html")) {
        TRY_ASSIGN(const std::string page, profile_report_page(report, store, options.language));
        TRY(files.write("profile.html", page));
    }
    if (files.wants("json")) TRY(files.write("profile.json", report.json()));
    TRY(files.write_tables("profile.xlsx", report.sheets()));
    return files.finish();
}

}  // namespace

base::Result<CompareOutcome> run_compare(const Options& options, base::FileSystem& fs, const base::TextSink& out) {
    TRY_ASSIGN(const base::DataStore store, store_with_rules(fs, options.rules));
    TRY_ASSIGN(CompareRequest request, request_of(options.compare));
    TRY_ASSIGN(const std::optional<double> limit, percent_of(options.compare.fail_over));
    if (limit && !request.parts.empty()) request.parts.insert(ComparePart::overall);
    TRY_ASSIGN(request.project, project_code(fs, options));
    TRY_ASSIGN(const Comparison comparison, compare_profiles(fs, store, request));
    std::string line;
    if (!options.report_directory.empty()) {
        TRY_ASSIGN(line, write_report(fs, options, store, comparison));
    }
    if (options.json) comparison.json()(out);
    else out(comparison.text(options.language));
    out(line);
    CompareOutcome outcome{comparison.damage(), {}};
    if (const Sheet* overall = named_sheet(comparison.sheets, "OverallMetrics"); limit && overall != nullptr)
        outcome.slower = slower_parts(*overall, *limit);
    return outcome;
}

base::Result<CompareOutcome> run_profile(const Options& options, base::FileSystem& fs, const base::TextSink& out) {
    TRY_ASSIGN(const base::DataStore store, store_with_rules(fs, options.rules));
    TRY_ASSIGN(const std::optional<std::uint64_t> step, step_of(options.profile.step, "--step"));
    TRY_ASSIGN(const ProfileReport report, report_profile(fs, store, options.profile.path, step));
    std::string line;
    if (!options.report_directory.empty()) {
        TRY_ASSIGN(line, write_report(fs, options, store, report));
    }
    out(options.json ? report.json() : report.text(options.language));
    out(line);
    return CompareOutcome{report.damage(), {}};
}

}  // namespace migrator
