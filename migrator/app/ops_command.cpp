#include "migrator/app/ops_command.h"

#include <algorithm>

#include "base/data_store.h"
#include "base/format.h"
#include "base/missing_path.h"
#include "migrator/operators/operator_report.h"

namespace migrator {
namespace {

constexpr std::uint64_t kMaxInputBytes = 4ull << 30;

base::Result<std::optional<Version>> version_of(const Options& options) {
    const std::string& text = options.ops.torch_version;
    if (text.empty()) return std::optional<Version>();
    const auto version = Version::parse(text);
    if (version) return version;
    return base::fail(base::ErrorKind::usage,
                      base::format("--torch-version: \"{}\" is not a version such as 2.7", text));
}

bool is_failed(const std::string& limit, const OperatorReport& report) {
    const auto& all = base::kAll<OperatorVerdict>;
    const auto found = std::find_if(all.begin(), all.end(), [&](OperatorVerdict item) { return name(item) == limit; });
    return found != all.end() && !report.at_or_above(*found).empty();
}

}  // namespace

base::Result<OpsResult> run_ops(const Options& options, base::FileSystem& fs) {
    base::DataStore store;
    if (!options.rules.empty()) TRY(store.overlay(fs, options.rules, "rules"));
    if (options.ops.recorder) return OpsResult{std::string(*store.find("templates/ops/record_ops.py")), {}, false};
    if (options.ops.input.empty())
        return base::fail(base::ErrorKind::usage,
                          "name a trace, a graph, a log or a list, or - for standard input; see migrator ops --help");
    TRY_ASSIGN(const OperatorKnowledge knowledge, OperatorKnowledge::load(store));
    TRY_ASSIGN(const ChipRow* chip, chosen_chip(knowledge.chips(), options.chip));
    TRY_ASSIGN(const std::optional<Version> version, version_of(options));
    const bool is_piped = options.ops.input == kStandardInput;
    std::string bytes;
    if (!is_piped) {
        if (!fs.exists(options.ops.input)) return tl::unexpected(base::missing_path(fs, options.ops.input));
        TRY_ASSIGN(bytes, base::read_file(fs, options.ops.input, kMaxInputBytes));
    }
    const std::string input = is_piped ? "standard input" : options.ops.input;
    const auto takes_whole = [&](const std::string& name) { return knowledge.has_own_kernel(name, *chip); };
    TRY_ASSIGN(OperatorInput read,
               read_operator_input(is_piped ? options.stdin_text : bytes, input, knowledge.chips(), takes_whole));
    const OperatorReport report = judge_operators(std::move(read), input, knowledge, *chip, version);
    OpsResult out;
    out.text = options.json ? report.json() : report.text(options.language, options.verbose);
    out.warning = report.read.warning;
    out.failed = is_failed(options.ops.fail_on, report);
    return out;
}

}  // namespace migrator
