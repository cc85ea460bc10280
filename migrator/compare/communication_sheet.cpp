#include "migrator/compare/communication_sheet.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "migrator/compare/operator_sheets.h"
#include "migrator/profile/per_text.h"

namespace migrator {
namespace {

struct DurationSums {
    double total = 0, longest = 0, shortest = 0;
    std::uint64_t calls = 0;

    void add(Ticks duration) {
        const double time = microseconds(duration);
        shortest = calls == 0 ? time : std::min(shortest, time);
        longest = calls == 0 ? time : std::max(longest, time);
        total += time;
        ++calls;
    }
};

struct CollectiveSums {
    std::string name;
    DurationSums sums;
    std::vector<CollectiveSums> tasks;
};

CollectiveSums& named_in(std::vector<CollectiveSums>& list, const std::string& name) {
    const auto found = std::ranges::find(list, name, &CollectiveSums::name);
    return found != list.end() ? *found : list.emplace_back(CollectiveSums{name, {}, {}});
}

// "allreduce" of "hcom_allReduce__586_0_1" and, in ours, of "ncclDevKernel_AllReduce_Sum_f32_RING_LL". Empty: it is no collective.
std::string collective_of(std::string_view text, ProfileNumbers numbers) {
    constexpr std::string_view kOfNpu = "hcom";
    const std::string name = lower_case(text);
    const std::size_t first_end = name.find('_');
    if (first_end == name.npos) return {};
    const std::string first = name.substr(0, first_end);
    if (first != kOfNpu && numbers == ProfileNumbers::msprof) return first;
    const std::string second = name.substr(first_end + 1, name.find_first_of("_(", first_end + 1) - first_end - 1);
    return second.empty() ? first : second;
}

// Of a database as msprof has it: tasks belong to the operator of their number.
std::vector<CollectiveSums> collectives_by_number(const TraceRecords& trace, const std::vector<DeviceEvent>& operators,
                                                  const std::vector<DeviceEvent>& tasks) {
    std::map<std::int64_t, std::vector<DeviceEvent>> of_number;
    for (const DeviceEvent& task : tasks) of_number[task.link].push_back(task);
    std::vector<CollectiveSums> out;
    for (const DeviceEvent& item : operators) {
        const std::string name = collective_of(trace.texts[item.name], ProfileNumbers::msprof);
        if (name.empty()) continue;
        CollectiveSums& collective = named_in(out, name);
        collective.sums.add(item.duration);
        for (const DeviceEvent& task : of_number[item.link])
            named_in(collective.tasks, std::string(trace.texts[task.name])).sums.add(task.duration);
    }
    return out;
}

std::vector<CollectiveSums> collectives_of(const ProfileSide& side, ProfileNumbers numbers) {
    const TraceRecords& trace = side.trace;
    std::vector<DeviceEvent> operators, tasks;
    const auto is_in = [&](const DeviceEvent& event) {
        return !side.step_time || (event.begin >= side.step_time->begin && event.begin <= side.step_time->end);
    };
    if (trace.kind == TraceKind::gpu) {
        PerText<bool> is_kernel(trace.texts,
                                [&](const std::string& category) { return side.names.kernel_categories.is(category); });
        PerText<bool> communicates(
            trace.texts, [&](const std::string& name) { return side.names.communication_kernels.begins(name); });
        for (const DeviceEvent event : trace.device) {
            if (is_kernel[event.type] && is_in(event) && communicates[event.name]) operators.push_back(event);
        }
    }
    for (const DeviceEvent event : trace.collectives) {
        const auto thread = trace.collective_threads.find(trace.threads[event.thread].second);
        const bool is_operator =
            thread != trace.collective_threads.end() && side.names.group_threads.in(lower_case(thread->second.name));
        if (is_operator ? is_in(event) : true) (is_operator ? operators : tasks).push_back(event);
    }
    if (trace.is_database && numbers == ProfileNumbers::msprof) return collectives_by_number(trace, operators, tasks);
    std::ranges::stable_sort(operators, {}, &DeviceEvent::begin);
    std::ranges::stable_sort(tasks, {}, &DeviceEvent::begin);
    std::vector<CollectiveSums> out;
    std::size_t task = 0;
    for (const DeviceEvent& item : operators) {
        const std::string name = collective_of(trace.texts[item.name], numbers);
        if (name.empty()) continue;
        CollectiveSums& collective = named_in(out, name);
        collective.sums.add(item.duration);
        while (task < tasks.size() && tasks[task].begin < item.begin) ++task;
        for (; task < tasks.size() && tasks[task].begin <= item.end(); ++task)
            named_in(collective.tasks, std::string(trace.texts[tasks[task].name])).sums.add(tasks[task].duration);
    }
    return out;
}

class CommunicationRows {
public:
    explicit CommunicationRows(ProfileNumbers numbers) : numbers_(numbers) {}

    void add(const CollectiveSums* a, const CollectiveSums* b) {
        SheetRow row = row_of(a, b, {}, {});
        const double base = a == nullptr ? 0 : a->sums.total, compared = b == nullptr ? 0 : b->sums.total;
        row.emplace_back(rounded(compared - base, 2));
        row.emplace_back(ratio_of(base, compared));
        rows.push_back(std::move(row));
        static const std::vector<CollectiveSums> kNone;
        add_tasks(a == nullptr ? kNone : a->tasks, b == nullptr ? kNone : b->tasks);
    }

    std::vector<SheetRow> rows;

private:
    void add_tasks(const std::vector<CollectiveSums>& a, const std::vector<CollectiveSums>& b) {
        std::vector<std::pair<const CollectiveSums*, const CollectiveSums*>> pairs;
        if (numbers_ == ProfileNumbers::msprof) {
            for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
                pairs.emplace_back(i < a.size() ? &a[i] : nullptr, i < b.size() ? &b[i] : nullptr);
        } else {
            for (const CollectiveSums& task : a) {
                const auto found = std::ranges::find(b, task.name, &CollectiveSums::name);
                pairs.emplace_back(&task, found == b.end() ? nullptr : &*found);
            }
            for (const CollectiveSums& task : b) {
                if (std::ranges::find(a, task.name, &CollectiveSums::name) == a.end())
                    pairs.emplace_back(nullptr, &task);
            }
        }
        for (const auto& [one, other] : pairs) {
            SheetRow row = row_of(one, other, "|", "|");
            row.insert(row.end(), {Cell(), Cell()});
            rows.push_back(std::move(row));
        }
    }

    // `mark`: in place of the name of the collective, that of a task stands behind it.
    SheetRow row_of(const CollectiveSums* a, const CollectiveSums* b, std::string_view mark,
                    std::string_view other_mark) {
        SheetRow row{count_cell(rows.size() + 1)};
        add_side(row, a, mark);
        add_side(row, b, other_mark);
        return row;
    }

    static void add_side(SheetRow& row, const CollectiveSums* item, std::string_view mark) {
        if (item == nullptr) {
            row.insert(row.end(), {Cell(), Cell(), Cell(), Cell(0.0), Cell(), Cell(), Cell()});
            return;
        }
        const DurationSums& sums = item->sums;
        row.push_back(text_cell(mark.empty() ? std::string_view(item->name) : mark));
        row.push_back(mark.empty() ? Cell() : text_cell(item->name));
        row.insert(row.end(),
                   {count_cell(sums.calls), Cell(sums.total), Cell(sums.total / static_cast<double>(sums.calls)),
                    Cell(sums.longest), Cell(sums.shortest)});
    }

    const ProfileNumbers numbers_;
};

}  // namespace

Sheet communication_sheet(const ProfileSide& base, const ProfileSide& compared, ProfileNumbers numbers) {
    const std::vector<CollectiveSums> a = collectives_of(base, numbers), b = collectives_of(compared, numbers);
    CommunicationRows rows(numbers);
    for (const CollectiveSums& item : a) {
        const auto found = std::ranges::find(b, item.name, &CollectiveSums::name);
        rows.add(&item, found == b.end() ? nullptr : &*found);
    }
    for (const CollectiveSums& item : b) {
        if (std::ranges::find(a, item.name, &CollectiveSums::name) == a.end()) rows.add(nullptr, &item);
    }
    return {"CommunicationCompare",
            paired_headers({"Order Id"},
                           {"Communication OP Name", "Task Name", "Calls", "Total Duration(us)", "Avg Duration(us)",
                            "Max Duration(us)", "Min Duration(us)"},
                           {"Diff Duration(us)", "Diff Ratio"}),
            std::move(rows.rows)};
}

}  // namespace migrator
