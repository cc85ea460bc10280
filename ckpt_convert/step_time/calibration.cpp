#include "ckpt_convert/step_time/calibration.h"

#include <algorithm>

#include "base/format.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;

// Where the seconds of a step stand in files that are known, and what they are there.
struct KnownPlace {
    const char* path;
    const char* what;
};
constexpr KnownPlace kPlaces[] = {{"step_seconds", "step_seconds"},
                                  {"metrics.e2e_time", "the profiled time"},
                                  {"new.metrics.e2e_time", "the profiled time of the new side"}};

std::optional<double> number(const Json* json) {
    if (json == nullptr) return std::nullopt;
    if (json->real() != nullptr) return *json->real();
    if (json->integer() != nullptr) return static_cast<double>(*json->integer());
    return std::nullopt;
}

Result<std::optional<MeasuredLayout>> layout_in(const JsonDocument& document) {
    const Json* json = document.root.find("layout");
    if (json == nullptr) return std::optional<MeasuredLayout>();
    TRY_ASSIGN(const MeasuredLayout out,
               base::read_json<MeasuredLayout>({document, *json, "layout", ErrorKind::usage}));
    const auto sizes = {out.tp, out.pp, out.cp, out.ep, out.virtual_stages, out.micro_batch, out.etp + 1};
    constexpr std::int64_t kMost = 1 << 20;
    if (std::min(sizes) < 1 || std::max(sizes) > kMost)
        return base::fail(ErrorKind::usage, "--calibrate: a size of \"layout\" is not plausible",
                          document.where(*json));
    return std::optional(out);
}

// GiB of a device; nullopt: the file does not say it.
Result<std::optional<double>> gib_in(const JsonDocument& document, const char* key) {
    const Json* json = document.root.find(key);
    if (json == nullptr) return std::optional<double>();
    constexpr double kMost = 1 << 16;
    const std::optional<double> out = number(json);
    if (!out || !(*out > 0 && *out < kMost))
        return base::fail(ErrorKind::usage, base::format("--calibrate: \"{}\" is a number of GiB above 0", key),
                          document.where(*json));
    return out;
}

Result<std::optional<MeasuredMemory>> memory_in(const JsonDocument& document) {
    TRY_ASSIGN(const auto peak, gib_in(document, "peak_gib"));
    TRY_ASSIGN(const auto reserved, gib_in(document, "reserved_gib"));
    if (!peak && reserved)
        return base::fail(ErrorKind::usage,
                          "--calibrate: \"reserved_gib\" belongs to a \"peak_gib\", the most that tensors held: "
                          "max_memory_allocated",
                          document.name);
    if (!peak) return std::optional<MeasuredMemory>();
    const Json* stage = document.root.find("stage");
    MeasuredMemory out{*peak, reserved, std::nullopt};
    if (stage != nullptr) {
        constexpr std::int64_t kMostStages = 1 << 20;
        if (stage->integer() == nullptr || *stage->integer() < 0 || *stage->integer() > kMostStages)
            return base::fail(ErrorKind::usage, "--calibrate: \"stage\" is the number of a stage, from 0",
                              document.where(*stage));
        out.stage = static_cast<int>(*stage->integer());
    }
    return std::optional(out);
}

}  // namespace

Result<Calibration> read_calibration(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(const std::string text, base::read_file(fs, path, kMostBytes));
    TRY_ASSIGN(const JsonDocument document, base::parse_json(text, path));
    Calibration out;
    for (const KnownPlace& place : kPlaces) {
        const auto seconds = number(document.root.find_path(place.path));
        if (!seconds) continue;
        if (*seconds <= 0)
            return base::fail(ErrorKind::usage,
                              base::format("--calibrate: {} is {}; a step takes time", place.what, *seconds), path);
        out.step_seconds = *seconds;
        break;
    }
    TRY_ASSIGN(out.memory, memory_in(document));
    TRY_ASSIGN(out.layout, layout_in(document));
    if (const Json* words = document.root.find("with"); words != nullptr && words->string() != nullptr)
        out.choices = *words->string();
    if (out.step_seconds || out.memory) return out;
    return base::fail(
        ErrorKind::usage,
        "--calibrate: the file has neither \"step_seconds\" nor \"peak_gib\" nor the \"metrics\" that migrator profile "
        "--json writes for one profile; give it {\"step_seconds\": 31.2}, or a profile of one step (--step N)",
        path);
}

TrainingJob in_layout(const MeasuredLayout& layout, const TrainingJob& job) {
    TrainingJob out = job;
    out.ranks.tp = static_cast<int>(layout.tp);
    out.ranks.pp = static_cast<int>(layout.pp);
    out.ranks.cp = static_cast<int>(layout.cp);
    out.ranks.experts.ep = static_cast<int>(layout.ep);
    out.ranks.experts.etp = static_cast<int>(layout.etp);
    if (layout.virtual_stages > 1) out.ranks.virtual_stages = static_cast<std::uint32_t>(layout.virtual_stages);
    out.ranks.sequence_parallel = layout.tp > 1;
    out.batch.micro = layout.micro_batch;
    return out;
}

Result<double> time_scale(const Calibration& measured, const StepTime& estimate, const CalibrationLimits& limits) {
    const double scale = *measured.step_seconds / estimate.seconds;
    if (scale >= limits.least && scale <= limits.most) return scale;
    const PassTime& work = estimate.of_slowest;
    std::size_t largest = 0;
    for (std::size_t i = 1; i < kWorks; ++i) {
        if (work.forward[i] + work.backward[i] > work.forward[largest] + work.backward[largest]) largest = i;
    }
    const char* reason =
        scale > limits.most
            ? "is the whole step measured, with these devices and batches, and not its first or one that compiles?"
            : "is it one whole step, and not a part of one?";
    return base::fail(
        ErrorKind::usage,
        base::format("--calibrate: {:.3g} s measured are {:.2f} times the estimate of {:.3g} s, outside {} to {}; "
                     "{} Otherwise \"{}\", most of the estimate, would have to be wrong",
                     *measured.step_seconds, scale, estimate.seconds, limits.least, limits.most, reason,
                     name(static_cast<Work>(largest))));
}

}  // namespace ckpt
