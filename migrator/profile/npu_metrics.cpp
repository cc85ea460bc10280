#include <algorithm>
#include <map>
#include <set>

#include "migrator/profile/kernel_owners.h"
#include "migrator/profile/per_text.h"
#include "migrator/profile/side_metrics.h"

namespace migrator {
namespace {

Interval interval_of(const DeviceEvent& event) { return {event.begin, event.end()}; }

std::vector<Interval> intervals_of(const std::vector<DeviceEvent>& events) {
    std::vector<Interval> out;
    for (const DeviceEvent& event : events) out.push_back(interval_of(event));
    return out;
}

// What the name and the type of a task say.
struct TaskUse {
    bool is_end = false, is_lccl = false, is_wait = false, is_send = false;  // its name
    bool computes = false, copies = false, waits_for_stream = false;         // its type
    bool is_computing = false, is_uncovered = false;                         // the name of an interval
};

TaskUse use_of_task(const std::string& text, const ProfileNames& names) {
    return {.is_end = names.fused_communication_ends.is(text),
            .is_lccl = names.lccl_tasks.is(text),
            .is_wait = names.wait_tasks.is(text),
            .is_send = names.send_tasks.is(text),
            .computes = names.core_tasks.is(text),
            .copies = names.copy_tasks.is(text),
            .waits_for_stream = names.stream_waits.is(text),
            .is_computing = names.computing_intervals.is(text),
            .is_uncovered = names.uncovered_intervals.is(text)};
}

class NpuMeasure {
public:
    NpuMeasure(const TraceRecords& trace, const KernelTable& kernels, const ProfileNames& names, ProfileNumbers numbers)
        : trace_(trace),
          kernels_(kernels),
          names_(names),
          numbers_(numbers),
          is_ours_(numbers == ProfileNumbers::ours),
          uses_(trace.texts, [&](const std::string& text) { return use_of_task(text, names); }),
          lower_(kernels.texts, [](const std::string& text) { return text; }) {
        out_.kind = TraceKind::npu;
        out_.numbers = numbers;
    }

    SideMetrics run() {
        out_.hides_kernels = kernels_.is_there && (kernels_.rows.empty() || !kernels_.has_units);
        if (!is_ours_) drop_equal_tasks();
        if (is_ours_ && kernels_.rows.empty() && kernels_.is_there)
            out_.notes.push_back({"The table of kernels is empty: computing is not split."});
        else if (is_ours_ && out_.hides_kernels)
            out_.notes.push_back(
                {"The profile has no counters of units, which Level1 with aic_metrics=PipeUtilization records: "
                 "computing is not split."});
        if (!out_.hides_kernels) split_computing();
        add_tasks();
        add_overlap();
        add_groups();
        return std::move(out_);
    }

private:
    template <class Visit>
    void each_task(const Visit& visit) const {
        const std::size_t count = is_ours_ ? trace_.device.size() : tasks_.size();
        for (std::size_t i = 0; i < count; ++i) visit(trace_.device[is_ours_ ? i : tasks_[i]]);
    }

    // Msprof keeps one of the tasks with the same thread and begin, at the place of the first.
    void drop_equal_tasks() {
        std::map<std::pair<TextNumber, Ticks>, std::size_t> seen;
        for (std::uint32_t i = 0; i < trace_.device.size(); ++i) {
            const DeviceEvent task = trace_.device[i];
            const auto [place, is_new] = seen.try_emplace({task.thread, task.begin}, tasks_.size());
            if (is_new) tasks_.push_back(i);
            else tasks_[place->second] = i;
        }
    }

    void split_computing() {
        std::vector<OwnedKernel> owned;
        for (std::uint32_t i = 0; i < kernels_.rows.size(); ++i) {
            if (kernels_.rows.get<&TimedKernel::is_counted>(i)) owned.push_back({.number = i});
        }
        each_task([&](const DeviceEvent& task) {
            if (uses_[task.name].is_end) ends_.push_back(interval_of(task));
        });
        sort_by_begin(ends_);
        KernelOwners owners(trace_, names_, numbers_);
        owners.order(owned, [&](std::uint32_t number) {
            return KernelPlace{kernels_.rows.get<&TimedKernel::begin>(number),
                               kernels_.rows.get<&TimedKernel::connection>(number), kNoText};
        });
        for (const OwnedKernel& kernel : owned) add_row(kernels_.rows[kernel.number], kernel, owners);
    }

    void add_row(const TimedKernel& row, const OwnedKernel& kernel, KernelOwners& owners) {
        const std::string &name = lower_[row.name], &type = lower_[row.type];
        if (names_.paged_attention_types.in(type)) return out_.split.add(ComputingPart::paged_attention, row.duration);
        if (names_.tensor_move_begin.begins(name) && names_.tensor_move_words.in(name))
            return out_.split.add(ComputingPart::tensor_move, row.duration);
        if (row.fused > 0) return add_fused(row);
        const auto kind = owners.next(kernel);
        out_.split.add(kind ? part_of(*kind, row.is_cube) : part_of_kernel(name, type, row.is_cube, names_),
                       row.duration);
    }

    void add_fused(const TimedKernel& row) {
        FusedCommunication& item = out_.split.fused_of(kernels_.texts[row.name]);
        item.time += row.duration;
        item.computing += kernels_.fused_computing[row.fused - 1];
        item.communication += communication_between(ends_, next_end_, {row.begin, row.begin + row.duration});
        ++item.count;
    }

    void add_tasks() {
        std::set<TextNumber> waiting, computing;
        std::map<TextNumber, PartTime> copies;
        each_task([&](const DeviceEvent& task) {
            if (uses_[task.name].is_lccl) out_.split.add(ComputingPart::lccl, task.duration);
            const std::string_view stream = trace_.texts[task.stream];
            if (stream.empty() || (!is_ours_ && stream == "0")) return;
            const TaskUse& use = uses_[task.type];
            if (use.waits_for_stream) waiting.insert(task.stream);
            if (use.computes) computing.insert(task.stream);
            if (!use.copies) return;
            copies[task.stream].time += task.duration;
            ++copies[task.stream].count;
        });
        for (const auto& [stream, copied] : copies) {
            if (!computing.contains(stream) || (!waiting.empty() && !waiting.contains(stream))) continue;
            out_.split[ComputingPart::copies].time += copied.time;
            out_.split[ComputingPart::copies].count += copied.count;
        }
    }

    void add_overlap() {
        if (trace_.is_database) return add_overlap_of_tasks();
        Ticks first = trace_.overlap.empty() ? 0 : trace_.overlap[0].begin, last = first;
        for (const DeviceEvent item : trace_.overlap) {
            first = std::min(first, item.begin);
            last = std::max(last, item.end());
            if (uses_[item.name].is_computing) out_.computing += item.duration;
            if (!uses_[item.name].is_uncovered) continue;
            out_.uncovered += item.duration;
            uncovered_.push_back(interval_of(item));
        }
        out_.whole = last - first;
        if (trace_.overlap.empty())
            out_.notes.push_back({"The trace has no analysis of overlaps, so that the time as a whole is not known."});
    }

    // As the profiler itself works it out: kernels, what of the collectives no kernel runs beside, and from the first to the last.
    void add_overlap_of_tasks() {
        std::vector<Interval> computing, communication;
        for (const TimedKernel kernel : kernels_.rows)
            computing.push_back({kernel.begin, kernel.begin + kernel.duration});
        for (const DeviceEvent event : trace_.collectives) {
            const auto thread = trace_.collective_threads.find(thread_of(event));
            if (thread != trace_.collective_threads.end() && names_.group_threads.in(lower_case(thread->second.name)))
                communication.push_back(interval_of(event));
        }
        computing = merged(std::move(computing));
        std::vector<Interval> all = computing;
        all.insert(all.end(), communication.begin(), communication.end());
        all = merged(std::move(all));
        if (all.empty()) return;
        out_.computing = length_of(computing);
        out_.uncovered = length_of(all) - out_.computing;
        out_.whole = all.back().end - all.front().begin;
        uncovered_ = without(all, computing);
    }

    // Threads of one group, and those of its planes.
    struct Group {
        TextNumber thread = kNoText;
        std::string name;
        std::vector<TextNumber> planes;
    };

    // Threads by their order; planes follow their group.
    std::vector<Group> groups() const {
        std::map<double, TextNumber> order;
        for (const auto& [thread, said] : trace_.collective_threads) {
            if (said.has_order) order[said.order] = thread;
        }
        std::vector<Group> out;
        for (const auto& [place, thread] : order) {
            const std::string& name = trace_.collective_threads.at(thread).name;
            if (names_.group_threads.in(lower_case(name))) out.push_back({thread, name, {}});
            else if (!name.empty() && !out.empty()) out.back().planes.push_back(thread);
        }
        return out;
    }

    TextNumber thread_of(const DeviceEvent& event) const { return trace_.threads[event.thread].second; }

    // Waits for other ranks by the thread of the plane. Where a rank has sent, the next two waits belong to the transfer.
    std::map<TextNumber, std::vector<DeviceEvent>> waits(const std::vector<DeviceEvent>& tasks) {
        std::map<TextNumber, std::vector<DeviceEvent>> out;
        std::map<TextNumber, std::string>
            before;  // the last four kinds of tasks: R sends, N waits, O does something else
        for (const DeviceEvent& task : tasks) {
            std::string& kinds = before.try_emplace(thread_of(task), "OOOO").first->second;
            const bool is_wait = uses_[task.name].is_wait;
            if (is_wait && kinds != "RRNR" && kinds.substr(2) != "RR") out[thread_of(task)].push_back(task);
            kinds = kinds.substr(1) + (is_wait ? 'N' : uses_[task.name].is_send ? 'R' : 'O');
        }
        return out;
    }

    Ticks uncovered_length(const std::vector<DeviceEvent>& events) const {
        if (!is_ours_) return walked_length(walked_, intervals_of(events));
        return length_in_both(uncovered_, merged(intervals_of(events)));
    }

    void add_groups() {
        if (is_ours_) uncovered_ = merged(std::move(uncovered_));
        else walked_ = SortedIntervals(std::move(uncovered_));
        const std::vector<Group> all = groups();
        std::map<TextNumber, std::vector<DeviceEvent>> operators;
        for (const Group& group : all) operators[group.thread];
        std::vector<DeviceEvent> tasks;
        for (const DeviceEvent event : trace_.collectives) {
            const auto found = operators.find(thread_of(event));
            (found == operators.end() ? tasks : found->second).push_back(event);
        }
        std::ranges::stable_sort(tasks, {}, &DeviceEvent::begin);
        const auto waits_of = waits(tasks);
        for (const Group& group : all) {
            GroupTime time{.thread = group.name,
                           .process_group = {},
                           .wait = std::nullopt,
                           .all = uncovered_length(operators.at(group.thread))};
            time.wait = wait_of(group, waits_of);
            if (time.wait) out_.wait = out_.wait.value_or(0) + *time.wait;
            out_.groups.push_back(std::move(time));
        }
        if (!is_ours_ && !out_.wait) out_.wait = 0;
        if (is_ours_ && !out_.wait && !out_.groups.empty())
            out_.notes.push_back(
                {"No task of a collective says how long it waits for other ranks, so that all of it counts as "
                 "transmitted."});
        add_group_overlaps(all, operators);
    }

    // That of the plane that waits least. A plane without a wait is none that could tell; msprof takes it for one that waits least.
    std::optional<Ticks> wait_of(const Group& group,
                                 const std::map<TextNumber, std::vector<DeviceEvent>>& waits_of) const {
        const std::vector<DeviceEvent> none;
        const std::vector<DeviceEvent>* best = nullptr;
        Ticks least = 0;
        for (const TextNumber plane : group.planes) {
            const auto found = waits_of.find(plane);
            const auto& events = found == waits_of.end() ? none : found->second;
            Ticks sum = 0;
            for (const DeviceEvent& event : events) sum += event.duration;
            if ((is_ours_ && events.empty()) || (best != nullptr && sum >= least)) continue;
            best = &events;
            least = sum;
        }
        if (best == nullptr) return is_ours_ ? std::nullopt : std::optional<Ticks>(0);
        return uncovered_length(*best);
    }

    void add_group_overlaps(const std::vector<Group>& all,
                            const std::map<TextNumber, std::vector<DeviceEvent>>& operators) {
        std::vector<std::vector<Interval>> pieces;
        for (const Group& group : all) {
            std::vector<Interval> times = intervals_of(operators.at(group.thread));
            pieces.push_back(is_ours_ ? common(uncovered_, merged(std::move(times)))
                                      : walked_pieces(std::move(times), walked_));
        }
        const auto pairs = pairs_in_touch(pieces);
        if (!pairs) return out_.note_many_groups();
        for (const auto& [i, j] : *pairs) {
            const Ticks time =
                is_ours_ ? length_in_both(pieces[i], pieces[j]) : walked_length(SortedIntervals(pieces[i]), pieces[j]);
            if (time != 0) out_.overlaps.push_back({all[i].name, all[j].name, time});
        }
    }

    const TraceRecords& trace_;
    const KernelTable& kernels_;
    const ProfileNames& names_;
    const ProfileNumbers numbers_;
    const bool is_ours_;
    SideMetrics out_;
    PerText<TaskUse> uses_;
    PerText<std::string> lower_;
    std::vector<std::uint32_t> tasks_;  // msprof: those that are left
    std::vector<Interval> ends_;
    std::size_t next_end_ = 0;
    std::vector<Interval> uncovered_;
    SortedIntervals walked_{{}};  // the same, where the numbers are those of msprof
};

}  // namespace

SideMetrics measure_npu(const TraceRecords& trace, const KernelTable& kernels, const ProfileNames& names,
                        ProfileNumbers numbers) {
    return NpuMeasure(trace, kernels, names, numbers).run();
}

}  // namespace migrator
