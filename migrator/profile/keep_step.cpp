#include "migrator/profile/keep_step.h"

#include <algorithm>

namespace migrator {
namespace {

bool is_in(Ticks time, const Interval& step) { return time >= step.begin && time < step.end; }

// When the kernel was launched; when it began, where nothing tells.
Ticks launch_time(const TraceRecords& trace, const DeviceEvent& kernel) {
    if (trace.kind == TraceKind::npu || kernel.link == 0) return kernel.begin;
    const auto found = std::ranges::lower_bound(trace.launch_calls, kernel.link, {}, &LaunchCall::link);
    return found == trace.launch_calls.end() || found->link != kernel.link ? kernel.begin : found->begin;
}

}  // namespace

void keep_step(TraceRecords& trace, const Interval& step) {
    std::erase_if(trace.device, [&](const DeviceEvent& event) { return !is_in(launch_time(trace, event), step); });
    std::erase_if(trace.collectives, [&](const DeviceEvent& event) { return !is_in(event.begin, step); });
    std::erase_if(trace.memory, [&](const MemoryEvent& event) { return !is_in(event.at, step); });
    for (DeviceEvent& event : trace.overlap) {
        const Ticks begin = std::max(event.begin, step.begin), end = std::min(event.end(), step.end);
        event.begin = begin;
        event.duration = end - begin;
    }
    std::erase_if(trace.overlap, [](const DeviceEvent& event) { return event.duration <= 0; });
}

}  // namespace migrator
