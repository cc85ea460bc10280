// TraceRecords: what is kept of the events of a trace, as few bytes each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "migrator/profile/flow_table.h"
#include "migrator/profile/packed_list.h"
#include "migrator/profile/text_pool.h"
#include "migrator/profile/ticks.h"
#include "migrator/profile/trace_source.h"

namespace migrator {

// What runs on the host: an operator, an annotation, a call of the runtime, a frame of Python.
struct HostEvent {
    Ticks begin = 0, duration = 0;
    TextNumber name = kNoText, thread = kNoText, category = kNoText;
    TextNumber shapes = kNoText, types = kNoText, stack = kNoText;  // as the trace writes them
    std::int64_t link = 0;                                          // to a kernel or to a task of the queue; 0: none

    Ticks end() const { return begin + duration; }
};
using HostEvents =
    PackedList<HostEvent, &HostEvent::begin, &HostEvent::duration, &HostEvent::name, &HostEvent::thread,
               &HostEvent::category, &HostEvent::shapes, &HostEvent::types, &HostEvent::stack, &HostEvent::link>;

// What runs on the device: a kernel, a copy, a task, a collective.
struct DeviceEvent {
    Ticks begin = 0, duration = 0;
    std::int64_t link = 0;  // GPU: correlation with its launch; NPU: number of the task
    TextNumber name = kNoText, thread = kNoText;
    TextNumber stream = kNoText;  // as the trace writes it
    TextNumber type = kNoText;    // GPU: category; NPU: type of the task
    std::int64_t connection = 0;  // NPU: with the call that started it, where a number tells that; 0: none

    Ticks end() const { return begin + duration; }
};
using DeviceEvents =
    PackedList<DeviceEvent, &DeviceEvent::begin, &DeviceEvent::duration, &DeviceEvent::link, &DeviceEvent::name,
               &DeviceEvent::thread, &DeviceEvent::stream, &DeviceEvent::type, &DeviceEvent::connection>;

// A call of the host that started something on the device.
struct LaunchCall {
    std::int64_t link = 0;  // to what it started
    Ticks begin = 0;
    TextNumber thread = kNoText;
};
using LaunchCalls = PackedList<LaunchCall, &LaunchCall::link, &LaunchCall::begin, &LaunchCall::thread>;

// The call with this link; the calls are sorted by it.
inline std::optional<LaunchCall> launch_of(const LaunchCalls& calls, std::int64_t link) {
    const std::size_t found = calls.lower_bound<&LaunchCall::link>(link);
    return found < calls.size() && calls.get<&LaunchCall::link>(found) == link ? std::optional(calls[found])
                                                                               : std::nullopt;
}

struct MemoryEvent {
    Ticks at = 0;
    std::int64_t bytes = 0, reserved = 0;
    std::uint64_t address = 0;
    bool is_of_device = false;
};
using MemoryEvents = PackedList<MemoryEvent, &MemoryEvent::at, &MemoryEvent::bytes, &MemoryEvent::reserved,
                                &MemoryEvent::address, &MemoryEvent::is_of_device>;

// A thread of a process that a trace names.
struct NamedThread {
    std::string name;
    double order = 0;
    bool has_order = false;
};

// A value of a counter, from then on.
struct CounterSample {
    Ticks at = 0;
    std::int64_t value = 0;
};
using CounterSamples = PackedList<CounterSample, &CounterSample::at, &CounterSample::value>;

// A call of which only its time matters.
struct TimedCall {
    Ticks begin = 0, duration = 0;
};
using TimedCalls = PackedList<TimedCall, &TimedCall::begin, &TimedCall::duration>;

// Calls of one name.
struct CallTotals {
    std::uint64_t count = 0;
    Ticks total = 0;
};

struct TraceRecords {
    TraceKind kind = TraceKind::gpu;
    bool is_database = false;  // no analysis of overlaps, and no arrows to the device
    TextPool texts;
    std::vector<std::pair<TextNumber, TextNumber>> threads{{}};  // process and thread, by the number of a thread
    TimeOrigin origin;
    HostEvents host, python, queued;  // queued: put into and taken from the queue of tasks
    DeviceEvents device;
    DeviceEvents collectives;  // NPU: operators and their tasks; of a GPU these are kernels
    DeviceEvents overlap;      // NPU: what its profiler says of computing, communication and free time
    MemoryEvents memory;
    std::map<TextNumber, CallTotals> runtime;  // NPU: calls of its runtime, by name
    HostEvents runtime_order;                  // those that launch kernels and those that wait for streams
    TimedCalls runtime_calls;                  // NPU: those of the runtime's interface
    TimedCalls collections;                    // NPU: Python collects garbage
    CounterSamples frequencies;                // NPU: clock of AI cores, in MHz
    std::uint64_t unaligned_transfers = 0;
    LaunchCalls launch_calls;  // GPU, and databases of NPUs: sorted by their link
    FlowTable launches, backward;
    TextNumber first_backward = kNoText,
               last_backward = kNoText;  // threads at the ends of arrows to the backward pass, as written
    std::map<TextNumber, NamedThread> collective_threads;   // NPU: by the number of the thread as it is written
    std::map<TextNumber, std::uint64_t> kernels_of_stream;  // GPU: kernels that are no collectives
    std::vector<TextNumber> streams;                        // in the order in which they came first
    std::uint64_t events = 0, without_time = 0, negative_times = 0;
    std::map<std::string, std::string, std::less<>> header;
    std::string damage;  // empty: the trace is whole
};

}  // namespace migrator
