#include "migrator/profile/record_trace.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/number_text.h"
#include "migrator/profile/computing_split.h"
#include "migrator/profile/json_tokens.h"

namespace migrator {
namespace {

std::int64_t integer_of(std::string_view token, std::int64_t otherwise) {
    return base::number_in<std::int64_t>(unquoted(token)).value_or(otherwise);
}

double real_of(std::string_view token) {
    token = unquoted(token);
    double out = 0;
    std::from_chars(token.data(), token.data() + token.size(), out);
    return out;
}

// What a category says of an event.
struct CategoryUse {
    bool is_known = false;
    bool host = false, launch = false, kernel = false, copy = false, flow = false, backward = false, python = false,
         queue = false, connection = false, collection = false;
};

enum class ProcessUse { unknown, other, device, collectives, overlap, runtime };

class TraceRecorder {
public:
    TraceRecorder(const ProfileNames& names, const KeptParts& kept, const TraceSource& events)
        : names_(names), kept_(kept) {
        out_.kind = events.kind();
        out_.is_database = events.is_database();
    }

    void add(const TraceEvent& event) {
        if (event.phase == "M") return add_metadata(event);
        if (event.phase == "C") return add_counter(event);
        const TextNumber category = out_.texts.number(event.category);
        const CategoryUse use = use_of(category);
        if (use.connection) return add_connection(event);
        if (use.flow || use.backward) return add_flow(event, use);
        if (use.host || use.python || use.queue) return add_host(event, use, category);
        if (use.collection) return add_collection(event);
        if (out_.kind == TraceKind::npu) return add_of_process(event);
        if (use.kernel || use.copy) return add_kernel(event, use, category);
        if (names_.memory_events.is(lower_case(event.name))) add_memory(event);
    }

    TraceRecords take(const TraceSource& events) {
        transfer_bytes_ = 0;
        for (auto& [process, kept] : waiting_) place(kept, use_of_process(process));
        for (auto& [key, thread] : named_threads_) {
            if (use_of_process(key.first) == ProcessUse::collectives)
                out_.collective_threads[key.second] = std::move(thread);
        }
        out_.launch_calls = sorted_by<&LaunchCall::link>(std::move(out_.launch_calls));
        out_.launches.join();
        out_.backward.join();
        out_.events = events.count();
        out_.damage = events.damage();
        out_.header = events.header();
        return std::move(out_);
    }

private:
    CategoryUse use_of(TextNumber category) {
        if (category >= uses_.size()) uses_.resize(category + 1);
        CategoryUse& use = uses_[category];
        if (use.is_known) return use;
        const std::string name = lower_case(out_.texts[category]);
        const bool is_npu = out_.kind == TraceKind::npu;
        use.is_known = true;
        use.launch = !is_npu && names_.launch_categories.is(name);
        use.host =
            names_.operator_categories.is(name) || use.launch || (!is_npu && names_.annotation_categories.is(name));
        use.kernel = !is_npu && names_.kernel_categories.is(name);
        use.copy = !is_npu && names_.copy_categories.is(name);
        use.flow = (is_npu ? names_.npu_flow_categories : names_.flow_categories).is(name);
        use.backward = names_.backward_categories.is(name);
        use.python = names_.python_categories.is(name);
        use.connection = is_npu && names_.connection_categories.is(name);
        use.queue = is_npu && (names_.enqueue_categories.is(name) || names_.dequeue_categories.is(name));
        use.collection = is_npu && kept_.runtime && names_.collection_categories.is(name);
        return use;
    }

    // Counters are up to a half of a trace of an NPU.
    void add_counter(const TraceEvent& event) {
        if (!kept_.runtime || !names_.frequency_counters.is(lower_case(event.name))) return;
        CounterSample sample;
        Ticks duration = 0;
        if (!time_of(event, sample.at, duration)) return;
        each_member(event.args, [&](std::string_view, std::string_view value) {
            sample.value = integer_of(value, 0);
            return false;
        });
        if (sample.value > 0) out_.frequencies.push_back(sample);
    }

    void add_collection(const TraceEvent& event) {
        TimedCall call;
        if (event.phase == "X" && time_of(event, call.begin, call.duration)) out_.collections.push_back(call);
    }

    // False: the event has no time, and is counted.
    bool time_of(const TraceEvent& event, Ticks& begin, Ticks& duration) {
        const auto moment = parse_moment(event.begin.empty() ? "0" : event.begin);
        if (moment && !out_.origin.is_set()) out_.origin.set(*moment);
        const auto at = moment ? out_.origin.ticks(*moment) : std::nullopt;
        const auto length = event.duration.empty() ? Ticks{0} : parse_duration(event.duration);
        if (!at || !length) {
            ++out_.without_time;
            return false;
        }
        begin = *at;
        duration = *length;
        out_.negative_times += duration < 0 ? 1 : 0;
        return true;
    }

    TextNumber thread_of(const TraceEvent& event) {
        const std::pair key{out_.texts.number(event.process), out_.texts.number(event.thread)};
        if (key == last_thread_) return last_thread_number_;
        const auto [place, is_new] = thread_numbers_.try_emplace(key, static_cast<TextNumber>(out_.threads.size()));
        if (is_new) out_.threads.push_back(key);
        last_thread_ = key;
        return last_thread_number_ = place->second;
    }

    void add_flow(const TraceEvent& event, const CategoryUse& use) {
        const bool is_begin = event.phase == "s", is_end = event.phase == "f";
        Ticks at = 0, duration = 0;
        if ((!is_begin && !is_end) || !time_of(event, at, duration)) return;
        const TextNumber thread = thread_of(event);
        if (use.backward && is_end) {
            out_.last_backward = out_.threads[thread].second;
            if (out_.first_backward == kNoText) out_.first_backward = out_.last_backward;
        }
        FlowTable& flows = use.flow ? out_.launches : out_.backward;
        if (is_begin) flows.add_begin(event.id, at, thread);
        else flows.add_end(event.id, at, thread);
    }

    // What a call of the host started, where a number tells it and no arrow.
    void add_connection(const TraceEvent& event) {
        LaunchCall call{.link = integer_of(event.id, 0)};
        Ticks duration = 0;
        if (call.link == 0 || !time_of(event, call.begin, duration)) return;
        call.thread = thread_of(event);
        out_.launch_calls.push_back(call);
    }

    void add_host(const TraceEvent& event, const CategoryUse& use, TextNumber category) {
        if ((use.python && !kept_.python) || (use.queue && !kept_.queue)) return;
        HostEvent item;
        item.name = out_.texts.number(event.name);
        const bool is_kept = kept_.operators || !use.host || is_asked_for(item.name);
        if (!is_kept && !use.launch) return;
        if (!time_of(event, item.begin, item.duration)) return;
        item.thread = thread_of(event);
        item.category = category;
        each_member(event.args, [&](std::string_view key, std::string_view value) {
            if (key == "correlation" || key == "correlation_id" || key == "connection_id")
                item.link = integer_of(value, 0);
            else if (!kept_.shapes || use.python) return true;
            else if (key == "Input Dims" || key == "Input dims") item.shapes = out_.texts.number(value);
            else if (key == "Input type") item.types = out_.texts.number(value);
            else if (key == "Call stack") item.stack = out_.texts.number(value);
            return true;
        });
        if (use.launch && item.link != 0) out_.launch_calls.push_back({item.link, item.begin, item.thread});
        if (is_kept) (use.host ? out_.host : use.python ? out_.python : out_.queued).push_back(item);
    }

    // Operators that the split of computing asks for, and steps.
    bool is_asked_for(TextNumber name) {
        if (name >= asked_for_.size()) asked_for_.resize(name + 1, -1);
        if (asked_for_[name] < 0) {
            const std::string_view text = out_.texts[name];
            const bool is_asked =
                kind_of_operator(text, names_).is != OperatorClass::other || names_.step_names.in(lower_case(text));
            asked_for_[name] = is_asked ? 1 : 0;
        }
        return asked_for_[name] == 1;
    }

    void add_kernel(const TraceEvent& event, const CategoryUse& use, TextNumber category) {
        DeviceEvent item;
        if (!time_of(event, item.begin, item.duration)) return;
        item.name = out_.texts.number(event.name);
        item.thread = thread_of(event);
        item.type = category;
        each_member(event.args, [&](std::string_view key, std::string_view value) {
            if (key == "stream") item.stream = out_.texts.number(value);
            else if (key == "correlation") item.link = integer_of(value, 0);
            return true;
        });
        out_.device.push_back(item);
        if (!use.kernel || is_collective(item.name)) return;
        if (out_.kernels_of_stream[item.stream]++ == 0) out_.streams.push_back(item.stream);
    }

    bool is_collective(TextNumber name) {
        if (name >= collectives_.size()) collectives_.resize(name + 1, -1);
        if (collectives_[name] < 0)
            collectives_[name] = names_.communication_kernels.begins(lower_case(out_.texts[name])) ? 1 : 0;
        return collectives_[name] == 1;
    }

    void add_memory(const TraceEvent& event) {
        MemoryEvent item;
        Ticks duration = 0;
        if (!time_of(event, item.at, duration)) return;
        each_member(event.args, [&](std::string_view key, std::string_view value) {
            if (key == "Bytes") item.bytes = integer_of(value, 0);
            else if (key == "Total Reserved") item.reserved = integer_of(value, 0);
            else if (key == "Addr") item.address = static_cast<std::uint64_t>(integer_of(value, 0));
            else if (key == "Device Id") item.is_of_device = integer_of(value, -1) >= 0;
            return true;
        });
        out_.memory.push_back(item);
    }

    void add_of_process(const TraceEvent& event) {
        if (event.phase != "X") return;
        const TextNumber process = out_.texts.number(event.process);
        const ProcessUse use = use_of_process(process);
        if (use == ProcessUse::other || (use == ProcessUse::runtime && !kept_.runtime)) return;
        transfer_bytes_ = 0;
        transport_ = {};
        DeviceEvent item;
        if (!time_of(event, item.begin, item.duration)) return;
        item.name = out_.texts.number(event.name);
        item.thread = thread_of(event);
        each_member(event.args, [&](std::string_view key, std::string_view value) {
            if (key == "Task Type") item.type = out_.texts.number(unquoted(value));
            else if (key == "Task Id") item.link = integer_of(value, 0);
            else if (key == "connection_id") item.connection = integer_of(value, 0);
            else if (key == "size(Byte)") transfer_bytes_ = integer_of(value, 0);
            else if (key == "transport type") transport_ = unquoted(value);
            else if (names_.stream_keys.is(lower_case(key))) item.stream = out_.texts.number(value);
            return true;
        });
        if (use == ProcessUse::unknown) waiting_.emplace_back(process, item);
        else place(item, use);
    }

    // Waits for streams right after launches are told by the order of both.
    void add_runtime(const DeviceEvent& item) {
        CallTotals& totals = out_.runtime[item.name];
        ++totals.count;
        totals.total += item.duration;
        const std::string name = lower_case(out_.texts[item.name]);
        if (names_.runtime_interfaces.begins(name)) out_.runtime_calls.push_back({item.begin, item.duration});
        if (!names_.kernel_launches.is(name) && !names_.stream_synchronisations.is(name)) return;
        HostEvent call;
        call.begin = item.begin;
        call.thread = item.thread;
        call.name = item.name;
        out_.runtime_order.push_back(call);
    }

    bool is_unaligned(const DeviceEvent& item) const {
        constexpr std::int64_t kAlignment = 512;
        return transfer_bytes_ >= kAlignment && transfer_bytes_ % kAlignment != 0 &&
               names_.transfers.is(lower_case(out_.texts[item.name])) &&
               names_.aligned_transports.is(lower_case(transport_));
    }

    void place(const DeviceEvent& item, ProcessUse use) {
        if (use == ProcessUse::runtime && kept_.runtime) return add_runtime(item);
        if (use == ProcessUse::collectives && is_unaligned(item)) ++out_.unaligned_transfers;
        if (use == ProcessUse::device) add_task(item);
        else if (use == ProcessUse::collectives) out_.collectives.push_back(item);
        else if (use == ProcessUse::overlap) out_.overlap.push_back(item);
    }

    // Of tasks that only say which streams compute or wait, one of each kind is enough.
    void add_task(const DeviceEvent& item) {
        if (!kept_.operators && !kept_.equal_tasks) {
            const std::string type(out_.texts[item.type]);
            const bool says_stream = names_.core_tasks.is(lower_case(type)) || names_.stream_waits.is(lower_case(type));
            const bool is_more = names_.lccl_tasks.is(lower_case(out_.texts[item.name]));
            if (says_stream && !is_more && !streams_of_tasks_.emplace(item.stream, item.type).second) return;
        }
        out_.device.push_back(item);
    }

    ProcessUse use_of_process(TextNumber process) const {
        return process < processes_.size() ? processes_[process] : ProcessUse::unknown;
    }

    void add_metadata(const TraceEvent& event) {
        if (out_.kind != TraceKind::npu) return;
        std::string_view name, order;
        each_member(event.args, [&](std::string_view key, std::string_view value) {
            if (key == "name") name = unquoted(value);
            else if (key == "sort_index") order = value;
            return true;
        });
        const TextNumber process = out_.texts.number(event.process);
        if (event.name == "process_name") return name_process(process, lower_case(name));
        if (event.name != "thread_name" && event.name != "thread_sort_index") return;
        NamedThread& thread = named_threads_[{process, out_.texts.number(event.thread)}];
        if (event.name == "thread_name") {
            std::string scratch;
            thread.name = unescaped(name, scratch);
        } else {
            thread.order = real_of(order);
            thread.has_order = true;
        }
    }

    void name_process(TextNumber process, const std::string& name) {
        if (process >= processes_.size()) processes_.resize(process + 1, ProcessUse::unknown);
        processes_[process] = names_.hardware_processes.is(name)        ? ProcessUse::device
                              : names_.communication_processes.is(name) ? ProcessUse::collectives
                              : names_.overlap_processes.is(name)       ? ProcessUse::overlap
                              : names_.runtime_processes.is(name)       ? ProcessUse::runtime
                                                                        : ProcessUse::other;
    }

    const ProfileNames& names_;
    const KeptParts kept_;
    TraceRecords out_;
    std::vector<CategoryUse> uses_;
    std::vector<signed char> collectives_;  // by the number of a name; -1: not asked yet
    std::vector<signed char> asked_for_;    // likewise
    std::set<std::pair<TextNumber, TextNumber>> streams_of_tasks_;
    std::int64_t transfer_bytes_ = 0;  // of the event that is read
    std::string_view transport_;
    std::vector<ProcessUse> processes_;                        // by the number of the process
    std::vector<std::pair<TextNumber, DeviceEvent>> waiting_;  // for the name of their process
    std::map<std::pair<TextNumber, TextNumber>, NamedThread> named_threads_;
    std::map<std::pair<TextNumber, TextNumber>, TextNumber> thread_numbers_;
    std::pair<TextNumber, TextNumber> last_thread_;
    TextNumber last_thread_number_ = 0;
};

}  // namespace

base::Result<TraceRecords> record_trace(TraceSource& events, const ProfileNames& names, const KeptParts& kept) {
    TraceRecorder recorder(names, kept, events);
    for (;;) {
        TRY_ASSIGN(const TraceEvent* event, events.next());
        if (event == nullptr) return recorder.take(events);
        recorder.add(*event);
    }
}

}  // namespace migrator
