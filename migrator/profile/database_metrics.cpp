#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "migrator/profile/per_text.h"
#include "migrator/profile/side_metrics.h"

namespace migrator {
namespace {

// An operator that msprof-analyze lets claim kernels.
struct ClaimingOperator {
    Ticks begin = 0, end = 0;
    OperatorKind kind;
};

// Operators of one group of ranks, and how long its planes wait.
struct GroupTasks {
    std::string_view name;
    std::vector<Interval> operators;
    std::vector<std::vector<Interval>> waits;  // of its planes, in the order in which they came first
};

// By name, in the order in which they came first.
class GroupsByName {
public:
    GroupTasks& of(std::string_view name) {
        const auto [place, is_new] = numbers_.try_emplace(name, all.size());
        if (is_new) all.push_back({name, {}, {}});
        return all[place->second];
    }

    std::vector<GroupTasks> all;

private:
    std::unordered_map<std::string_view, std::size_t> numbers_;
};

Interval span_of(const DeviceEvent& event) { return {event.begin, event.end()}; }

class DatabaseMeasure {
public:
    DatabaseMeasure(const TraceRecords& trace, const KernelTable& kernels, const ProfileNames& names)
        : trace_(trace),
          kernels_(kernels),
          names_(names),
          words_(trace.texts, [](const std::string& text) { return text; }),
          kernel_words_(kernels.texts, [](const std::string& text) { return text; }) {
        names_.attention_types = names.database_attention_types;
        out_.kind = TraceKind::npu;
        out_.numbers = ProfileNumbers::msprof;
    }

    SideMetrics run() {
        add_overlap();
        split_computing();
        add_tasks();
        add_groups();
        return std::move(out_);
    }

private:
    bool is_operator(const DeviceEvent& event) const {
        const auto thread = trace_.collective_threads.find(trace_.threads[event.thread].second);
        return thread != trace_.collective_threads.end() && names_.group_threads.in(lower_case(thread->second.name));
    }

    void add_overlap() {
        std::vector<Interval> computing, all;
        for (const TimedKernel kernel : kernels_.rows)
            computing.push_back({kernel.begin, kernel.begin + kernel.duration});
        all = computing;
        for (const DeviceEvent event : trace_.collectives) {
            if (is_operator(event)) all.push_back(span_of(event));
        }
        computing = merged(std::move(computing));
        all = merged(std::move(all));
        if (all.empty()) return;
        out_.computing = length_of(computing);
        out_.uncovered = length_of(all) - out_.computing;
        Ticks first = all.front().begin, last = all.back().end;
        for (const DeviceEvent task : trace_.device) {
            if (task.type == kNoText || names_.untimed_tasks.is(words_[task.type])) continue;
            first = std::min(first, task.begin);
            last = std::max(last, task.end());
        }
        out_.whole = last - first;
        uncovered_ = SortedIntervals(without(all, computing));
    }

    void split_computing() {
        std::unordered_map<std::int64_t, Ticks> launched;  // when, by the connection; the last operator of one counts
        for (const HostEvent event : trace_.host) {
            if (event.link != 0) launched[event.link] = event.begin;
            const OperatorKind kind = kind_of_operator(trace_.texts[event.name], names_);
            if (kind.is != OperatorClass::other) claiming_.push_back({event.begin, event.end(), kind});
        }
        std::ranges::stable_sort(claiming_, {}, &ClaimingOperator::begin);
        for (const DeviceEvent task : trace_.device) {
            if (names_.fused_communication_ends.is(words_[task.type])) ends_.push_back(span_of(task));
        }
        sort_by_begin(ends_);
        std::vector<std::pair<std::int64_t, std::uint32_t>> order;  // by the connection
        for (const TimedKernel row : kernels_.rows)
            order.emplace_back(row.connection, static_cast<std::uint32_t>(order.size()));
        std::ranges::sort(order);
        for (const auto& [connection, number] : order) {
            const TimedKernel row = kernels_.rows[number];
            const auto found = launched.find(row.connection);
            add_row(row, found == launched.end() ? std::nullopt : std::optional(found->second));
        }
    }

    void add_row(const TimedKernel& row, std::optional<Ticks> launched) {
        const std::string &name = kernel_words_[row.name], &type = kernel_words_[row.type];
        if (names_.paged_attention_types.in(type)) return out_.split.add(ComputingPart::paged_attention, row.duration);
        if (names_.tensor_move_begin.begins(name) && names_.tensor_move_words.in(name))
            return out_.split.add(ComputingPart::tensor_move, row.duration);
        if (row.fused > 0) return add_fused_kernel(row);
        const auto kind = launched ? claimed_at(*launched) : std::nullopt;
        out_.split.add(kind ? part_of(*kind, row.is_cube) : part_of_kernel(name, type, row.is_cube, names_),
                       row.duration);
    }

    // The pointer over all operators moves forward only.
    std::optional<OperatorKind> claimed_at(Ticks time) {
        while (at_ < claiming_.size() && claiming_[at_].end < time) ++at_;
        if (at_ == claiming_.size() || claiming_[at_].begin > time) return std::nullopt;
        return claiming_[at_].kind;
    }

    void add_fused_kernel(const TimedKernel& row) {
        FusedCommunication& item = out_.split.fused_of(kernels_.texts[row.name]);
        item.time += row.duration;
        item.computing += kernels_.fused_computing[row.fused - 1];
        item.communication += communication_between(ends_, next_end_, {row.begin, row.begin + row.duration});
        ++item.count;
    }

    // A task with a name is a kernel.
    void add_tasks() {
        std::set<TextNumber> waiting, computing;
        std::map<TextNumber, PartTime> copies;
        for (const DeviceEvent task : trace_.device) {
            if (task.name != kNoText) computing.insert(task.stream);
            else if (names_.stream_waits.is(words_[task.type])) waiting.insert(task.stream);
            else if (names_.copy_tasks.is(words_[task.type])) {
                copies[task.stream].time += task.duration;
                ++copies[task.stream].count;
            }
        }
        for (const auto& [stream, copied] : copies) {
            if (!computing.contains(stream) || (!waiting.empty() && !waiting.contains(stream))) continue;
            out_.split[ComputingPart::copies].time += copied.time;
            out_.split[ComputingPart::copies].count += copied.count;
        }
    }

    // Those with a wait first, by their first one; then the others, by their first operator.
    std::vector<GroupTasks> groups() {
        std::vector<DeviceEvent> tasks, operators;
        for (const DeviceEvent event : trace_.collectives) (is_operator(event) ? operators : tasks).push_back(event);
        std::ranges::stable_sort(tasks, {}, &DeviceEvent::begin);
        GroupsByName out;
        std::map<TextNumber, std::size_t> places;  // of planes, in their group
        std::map<TextNumber, std::string>
            before;  // by plane: the last four tasks: R sends, N waits, O does something else
        for (const DeviceEvent& task : tasks) {
            const TextNumber plane = trace_.threads[task.thread].second;
            std::string& kinds = before.try_emplace(plane, "OOOO").first->second;
            const bool is_wait = names_.wait_tasks.is(words_[task.name]),
                       is_send = names_.send_tasks.is(words_[task.name]);
            if (is_wait && kinds != "RRNR" && kinds.substr(2) != "RR") {
                const std::string_view written = trace_.texts[plane];
                GroupTasks& group = out.of(written.substr(0, written.rfind('/')));
                const auto [place, is_new] = places.try_emplace(plane, group.waits.size());
                if (is_new) group.waits.emplace_back();
                group.waits[place->second].push_back(span_of(task));
            }
            kinds = kinds.substr(1) + (is_wait ? 'N' : is_send ? 'R' : 'O');
        }
        for (const DeviceEvent& event : operators) {
            out.of(trace_.texts[trace_.threads[event.thread].second]).operators.push_back(span_of(event));
            if (names_.lccl_tasks.is(words_[event.type])) out_.split.add(ComputingPart::lccl, event.duration);
        }
        return std::move(out.all);
    }

    void add_groups() {
        const std::vector<GroupTasks> all = groups();
        out_.wait = 0;
        for (const GroupTasks& group : all) {
            const std::vector<Interval>* least = nullptr;
            Ticks shortest = std::numeric_limits<Ticks>::max();
            for (const std::vector<Interval>& waits : group.waits) {
                Ticks sum = 0;
                for (const Interval& wait : waits) sum += wait.end - wait.begin;
                if (sum < shortest) least = &waits;
                shortest = std::min(shortest, sum);
            }
            const Ticks wait = least == nullptr ? 0 : walked_length(uncovered_, *least);
            out_.groups.push_back({std::string(group.name), {}, wait, walked_length(uncovered_, group.operators)});
            *out_.wait += wait;
        }
        add_group_overlaps();
    }

    // In the order of their first operators.
    void add_group_overlaps() {
        GroupsByName groups;
        for (const DeviceEvent event : trace_.collectives) {
            if (is_operator(event))
                groups.of(trace_.texts[trace_.threads[event.thread].second]).operators.push_back(span_of(event));
        }
        std::vector<std::vector<Interval>> pieces;
        for (const GroupTasks& group : groups.all) pieces.push_back(walked_pieces(group.operators, uncovered_));
        const auto pairs = pairs_in_touch(pieces);
        if (!pairs) return out_.note_many_groups();
        for (const auto& [i, j] : *pairs) {
            const Ticks time = walked_length(SortedIntervals(pieces[i]), pieces[j]);
            if (time != 0)
                out_.overlaps.push_back({std::string(groups.all[i].name), std::string(groups.all[j].name), time});
        }
    }

    const TraceRecords& trace_;
    const KernelTable& kernels_;
    ProfileNames names_;
    PerText<std::string> words_, kernel_words_;  // in small letters
    SideMetrics out_;
    std::vector<ClaimingOperator> claiming_;
    std::size_t at_ = 0;
    std::vector<Interval> ends_;
    std::size_t next_end_ = 0;
    SortedIntervals uncovered_{{}};
};

}  // namespace

SideMetrics measure_database(const TraceRecords& trace, const KernelTable& kernels, const ProfileNames& names) {
    return DatabaseMeasure(trace, kernels, names).run();
}

}  // namespace migrator
