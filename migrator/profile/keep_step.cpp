#include "migrator/profile/keep_step.h"

#include <algorithm>

namespace migrator {
namespace {

bool is_in(Ticks time, const Interval& step) { return time >= step.begin && time < step.end; }

// When the kernel was launched; when it began, where nothing tells.
Ticks launch_time(const TraceRecords& trace, const DeviceEvent& kernel) {
    if (trace.kind == TraceKind::npu || kernel.link == 0) return kernel.begin;
    const auto call = launch_of(trace.launch_calls, kernel.link);
    return call ? call->begin : kernel.begin;
}

}  // namespace

void keep_step(TraceRecords& trace, const Interval& step) {
    trace.device =
        kept_of(trace.device, [&](const DeviceEvent& event) { return is_in(launch_time(trace, event), step); });
    trace.collectives = kept_of(trace.collectives, [&](const DeviceEvent& event) { return is_in(event.begin, step); });
    trace.memory = kept_of(trace.memory, [&](const MemoryEvent& event) { return is_in(event.at, step); });
    trace.collections = kept_of(trace.collections, [&](const TimedCall& call) { return is_in(call.begin, step); });
    DeviceEvents overlap;
    for (DeviceEvent event : trace.overlap) {
        const Ticks begin = std::max(event.begin, step.begin), end = std::min(event.end(), step.end);
        event.begin = begin;
        event.duration = end - begin;
        if (event.duration > 0) overlap.push_back(event);
    }
    trace.overlap = std::move(overlap);
}

}  // namespace migrator
