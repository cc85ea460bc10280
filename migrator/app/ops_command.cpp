#include "migrator/app/ops_command.h"

#include <algorithm>

#include "base/file_set.h"
#include "base/format.h"
#include "base/missing_path.h"
#include "base/text.h"
#include "migrator/operators/operator_list.h"
#include "migrator/operators/operator_page.h"
#include "migrator/operators/operator_report.h"
#include "migrator/operators/operator_sarif.h"
#include "migrator/project/knowledge.h"

namespace migrator {
namespace {

base::Result<std::optional<Version>> version_of(const char* option, const std::string& text) {
    if (text.empty()) return std::optional<Version>();
    const auto version = Version::parse(text);
    if (version) return version;
    return base::fail(base::ErrorKind::usage, base::format("{}: \"{}\" is not a version such as 2.7", option, text));
}

// Empty for a word that is none, as "never" is.
std::optional<OperatorVerdict> verdict_of(const std::string& word) {
    const auto& all = base::kAll<OperatorVerdict>;
    const auto found = std::find_if(all.begin(), all.end(), [&](OperatorVerdict item) { return name(item) == word; });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

bool is_failed(const std::string& limit, const OperatorReport& report) {
    const auto verdict = verdict_of(limit);
    return verdict && !report.at_or_above(*verdict).empty();
}

// Returns the paths of what it wrote, the one to open first in front.
base::Result<std::vector<base::Path>> write_ops_report(base::FileSystem& fs, const Options& options,
                                                       const base::DataStore& store, const OperatorReport& report) {
    TRY_ASSIGN(auto files, base::FileSet::begin(fs, options.report_directory, base::FileSet::Place::any));
    std::vector<base::Path> written;
    const auto write = [&](const char* format, const std::string& text) -> base::Status {
        const std::string name = base::format("ops.{}", format);
        written.push_back(base::join(options.report_directory, name));
        return files.add(name, text);
    };
    const auto is_wanted = [&](const char* format, bool by_default) {
        return options.formats.empty() ? by_default : base::contains(options.formats, format);
    };
    if (is_wanted("html", true)) {
        TRY_ASSIGN(const std::string page, operator_report_page(report, store, options.language));
        TRY(write("html", page));
    }
    if (is_wanted("json", true)) TRY(write("json", report.json()));
    if (is_wanted("sarif", false)) TRY(write("sarif", operator_sarif(report)));
    TRY(files.commit());
    return written;
}

}  // namespace

base::Result<OpsResult> run_ops(const Options& options, base::FileSystem& fs) {
    TRY_ASSIGN(const base::DataStore store, store_with_rules(fs, options.rules));
    if (options.ops.recorder) return OpsResult{std::string(*store.find("templates/ops/record_ops.py")), {}, false};
    if (options.ops.input.empty())
        return base::fail(base::ErrorKind::usage,
                          "name a trace, a graph, a log or a list, or - for standard input; see migrator ops --help");
    TRY_ASSIGN(const OperatorKnowledge knowledge, OperatorKnowledge::load(store));
    TRY_ASSIGN(const ChipRow* chip, chosen_chip(knowledge.chips(), options.chip));
    TRY_ASSIGN(const std::optional<Version> version, version_of("--torch-version", options.ops.torch_version));
    const bool is_piped = options.ops.input == kStandardInput;
    const std::string input = is_piped ? "standard input" : options.ops.input;
    if (!is_piped && !fs.exists(input)) return tl::unexpected(base::missing_path(fs, input));
    const auto takes_whole = [&](const std::string& name) { return knowledge.has_own_kernel(name, *chip); };
    TRY_ASSIGN(const ProfileKnowledge profiles, load_profile_knowledge(store, ProfileNumbers::ours));
    TRY_ASSIGN(OperatorInput read,
               is_piped ? read_operator_input(options.stdin_text, input, knowledge.chips(), profiles.names, takes_whole)
                        : read_operator_input(fs, input, knowledge.chips(), profiles, takes_whole));
    const OperatorReport report = judge_operators(std::move(read), input, knowledge, *chip, version);
    OpsResult out;
    out.text = options.json ? report.json() : report.text(options.language, options.verbose);
    out.warning = report.read.warning;
    out.failed = is_failed(options.ops.fail_on, report);
    if (options.report_directory.empty()) return out;
    TRY_ASSIGN(const std::vector<base::Path> written, write_ops_report(fs, options, store, report));
    if (!options.json) out.text += options.language.show("The report: {}\n", written.front());
    return out;
}

base::Result<std::string> operator_list_page(const Options& options, base::FileSystem& fs) {
    const OperatorListOptions& list = options.operator_list;
    TRY_ASSIGN(const base::DataStore store, store_with_rules(fs, options.rules));
    TRY_ASSIGN(const OperatorKnowledge knowledge, OperatorKnowledge::load(store));
    OperatorSide here;
    TRY_ASSIGN(here.chip, chosen_chip(knowledge.chips(), options.chip));
    TRY_ASSIGN(here.version, version_of("--torch-version", list.torch_version));
    std::optional<OperatorSide> there;
    if (!list.other_chip.empty() || !list.other_torch_version.empty()) {
        there = here;
        if (!list.other_chip.empty()) {
            TRY_ASSIGN(there->chip, chosen_chip(knowledge.chips(), list.other_chip));
        }
        TRY_ASSIGN(const auto version, version_of("--compare-version", list.other_torch_version));
        if (version) there->version = version;
    }
    const OperatorList found = list_operators(knowledge, here, there, {list.words, verdict_of(list.verdict)});
    return options.json ? found.json() : found.text(options.language);
}

}  // namespace migrator
