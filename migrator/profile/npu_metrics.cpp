#include <algorithm>
#include <map>
#include <set>

#include "migrator/profile/kernel_owners.h"
#include "migrator/profile/side_metrics.h"

namespace migrator {
namespace {

Interval interval_of(const DeviceEvent& event) { return {event.begin, event.end()}; }

std::vector<Interval> intervals_of(const std::vector<const DeviceEvent*>& events) {
    std::vector<Interval> out;
    for (const DeviceEvent* event : events) out.push_back(interval_of(*event));
    return out;
}

// What a row of the table of kernels is a part of, where no operator claims it.
ComputingPart part_of_row(const std::string& name, const std::string& type, bool is_cube, const ProfileNames& names) {
    if (names.attention_types.in(type))
        return part_of({OperatorClass::attention, names.attention_gradient_words.in(type)}, true);
    if (names.convolution_types.begins(type))
        return part_of({OperatorClass::convolution, names.backward_words.in(type)}, true);
    if (names.matmul_types.in(type)) return ComputingPart::matmul_cube;
    if (is_cube) return ComputingPart::cube_other;
    return names.format_kernels.in(name) ? ComputingPart::vector_format : ComputingPart::vector_other;
}

class NpuMeasure {
public:
    NpuMeasure(const TraceRecords& trace, const KernelTable& kernels, const ProfileNames& names, ProfileNumbers numbers)
        : trace_(trace),
          kernels_(kernels),
          names_(names),
          numbers_(numbers),
          is_ours_(numbers == ProfileNumbers::ours) {
        out_.kind = TraceKind::npu;
        out_.numbers = numbers;
    }

    SideMetrics run() {
        out_.hides_kernels = kernels_.is_there && (kernels_.rows.empty() || !kernels_.has_units);
        for (const DeviceEvent& task : trace_.device) tasks_.push_back(&task);
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
    std::string lower(TextNumber text) const { return lower_case(trace_.texts[text]); }

    // Msprof keeps one of the tasks with the same thread and begin, at the place of the first.
    void drop_equal_tasks() {
        std::map<std::pair<TextNumber, Ticks>, std::size_t> seen;
        std::vector<const DeviceEvent*> kept;
        for (const DeviceEvent* task : tasks_) {
            const auto [place, is_new] = seen.try_emplace({task->thread, task->begin}, kept.size());
            if (is_new) kept.push_back(task);
            else kept[place->second] = task;
        }
        tasks_ = std::move(kept);
    }

    void split_computing() {
        std::vector<OwnedKernel> owned;
        for (std::uint32_t i = 0; i < kernels_.rows.size(); ++i) {
            if (kernels_.rows[i].is_counted) owned.push_back({.number = i});
        }
        for (const DeviceEvent* task : tasks_) {
            if (names_.fused_communication_ends.is(lower(task->name))) ends_.push_back(task);
        }
        std::ranges::stable_sort(ends_, {}, &DeviceEvent::begin);
        KernelOwners owners(trace_, names_, numbers_);
        owners.order(owned, [&](std::uint32_t number) { return KernelPlace{kernels_.rows[number].begin, 0, kNoText}; });
        for (const OwnedKernel& kernel : owned) add_row(kernels_.rows[kernel.number], kernel, owners);
    }

    void add_row(const TimedKernel& row, const OwnedKernel& kernel, KernelOwners& owners) {
        const std::string name = lower_case(kernels_.texts[row.name]), type = lower_case(kernels_.texts[row.type]);
        if (names_.paged_attention_types.in(type)) return out_.split.add(ComputingPart::paged_attention, row.duration);
        if (names_.tensor_move_begin.begins(name) && names_.tensor_move_words.in(name))
            return out_.split.add(ComputingPart::tensor_move, row.duration);
        if (row.fused > 0) return add_fused(row);
        const auto kind = owners.next(kernel);
        out_.split.add(kind ? part_of(*kind, row.is_cube) : part_of_row(name, type, row.is_cube, names_), row.duration);
    }

    void add_fused(const TimedKernel& row) {
        const std::string name(kernels_.texts[row.name]);
        auto found = std::ranges::find(out_.split.fused, name, &FusedCommunication::name);
        if (found == out_.split.fused.end()) found = out_.split.fused.insert(found, {.name = name});
        found->time += row.duration;
        found->computing += kernels_.fused_computing[row.fused - 1];
        found->communication += communication_in(row);
        ++found->count;
    }

    // The time between the first end and the second of the tasks in it, between the third and the fourth, and so on.
    Ticks communication_in(const TimedKernel& row) {
        std::vector<Ticks> ends;
        for (; next_end_ < ends_.size() && ends_[next_end_]->end() <= row.begin + row.duration; ++next_end_) {
            if (ends_[next_end_]->end() >= row.begin) ends.push_back(ends_[next_end_]->end());
        }
        Ticks out = 0;
        for (std::size_t i = 0; i + 1 < ends.size(); i += 2) out += ends[i + 1] - ends[i];
        return out;
    }

    void add_tasks() {
        std::set<TextNumber> waiting, computing;
        std::map<TextNumber, PartTime> copies;
        const auto is_type = [&](const ProfileWords& list, const DeviceEvent& task) {
            return list.is(lower(task.type));
        };
        for (const DeviceEvent* task : tasks_) {
            if (names_.lccl_tasks.is(lower(task->name))) out_.split.add(ComputingPart::lccl, task->duration);
            const std::string_view stream = trace_.texts[task->stream];
            if (stream.empty() || (!is_ours_ && stream == "0")) continue;
            if (is_type(names_.stream_waits, *task)) waiting.insert(task->stream);
            if (is_type(names_.core_tasks, *task)) computing.insert(task->stream);
            if (!is_type(names_.copy_tasks, *task)) continue;
            copies[task->stream].time += task->duration;
            ++copies[task->stream].count;
        }
        for (const auto& [stream, copied] : copies) {
            if (!computing.contains(stream) || (!waiting.empty() && !waiting.contains(stream))) continue;
            out_.split[ComputingPart::copies].time += copied.time;
            out_.split[ComputingPart::copies].count += copied.count;
        }
    }

    void add_overlap() {
        Ticks first = 0, last = 0;
        for (const DeviceEvent& item : trace_.overlap) {
            const bool is_first = &item == trace_.overlap.data();
            first = is_first ? item.begin : std::min(first, item.begin);
            last = is_first ? item.end() : std::max(last, item.end());
            if (names_.computing_intervals.is(lower(item.name))) out_.computing += item.duration;
            if (!names_.uncovered_intervals.is(lower(item.name))) continue;
            out_.uncovered += item.duration;
            uncovered_.push_back(interval_of(item));
        }
        out_.whole = last - first;
        sort_by_begin(uncovered_);
        if (trace_.overlap.empty())
            out_.notes.push_back({"The trace has no analysis of overlaps, so that the time as a whole is not known."});
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
    std::map<TextNumber, std::vector<const DeviceEvent*>> waits(const std::vector<const DeviceEvent*>& tasks) const {
        std::map<TextNumber, std::vector<const DeviceEvent*>> out;
        std::map<TextNumber, std::string>
            before;  // the last four kinds of tasks: R sends, N waits, O does something else
        for (const DeviceEvent* task : tasks) {
            std::string& kinds = before.try_emplace(thread_of(*task), "OOOO").first->second;
            const bool is_wait = names_.wait_tasks.is(lower(task->name));
            if (is_wait && kinds != "RRNR" && kinds.substr(2) != "RR") out[thread_of(*task)].push_back(task);
            kinds = kinds.substr(1) + (is_wait ? 'N' : names_.send_tasks.is(lower(task->name)) ? 'R' : 'O');
        }
        return out;
    }

    Ticks uncovered_length(const std::vector<const DeviceEvent*>& events) const {
        if (!is_ours_) return walked_length(uncovered_, intervals_of(events));
        return length_in_both(merged(uncovered_), merged(intervals_of(events)));
    }

    void add_groups() {
        const std::vector<Group> all = groups();
        std::map<TextNumber, std::vector<const DeviceEvent*>> operators;
        for (const Group& group : all) operators[group.thread];
        std::vector<const DeviceEvent*> tasks;
        for (const DeviceEvent& event : trace_.collectives) {
            const auto found = operators.find(thread_of(event));
            (found == operators.end() ? tasks : found->second).push_back(&event);
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
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::size_t j = i + 1; j < all.size(); ++j)
                add_group_overlap(all[i], all[j], operators.at(all[i].thread), operators.at(all[j].thread));
        }
    }

    // That of the plane that waits least. A plane without a wait is none that could tell; msprof takes it for one that waits least.
    std::optional<Ticks> wait_of(const Group& group,
                                 const std::map<TextNumber, std::vector<const DeviceEvent*>>& waits_of) const {
        const std::vector<const DeviceEvent*> none;
        const std::vector<const DeviceEvent*>* best = nullptr;
        Ticks least = 0;
        for (const TextNumber plane : group.planes) {
            const auto found = waits_of.find(plane);
            const auto& events = found == waits_of.end() ? none : found->second;
            Ticks sum = 0;
            for (const DeviceEvent* event : events) sum += event->duration;
            if ((is_ours_ && events.empty()) || (best != nullptr && sum >= least)) continue;
            best = &events;
            least = sum;
        }
        if (best == nullptr) return is_ours_ ? std::nullopt : std::optional<Ticks>(0);
        return uncovered_length(*best);
    }

    void add_group_overlap(const Group& one, const Group& other, const std::vector<const DeviceEvent*>& a,
                           const std::vector<const DeviceEvent*>& b) {
        Ticks time = 0;
        if (is_ours_) {
            const std::vector<Interval> uncovered = merged(uncovered_);
            time =
                length_in_both(common(uncovered, merged(intervals_of(a))), common(uncovered, merged(intervals_of(b))));
        } else {
            time =
                walked_length(walked_pieces(intervals_of(a), uncovered_), walked_pieces(intervals_of(b), uncovered_));
        }
        if (time != 0) out_.overlaps.push_back({one.name, other.name, time});
    }

    const TraceRecords& trace_;
    const KernelTable& kernels_;
    const ProfileNames& names_;
    const ProfileNumbers numbers_;
    const bool is_ours_;
    SideMetrics out_;
    std::vector<const DeviceEvent*> tasks_, ends_;
    std::size_t next_end_ = 0;
    std::vector<Interval> uncovered_;
};

}  // namespace

SideMetrics measure_npu(const TraceRecords& trace, const KernelTable& kernels, const ProfileNames& names,
                        ProfileNumbers numbers) {
    return NpuMeasure(trace, kernels, names, numbers).run();
}

}  // namespace migrator
