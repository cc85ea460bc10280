#include "migrator/app/compare_command.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "base/number_text.h"
#include "base/write_file.h"
#include "migrator/compare/comparison.h"
#include "migrator/compare/profile_report.h"
#include "migrator/project/knowledge.h"

namespace migrator {
namespace {

base::Result<std::optional<std::uint64_t>> step_of(const std::string& text, const char* option) {
    const auto number = base::number_in<std::uint64_t>(text);
    if (number || text.empty()) return number;
    return base::fail(base::ErrorKind::usage, base::format("{}: \"{}\" is no number of a step", option, text));
}

// OLD=NEW, or {"OLD": "NEW", ...}.
base::Status add_names(const std::string& text, std::map<std::string, std::string, std::less<>>& names) {
    if (text.starts_with('{')) {
        const auto document = base::parse_json(text, "--map");
        if (!document) return base::fail(base::ErrorKind::usage, document.error().message, document.error().where);
        for (const auto& [name, other] : *document->root.object()) {
            if (other.string() == nullptr)
                return base::fail(base::ErrorKind::usage, base::format("--map: the name for \"{}\" is no text", name));
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
    out.kernels_by_type = options.by_type;
    out.flow_category = options.flow_category;
    return out;
}

base::Status write_sheets(base::FileSystem& fs, const base::Path& directory, const Comparison& comparison) {
    TRY(fs.make_directories(directory));
    for (const Sheet& sheet : comparison.sheets)
        TRY(base::write_file(fs, base::join(directory, sheet.name + ".csv"), csv_text(sheet)));
    return base::write_file(fs, base::join(directory, "comparison.json"), comparison.json());
}

}  // namespace

base::Result<CompareResult> run_compare(const Options& options, base::FileSystem& fs) {
    TRY_ASSIGN(const base::DataStore store, store_with_rules(fs, options.rules));
    TRY_ASSIGN(const CompareRequest request, request_of(options.compare));
    TRY_ASSIGN(const Comparison comparison, compare_profiles(fs, store, request));
    if (!options.compare.output.empty()) TRY(write_sheets(fs, options.compare.output, comparison));
    return CompareResult{options.json ? comparison.json() : comparison.text(options.language), comparison.damage()};
}

base::Result<CompareResult> run_profile(const Options& options, base::FileSystem& fs) {
    TRY_ASSIGN(const base::DataStore store, store_with_rules(fs, options.rules));
    TRY_ASSIGN(const std::optional<std::uint64_t> step, step_of(options.profile.step, "--step"));
    TRY_ASSIGN(const ProfileReport report, report_profile(fs, store, options.profile.path, step));
    CompareResult out{options.json ? report.json() : report.text(options.language), {}};
    if (!report.damage().empty()) out.damage.push_back(report.damage());
    return out;
}

}  // namespace migrator
