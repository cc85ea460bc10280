#include "migrator/compare/memory_sheets.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/format.h"
#include "base/string_map.h"

namespace migrator {
namespace {

constexpr double kKbOfMb = 1024;

// As few bytes as they go into: a profile has millions. Texts are made when a sheet is written.
struct Allocation {
    Ticks at = 0;                               // when its operator was open
    Ticks taken = 0, given = 0;                 // when memory was taken, and given back
    std::uint8_t digits = 0, given_digits = 0;  // behind the point of a microsecond, as they are written
    bool is_given = false;
    TextNumber name = kNoText;  // none: that of the operator
    std::int64_t size = 0;      // the bits of the number of kilobytes

    // Msprof has times of a database as floating-point numbers, which keep a quarter of a microsecond: with so many digits, `taken`
    // and `given` are the bits of such numbers.
    static constexpr std::uint8_t kRounded = UINT8_MAX;

    double kilobytes() const { return std::bit_cast<double>(size); }
    double length() const {
        if (!is_given) return 0;
        return digits == kRounded ? std::bit_cast<double>(given) - std::bit_cast<double>(taken)
                                  : microseconds(given - taken);
    }
};
using AllocationList =
    PackedList<Allocation, &Allocation::at, &Allocation::taken, &Allocation::given, &Allocation::digits,
               &Allocation::given_digits, &Allocation::is_given, &Allocation::name, &Allocation::size>;

// What is read of one side. `without_end`: how a time that is not there is written.
struct ReadAllocations {
    AllocationList all;
    TextPool names;
    const char* without_end = "0";
};

std::string time_text(const TraceRecords& trace, Ticks time, std::size_t digits) {
    if (digits == Allocation::kRounded) return python_number(std::bit_cast<double>(time));
    const Ticks rest = ((time % kTicksPerMicrosecond) + kTicksPerMicrosecond) % kTicksPerMicrosecond;
    const std::int64_t whole = trace.origin.whole() + (time - rest) / kTicksPerMicrosecond;
    if (digits == 0) return base::format("{}", whole);
    return base::format("{}.{}", whole, base::format("{:08}", rest).substr(0, digits));
}

// How many digits a number has behind its point.
std::uint8_t digits_of(std::string_view text) {
    const std::size_t point = text.find('.');
    return static_cast<std::uint8_t>(point == text.npos ? 0 : std::min<std::size_t>(text.size() - point - 1, 8));
}
std::uint8_t digits_of(Ticks time) {
    std::uint8_t out = 8;
    for (Ticks rest = time; out > 0 && rest % 10 == 0; rest /= 10) --out;
    return out;
}

// Allocations of the nodes of a tree.
class Allocations {
public:
    Allocations(const ProfileSide& side, const OperatorTree& tree, ReadAllocations read)
        : trace_(side.trace), tree_(tree), read_(std::move(read)) {
        read_.all = sorted_by<&Allocation::at>(std::move(read_.all));
        for (std::uint32_t i = 0; i < read_.all.size(); ++i) {
            const std::uint32_t node = tree.open_at(read_.all.get<&Allocation::at>(i));
            if (node != OperatorNode::kNone) of_node_.emplace_back(node, i);
        }
        std::ranges::sort(of_node_);
    }

    // Of the node and all in it: visit(allocation, the innermost operator).
    template <class Visit>
    void each(std::uint32_t node, const Visit& visit) const {
        if (of_node_.empty()) return;
        for (const std::uint32_t inner : tree_.levels({node})) {
            auto found = std::ranges::lower_bound(of_node_, std::pair(inner, std::uint32_t{0}));
            for (; found != of_node_.end() && found->first == inner; ++found) visit(read_.all[found->second], inner);
        }
    }

    std::string line(const Allocation& item, std::uint32_t node) const {
        const std::string end = item.is_given || item.digits == Allocation::kRounded
                                    ? time_text(trace_, item.given, item.given_digits)
                                    : std::string(read_.without_end);
        return base::format("{}, ({}, {}), [duration: {}], [size: {}]\n",
                            item.name == kNoText ? tree_.name(node) : read_.names[item.name],
                            time_text(trace_, item.taken, item.digits), end, python_number(item.length()),
                            python_number(item.kilobytes()));
    }

private:
    const TraceRecords& trace_;
    const OperatorTree& tree_;
    ReadAllocations read_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> of_node_;  // sorted: node, and number of an allocation
};

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

std::optional<Allocation> rounded_allocation(const ProfileSide& side, double allocated, double released,
                                             double kilobytes) {
    const double whole = std::floor(allocated);
    if (!(std::abs(whole) < 1e17)) return std::nullopt;
    const auto at = side.trace.origin.ticks(
        {static_cast<std::int64_t>(whole), static_cast<Ticks>((allocated - whole) * kTicksPerMicrosecond)});
    if (!at) return std::nullopt;
    return Allocation{.at = *at,
                      .taken = std::bit_cast<Ticks>(allocated),
                      .given = std::bit_cast<Ticks>(released),
                      .digits = Allocation::kRounded,
                      .given_digits = Allocation::kRounded,
                      .is_given = released != 0 && allocated != 0,
                      .size = std::bit_cast<std::int64_t>(kilobytes)};
}

base::Result<ReadAllocations> allocations_of_npu(const ProfileSide& side, std::vector<std::string>& damage) {
    constexpr std::string_view kOfTasks = "cann::";
    ReadAllocations out;
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
            const auto item = rounded_allocation(side, rows.number_or_zero(allocated), rows.number_or_zero(released),
                                                 rows.number_or_zero(size));
            if (item) out.all.push_back(*item);
            continue;
        }
        const auto moment = parse_moment(rows[allocated]);
        const auto at = moment ? side.trace.origin.ticks(*moment) : std::nullopt;
        if (!at) continue;
        const auto end_moment = parse_moment(rows[released]);
        const auto end = end_moment ? side.trace.origin.ticks(*end_moment) : std::nullopt;
        const bool is_task = rows[name].starts_with(kOfTasks);
        // Msprof calls it as the innermost operator that is open then, such as empty_tensor.
        const bool is_named = is_task || side.metrics.numbers == ProfileNumbers::ours;
        Allocation item{.at = is_task ? queue.put(*at) : *at, .taken = *at};
        item.digits = digits_of(rows[allocated]);
        item.is_given = end.has_value();
        item.given = end.value_or(*at);
        item.given_digits = digits_of(rows[released]);
        if (is_named) item.name = out.names.number(rows[name]);
        item.size = std::bit_cast<std::int64_t>(rows.number(size));
        out.all.push_back(item);
    }
}

// An address that is given back belongs to the allocation that has it, if the sizes are the same.
ReadAllocations allocations_of_gpu(const ProfileSide& side) {
    ReadAllocations out;
    out.without_end = "None";
    std::unordered_map<std::uint64_t, std::uint32_t> open;  // numbers of events by their address
    const auto add = [&](const MemoryEvent& taken, std::optional<MemoryEvent> given) {
        Allocation item{.at = taken.at, .taken = taken.at, .given = given ? given->at : taken.at};
        item.digits = digits_of(item.taken);
        item.given_digits = digits_of(item.given);
        item.is_given = given.has_value();
        item.size = std::bit_cast<std::int64_t>(static_cast<double>(taken.bytes) / 1024);
        out.all.push_back(item);
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

base::Result<ReadAllocations> allocations_of(const ProfileSide& side, std::vector<std::string>& damage) {
    if (side.trace.kind == TraceKind::npu) return allocations_of_npu(side, damage);
    return allocations_of_gpu(side);
}

struct MemorySums {
    double kilobytes = 0, microseconds = 0;
    std::string lines;
};

MemorySums sums_of(const Allocations& allocations, std::uint32_t node, bool with_lines) {
    MemorySums out;
    if (node == MatchedPair::kNone) return out;
    allocations.each(node, [&](const Allocation& item, std::uint32_t inner) {
        out.kilobytes += item.kilobytes();
        out.microseconds += item.length();
        if (with_lines) out.lines += allocations.line(item, inner);
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
            const MemorySums found = sums_of(side == 0 ? base : compared, node, false);
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
            const MemorySums found = sums_of(i == 0 ? *base : *compared, node, true);
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
    TRY_ASSIGN(ReadAllocations base_all, allocations_of(sides.base, damage));
    TRY_ASSIGN(ReadAllocations all, allocations_of(sides.compared, damage));
    const auto base = std::make_shared<const Allocations>(sides.base, sides.base_tree, std::move(base_all)),
               compared = std::make_shared<const Allocations>(sides.compared, sides.tree, std::move(all));
    return MemorySheets{memory_statistic(sides, *base, *compared), memory_details(sides, base, compared)};
}

}  // namespace migrator
