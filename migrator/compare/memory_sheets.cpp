#include "migrator/compare/memory_sheets.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>

#include "base/format.h"
#include "base/string_map.h"

namespace migrator {
namespace {

constexpr double kKbOfMb = 1024;

struct Allocation {
    Ticks at = 0;      // when its operator was open
    std::string name;  // empty: that of the operator
    std::string line;  // what the sheet says behind the name
    double kilobytes = 0, microseconds = 0;
};

// Allocations of the nodes of a tree.
class Allocations {
public:
    Allocations(const OperatorTree& tree, std::vector<Allocation> all) : all_(std::move(all)) {
        std::ranges::stable_sort(all_, {}, &Allocation::at);
        for (std::uint32_t i = 0; i < all_.size(); ++i) {
            const std::uint32_t node = tree.open_at(all_[i].at);
            if (node == OperatorNode::kNone) continue;
            of_node_[node].push_back(i);
            if (all_[i].name.empty()) all_[i].name = tree.name(node);
        }
    }

    template <class Visit>
    void each(const OperatorTree& tree, std::uint32_t node, Visit visit) const {
        if (of_node_.empty()) return;
        for (const std::uint32_t inner : tree.levels({node})) {
            const auto found = of_node_.find(inner);
            if (found == of_node_.end()) continue;
            for (const std::uint32_t i : found->second) visit(all_[i]);
        }
    }

private:
    std::vector<Allocation> all_;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_node_;
};

std::string line_of(std::string_view begin, std::string_view end, double length, double kilobytes) {
    return base::format("({}, {}), [duration: {}], [size: {}]", begin, end, python_number(length),
                        python_number(kilobytes));
}

// When the tasks of the queue were put into it.
class TaskQueue {
public:
    explicit TaskQueue(const ProfileSide& side) {
        for (const HostEvent event : side.trace.queued) {
            const std::string category = lower_case(side.trace.texts[event.category]);
            if (side.names.enqueue_categories.is(category)) put_[event.link] = event.begin;
            else taken_.push_back(event);
        }
        std::ranges::stable_sort(taken_, {}, &HostEvent::begin);
    }

    // When the task that runs then was put into the queue; the same time where none runs.
    Ticks put(Ticks time) const {
        auto found = std::ranges::upper_bound(taken_, time, {}, &HostEvent::begin);
        if (found == taken_.begin() || (--found)->end() < time) return time;
        const auto put = put_.find(found->link);
        return put == put_.end() ? time : put->second;
    }

private:
    std::unordered_map<std::int64_t, Ticks> put_;
    std::vector<HostEvent> taken_;
};

// Msprof has times of a database as floating-point numbers, which keep a quarter of a microsecond.
std::optional<Allocation> rounded_allocation(const ProfileSide& side, double allocated, double released,
                                             double kilobytes) {
    const double whole = std::floor(allocated);
    if (!(std::abs(whole) < 1e17)) return std::nullopt;
    const auto at = side.trace.origin.ticks(
        {static_cast<std::int64_t>(whole), static_cast<Ticks>((allocated - whole) * kTicksPerMicrosecond)});
    if (!at) return std::nullopt;
    const double length = released == 0 || allocated == 0 ? 0 : released - allocated;
    return Allocation{
        *at, {}, line_of(python_number(allocated), python_number(released), length, kilobytes), kilobytes, length};
}

base::Result<std::vector<Allocation>> allocations_of_npu(const ProfileSide& side, std::vector<std::string>& damage) {
    constexpr std::string_view kOfTasks = "cann::";
    std::vector<Allocation> out;
    TRY_ASSIGN(const auto table, side.source.table(ProfilePart::operator_memory));
    if (!table) return out;
    TableRows& rows = *table;
    const AllocationColumns& columns = side.tables.operator_memory;
    const auto name = rows.column(columns.name), size = rows.column(columns.size),
               allocated = rows.column(columns.allocated), released = rows.column(columns.released);
    const TaskQueue queue(side);
    const bool is_rounded = side.trace.is_database && side.metrics.numbers == ProfileNumbers::msprof;
    for (;;) {
        TRY_ASSIGN(const bool has_row, rows.next());
        if (!has_row) {
            if (!rows.damage().empty())
                damage.push_back(
                    base::format("{}: {}", side.source.path_of(ProfilePart::operator_memory), rows.damage()));
            return out;
        }
        if (is_rounded) {
            auto item = rounded_allocation(side, rows.number_or_zero(allocated), rows.number_or_zero(released),
                                           rows.number_or_zero(size));
            if (item) out.push_back(std::move(*item));
            continue;
        }
        const auto moment = parse_moment(rows[allocated]);
        const auto at = moment ? side.trace.origin.ticks(*moment) : std::nullopt;
        if (!at) continue;
        const auto end_moment = parse_moment(rows[released]);
        const auto end = end_moment ? side.trace.origin.ticks(*end_moment) : std::nullopt;
        const double length = end ? microseconds(*end - *at) : 0, kilobytes = rows.number(size);
        const bool is_task = rows[name].starts_with(kOfTasks);
        // Msprof calls it as the innermost operator that is open then, such as empty_tensor.
        const bool is_named = is_task || side.metrics.numbers == ProfileNumbers::ours;
        Allocation item{*at, is_named ? std::string(rows[name]) : std::string(),
                        line_of(rows[allocated], end ? rows[released] : "0", length, kilobytes), kilobytes, length};
        if (is_task) item.at = queue.put(item.at);
        out.push_back(std::move(item));
    }
}

std::string time_text(const TraceRecords& trace, Ticks time) {
    const Ticks rest = ((time % kTicksPerMicrosecond) + kTicksPerMicrosecond) % kTicksPerMicrosecond;
    const std::int64_t whole = trace.origin.whole() + (time - rest) / kTicksPerMicrosecond;
    if (rest == 0) return base::format("{}", whole);
    std::string digits = base::format("{:08}", rest);
    digits.resize(digits.find_last_not_of('0') + 1);
    return base::format("{}.{}", whole, digits);
}

// An address that is given back belongs to the allocation that has it, if the sizes are the same.
std::vector<Allocation> allocations_of_gpu(const ProfileSide& side) {
    std::vector<Allocation> out;
    std::unordered_map<std::uint64_t, std::uint32_t> open;  // numbers of events by their address
    const auto add = [&](const MemoryEvent& taken, std::optional<MemoryEvent> given) {
        const double length = !given ? 0 : microseconds(given->at - taken.at),
                     kilobytes = static_cast<double>(taken.bytes) / 1024;
        const std::string end = !given ? "None" : time_text(side.trace, given->at);
        out.push_back(
            {taken.at, {}, line_of(time_text(side.trace, taken.at), end, length, kilobytes), kilobytes, length});
    };
    const MemoryEvents events = sorted_by<&MemoryEvent::at>(
        kept_of(side.trace.memory, [](const MemoryEvent& event) { return event.is_of_device; }));
    for (std::uint32_t i = 0; i < events.size(); ++i) {
        const MemoryEvent event = events[i];
        const auto found = open.find(event.address);
        if (event.bytes > 0) {
            if (found != open.end()) add(events[found->second], std::nullopt);
            open[event.address] = i;
        } else if (found != open.end()) {
            if (events[found->second].bytes == -event.bytes) add(events[found->second], event);
            open.erase(found);
        }
    }
    for (std::uint32_t i = 0; i < events.size(); ++i) {
        const auto found = open.find(events.get<&MemoryEvent::address>(i));
        if (found != open.end() && found->second == i) add(events[i], std::nullopt);
    }
    return out;
}

base::Result<std::vector<Allocation>> allocations_of(const ProfileSide& side, std::vector<std::string>& damage) {
    if (side.trace.kind == TraceKind::npu) return allocations_of_npu(side, damage);
    return allocations_of_gpu(side);
}

struct MemorySums {
    double kilobytes = 0, microseconds = 0;
    std::string lines;
};

MemorySums sums_of(const Allocations& allocations, const OperatorTree& tree, std::uint32_t node) {
    MemorySums out;
    if (node == MatchedPair::kNone) return out;
    allocations.each(tree, node, [&](const Allocation& item) {
        out.kilobytes += item.kilobytes;
        out.microseconds += item.microseconds;
        out.lines += base::format("{}, {}\n", item.name, item.line);
    });
    return out;
}

struct NameMemory {
    std::string name;
    double milliseconds[2] = {}, megabytes[2] = {};
    std::uint64_t count[2] = {};
};

Sheet memory_statistic(const PairedSides& sides, const Allocations& base, const Allocations& compared) {
    std::vector<NameMemory> sums;
    base::StringMap<std::size_t> numbers;
    for (std::size_t side = 0; side < 2; ++side) {
        const OperatorTree& tree = side == 0 ? sides.base_tree : sides.tree;
        for (const MatchedPair& pair : sides.pairs) {
            const std::uint32_t node = side == 0 ? pair.base : pair.compared;
            if (node == MatchedPair::kNone) continue;
            const auto [place, is_new] = numbers.try_emplace(std::string(tree.name(node)), sums.size());
            if (is_new) sums.push_back({.name = place->first});
            const MemorySums found = sums_of(side == 0 ? base : compared, tree, node);
            NameMemory& item = sums[place->second];
            item.milliseconds[side] += found.microseconds / 1000;
            item.megabytes[side] += found.kilobytes / kKbOfMb;
            ++item.count[side];
        }
    }
    Sheet out{"MemoryCompareStatistic",
              {"Top", "Operator Name", "Base Allocated Duration(ms)", "Base Allocated Memory(MB)",
               "Base Operator Number", "Comparison Allocated Duration(ms)", "Comparison Allocated Memory(MB)",
               "Comparison Operator Number", "Diff Memory(MB)", "Diff Ratio"},
              {}};
    for (const NameMemory& item : sums) {
        SheetRow row{Cell(), text_cell(item.name)};
        for (std::size_t side = 0; side < 2; ++side)
            row.insert(row.end(),
                       {Cell(item.milliseconds[side]), Cell(item.megabytes[side]), count_cell(item.count[side])});
        row.emplace_back(rounded(item.megabytes[1] - item.megabytes[0], 2));
        row.emplace_back(ratio_of(item.megabytes[0], item.megabytes[1]));
        out.rows.push_back(std::move(row));
    }
    sort_by_difference(out.rows);
    return out;
}

Sheet memory_details(const PairedSides& sides, const std::shared_ptr<const Allocations>& base,
                     const std::shared_ptr<const Allocations>& compared) {
    Sheet out{
        "MemoryCompare",
        paired_headers({"Order Id"}, {"Operator Name", "Input Shape", "Input Type", "Allocated Details", "Size(KB)"},
                       {"Diff Size(KB)", "Diff Ratio"}),
        {}};
    out.made_rows = sides.pairs.size();
    out.made = [sides, base, compared](std::size_t number) {
        const MatchedPair& pair = sides.pairs[number];
        SheetRow row{count_cell(number + 1)};
        double sizes[2] = {};
        for (std::size_t i = 0; i < 2; ++i) {
            const ProfileSide& side = i == 0 ? sides.base : sides.compared;
            const OperatorTree& tree = i == 0 ? sides.base_tree : sides.tree;
            const std::uint32_t node = i == 0 ? pair.base : pair.compared;
            const MemorySums found = sums_of(i == 0 ? *base : *compared, tree, node);
            if (node == MatchedPair::kNone) {
                row.insert(row.end(), {Cell(), Cell(), Cell()});
            } else {
                row.push_back(text_cell(tree.name(node)));
                row.push_back(input_cell(side, tree.event(node).shapes));
                row.push_back(input_cell(side, tree.event(node).types));
            }
            row.push_back(text_cell(found.lines));
            row.emplace_back(sizes[i] = found.kilobytes);
        }
        row.emplace_back(rounded(sizes[1] - sizes[0], 2));
        row.emplace_back(ratio_of(sizes[0], sizes[1]));
        return row;
    };
    return out;
}

}  // namespace

base::Result<MemorySheets> memory_sheets(const PairedSides& sides, std::vector<std::string>& damage) {
    TRY_ASSIGN(std::vector<Allocation> base_all, allocations_of(sides.base, damage));
    TRY_ASSIGN(std::vector<Allocation> all, allocations_of(sides.compared, damage));
    const auto base = std::make_shared<const Allocations>(sides.base_tree, std::move(base_all)),
               compared = std::make_shared<const Allocations>(sides.tree, std::move(all));
    return MemorySheets{memory_statistic(sides, *base, *compared), memory_details(sides, base, compared)};
}

}  // namespace migrator
