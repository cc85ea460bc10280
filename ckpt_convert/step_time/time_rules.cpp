#include "ckpt_convert/step_time/time_rules.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/rule_file.h"

namespace ckpt {
namespace {

constexpr std::array<std::string_view, 3> kBases{"measured", "derived", "assumed"};

struct TimeFile : RuleFile<"planner-time/1"> {
    List<DeviceShares> devices;
    CommonShares shares;
    List<TimeBand> bands;
    CalibrationLimits calibration;
};
constexpr auto record_of(const TimeFile* file) {
    using base::field;
    return base::extended(record_of(static_cast<const RuleFile<"planner-time/1">*>(file)), "planner_time", "",
                          field("devices", &TimeFile::devices, "what training reaches, by device").needed(),
                          field("shares", &TimeFile::shares, "what holds for all of them").needed(),
                          field("bands", &TimeFile::bands, "how far estimates are off").needed(),
                          field("calibration", &TimeFile::calibration, "which scales are taken").needed());
}

Status complete(DeviceShares& entry, const std::vector<DeviceShares>& before, const std::string& path) {
    auto like = std::find_if(before.begin(), before.end(), [&](const auto& other) { return other.name == entry.like; });
    if (!entry.like.empty() && like == before.end())
        return base::fail(ErrorKind::rule_data,
                          base::format("{} is like {}, which does not stand before it", quoted_name(entry.name),
                                       quoted_name(entry.like)),
                          path);
    for (const auto& [key, member] : kDeviceShares) {
        if (!(entry.*member) && !entry.like.empty()) entry.*member = (*like).*member;
        if (!(entry.*member))
            return base::fail(ErrorKind::rule_data,
                              base::format("{} does not say its \"{}\"", quoted_name(entry.name), key), path);
    }
    return {};
}

}  // namespace

std::string_view name(Basis basis) { return kBases[static_cast<std::size_t>(basis)]; }

Status TimeFactor::check(const base::JsonPlace& at) const {
    return value > 0 ? Status() : at.error("\"value\" must be above 0");
}

Result<TimeRules> TimeRules::load(const base::DataStore& store) {
    const std::string path = "rules/planner/step_time.json";
    TRY_ASSIGN(TimeFile file, base::read_rule_record<TimeFile>(store, path));
    TimeRules out;
    for (DeviceShares& entry : file.devices) {
        TRY(complete(entry, out.devices, path));
        out.devices.push_back(std::move(entry));
    }
    for (std::string_view of : {"dense", "experts", "fsdp2"}) {
        if (std::none_of(file.bands.begin(), file.bands.end(), [&](const TimeBand& band) { return band.of == of; }))
            return base::fail(ErrorKind::rule_data, base::format("the band of \"{}\" is missing", of), path);
    }
    out.shares = std::move(file.shares);
    out.bands = std::move(file.bands);
    out.calibration = file.calibration;
    return out;
}

Result<DeviceShares> TimeRules::of_device(const std::string& preset) const {
    for (const DeviceShares& entry : devices) {
        if (std::find(entry.devices.begin(), entry.devices.end(), preset) != entry.devices.end()) return entry;
    }
    return base::fail(
        ErrorKind::usage,
        base::format("rules/planner/step_time.json does not say what training reaches on {}", quoted_name(preset)));
}

const TimeBand& TimeRules::band(std::string_view of) const {
    auto found = std::find_if(bands.begin(), bands.end(), [&](const TimeBand& band) { return band.of == of; });
    CHECK(found != bands.end());
    return *found;
}

}  // namespace ckpt
