#include "migrator/compare/profile_side.h"

#include <charconv>

#include "base/format.h"
#include "migrator/profile/keep_step.h"
#include "migrator/profile/per_text.h"
#include "migrator/profile/profile_knowledge.h"

namespace migrator {
namespace {

// The number in "ProfilerStep#7".
std::optional<std::uint64_t> step_number(std::string_view name, const ProfileNames& names) {
    if (!names.step_names.begins(name)) return std::nullopt;
    const std::string_view digits = name.substr(name.find('#') + 1);
    std::uint64_t out = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return read.ec == std::errc() ? std::optional(out) : std::nullopt;
}

base::Status find_step(ProfileSide& side, const SideRequest& request) {
    if (!request.step) return {};
    if (request.numbers == ProfileNumbers::msprof && side.trace.kind == TraceKind::gpu)
        return base::fail(base::ErrorKind::usage,
                          "msprof-analyze takes a step of profiles of NPUs only; leave out --compat msprof", side.path);
    std::vector<std::uint64_t> there;
    PerText<std::optional<std::uint64_t>> numbers(
        side.trace.texts, [&](const std::string& name) { return step_number(name, side.names); });
    for (const HostEvent event : side.trace.host) {
        const auto& number = numbers[event.name];
        if (!number) continue;
        there.push_back(*number);
        if (*number == *request.step) side.step_time = Interval{event.begin, event.end()};
    }
    side.step = request.step;
    if (side.step_time) return {};
    if (there.empty()) return base::fail(base::ErrorKind::usage, "the profile has no steps", side.path);
    return base::fail(base::ErrorKind::usage,
                      base::format("there is no step {}; there are: {}", *request.step, base::joined(there, ", ")),
                      side.path);
}

// With the place and what is damaged where it failed.
base::Result<SideMetrics> measured(base::Result<SideMetrics> metrics, const ProfileSide& side) {
    if (metrics) return metrics;
    base::Error error = std::move(metrics).error();
    error.where = side.source.trace_path();  // there are two
    if (side.trace.damage.empty()) return tl::unexpected(std::move(error));
    return base::fail_with_context(std::move(error), side.trace.damage);
}

}  // namespace

std::vector<std::string> ProfileSide::damage() const {
    std::vector<std::string> out;
    if (!trace.damage.empty()) out.push_back(base::format("{}: {}", source.trace_path(), trace.damage));
    if (!kernels.damage.empty())
        out.push_back(base::format("{}: {}", source.path_of(ProfilePart::kernels), kernels.damage));
    out.insert(out.end(), metrics.damage.begin(), metrics.damage.end());
    return out;
}

void ProfileSide::drop_records() {
    TraceRecords kept;
    kept.kind = trace.kind;
    kept.events = trace.events;
    kept.damage = std::move(trace.damage);
    kept.header = std::move(trace.header);
    trace = std::move(kept);
    kernels.rows = {};
}

base::Result<ProfileSide> read_side(base::FileSystem& fs, const base::DataStore& store, const SideRequest& request) {
    ProfileSide side;
    side.path = request.path;
    TRY_ASSIGN(ProfileKnowledge knowledge, load_profile_knowledge(store, request.numbers));
    side.names = std::move(knowledge.names);
    side.tables = std::move(knowledge.tables);
    if (!request.flow_category.empty()) side.names.flow_categories.words = {lower_case(request.flow_category)};
    TRY_ASSIGN(ProfileFiles files, find_profile(fs, request.path, knowledge.queries));
    TRY_ASSIGN(side.source, ProfileSource::open(fs, std::move(files), side.tables, knowledge.queries, request.numbers,
                                                request.step));
    TRY_ASSIGN(const auto events, side.source.events(request.kept));
    TRY_ASSIGN(side.trace, record_trace(*events, side.names, request.kept));
    TRY(find_step(side, request));
    // Msprof restricts operators and collectives to the step, but not the figures as a whole.
    if (side.step_time && request.numbers == ProfileNumbers::ours) keep_step(side.trace, *side.step_time);
    if (side.trace.kind == TraceKind::gpu) {
        TRY_ASSIGN(side.metrics, measured(measure_gpu(side.trace, side.names, request.numbers), side));
        return side;
    }
    TRY_ASSIGN(const auto rows, side.source.table(ProfilePart::kernels));
    TRY_ASSIGN(side.kernels, read_kernels(rows.get(), side.tables.kernels, side.names, side.trace.origin,
                                          {.numbers = request.numbers,
                                           .is_database = side.trace.is_database,
                                           .step = request.step ? base::format("{}", *request.step) : std::string(),
                                           .step_time = side.step_time}));
    const bool counts_as_database = side.trace.is_database && request.numbers == ProfileNumbers::msprof;
    side.metrics = counts_as_database ? measure_database(side.trace, side.kernels, side.names)
                                      : measure_npu(side.trace, side.kernels, side.names, request.numbers);
    if (side.trace.is_database && side.metrics.whole == 0)
        TRY(measured(base::fail(base::ErrorKind::bad_input, "the profile has neither kernels nor collectives"), side));
    TRY(add_tables(side.source, side.tables, request.numbers, side.metrics));
    return side;
}

}  // namespace migrator
