#include "migrator/compare/operator_sheets.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/string_map.h"

namespace migrator {
namespace {

constexpr std::uint32_t kNoPartner = MatchedPair::kNone;

void add_operator_cells(SheetRow& row, const ProfileSide& side, const OperatorTree& tree, std::uint32_t node) {
    if (node == kNoPartner) {
        row.insert(row.end(), {Cell(), Cell(), Cell(), text_cell(""), Cell(0.0)});
        return;
    }
    row.push_back(text_cell(tree.name(node)));
    row.push_back(input_cell(side, tree.event(node).shapes));
    row.push_back(input_cell(side, tree.event(node).types));
    row.push_back(text_cell(kernel_lines(side, tree, tree.all_kernels(node))));
    row.emplace_back(tree.device_time(node));
}

// Sums of one name.
struct NameSums {
    std::string name;
    double base_time = 0, time = 0;
    std::uint64_t base_count = 0, count = 0;
};

// Times of calls of one name, in milliseconds with two digits.
struct CallSums {
    double total = 0, own = 0;
    std::uint64_t calls = 0;

    double average() const { return calls == 0 ? 0 : rounded(total / static_cast<double>(calls), 2); }
};

struct NamedCalls {
    std::vector<std::string> names;  // in the order in which they came first
    base::StringMap<CallSums> sums;
};

// In the order of their begin; of a step, level by level.
std::vector<std::uint32_t> called_nodes(const ProfileSide& side, const OperatorTree& tree) {
    if (side.step) return tree.levels(tree.top());
    std::vector<std::uint32_t> out(tree.nodes().size());
    for (std::uint32_t node = 0; node < out.size(); ++node) out[node] = node;
    return out;
}

NamedCalls calls_of(const ProfileSide& side, const OperatorTree& tree) {
    NamedCalls out;
    const auto add = [&](std::uint32_t node) {
        if (tree.is_step(node)) return;
        const auto [place, is_new] = out.sums.try_emplace(std::string(tree.name(node)));
        if (is_new) out.names.push_back(place->first);
        double inside = 0;
        tree.each_child(node,
                        [&](std::uint32_t child) { inside += microseconds(tree.get<&HostEvent::duration>(child)); });
        place->second.total += microseconds(tree.event(node).duration);
        place->second.own += microseconds(tree.event(node).duration) - inside;
        ++place->second.calls;
    };
    for (const std::uint32_t node : called_nodes(side, tree)) add(node);
    for (auto& [name, sums] : out.sums) {
        sums.total = rounded(sums.total / 1000, 2);
        sums.own = rounded(sums.own / 1000, 2);
    }
    return out;
}

using Kernels = std::vector<std::pair<std::string, std::vector<std::pair<std::string, KernelTotals>>>>;

std::map<std::pair<std::string, std::string>, const KernelTotals*> by_type_and_shapes(const Kernels& kernels) {
    std::map<std::pair<std::string, std::string>, const KernelTotals*> out;
    for (const auto& [type, shapes] : kernels) {
        for (const auto& [shape, totals] : shapes) out[{type, shape}] = &totals;
    }
    return out;
}

// Total and average, for the ratios.
std::pair<double, double> add_kernel_cells(SheetRow& row, const KernelTotals* totals) {
    if (totals == nullptr) {
        row.insert(row.end(), {Cell(0.0), Cell(0.0), Cell(), Cell(), Cell()});
        return {};
    }
    const double total = rounded(totals->total, 2);
    const double average = rounded(total / static_cast<double>(totals->calls), 2);
    row.insert(row.end(), {Cell(total), Cell(average), Cell(rounded(microseconds(totals->longest), 2)),
                           Cell(rounded(microseconds(totals->shortest), 2)), count_cell(totals->calls)});
    return {total, average};
}

}  // namespace

void sort_by_difference(std::vector<SheetRow>& rows) {
    std::ranges::stable_sort(rows, std::greater<>(),
                             [](const SheetRow& row) { return std::get<double>(row[row.size() - 2]); });
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i][0] = count_cell(i + 1);
}

std::string kernel_lines(const ProfileSide& side, const OperatorTree& tree, const std::vector<std::uint32_t>& kernels) {
    const bool is_npu = side.trace.kind == TraceKind::npu;
    std::string out;
    for (const std::uint32_t number : kernels) {
        const DeviceEvent kernel = tree.kernel(number);
        out += side.trace.texts[kernel.name];
        if (is_npu) {
            const bool is_task = kernel.type != kNoText;
            out += base::format(", {}, {}", is_task ? base::format("{}", kernel.link) : "None",
                                is_task ? side.trace.texts[kernel.type] : std::string_view("None"));
            const auto row = side.kernels.at(kernel.begin);
            if (row && is_task && side.kernels.has_shapes)
                out += base::format(", [input shapes: {}]", side.kernels.texts[row->shapes]);
        }
        out += base::format(" [duration: {}]\n", python_number(microseconds(kernel.duration)));
    }
    return out;
}

Cell input_cell(const ProfileSide& side, TextNumber written) {
    return written == kNoText ? text_cell("N/A") : text_cell(python_text(side.trace.texts[written]));
}

std::vector<std::string> paired_headers(std::initializer_list<const char*> before,
                                        std::initializer_list<const char*> of_side,
                                        std::initializer_list<const char*> behind) {
    std::vector<std::string> out(before.begin(), before.end());
    for (int side = 0; side < 2; ++side) out.insert(out.end(), of_side.begin(), of_side.end());
    out.insert(out.end(), behind.begin(), behind.end());
    return out;
}

Sheet operator_sheet(const PairedSides& sides) {
    Sheet out{"OperatorCompare",
              paired_headers({"Order Id"},
                             {"Operator Name", "Input Shape", "Input Type", "Kernel Details", "Device Duration(us)"},
                             {"Diff Duration(us)", "Diff Ratio"}),
              {}};
    out.made_rows = sides.pairs.size();
    out.made = [sides](std::size_t number) {
        const MatchedPair& pair = sides.pairs[number];
        SheetRow row{count_cell(number + 1)};
        add_operator_cells(row, sides.base, sides.base_tree, pair.base);
        add_operator_cells(row, sides.compared, sides.tree, pair.compared);
        const double base = std::get<double>(row[5]), compared = std::get<double>(row[10]);
        row.emplace_back(rounded(compared - base, 2));
        row.emplace_back(ratio_of(base, compared));
        return row;
    };
    return out;
}

Sheet operator_statistic(const PairedSides& sides) {
    std::vector<NameSums> sums;
    base::StringMap<std::size_t> numbers;
    const auto of = [&](std::string_view name) -> NameSums& {
        const auto [place, is_new] = numbers.try_emplace(std::string(name), sums.size());
        if (is_new) sums.push_back({.name = std::string(name)});
        return sums[place->second];
    };
    for (const MatchedPair& pair : sides.pairs) {
        if (pair.base == kNoPartner) continue;
        NameSums& item = of(sides.base_tree.name(pair.base));
        item.base_time += sides.base_tree.device_time(pair.base) / 1000;
        ++item.base_count;
    }
    for (const MatchedPair& pair : sides.pairs) {
        if (pair.compared == kNoPartner) continue;
        NameSums& item = of(sides.tree.name(pair.compared));
        item.time += sides.tree.device_time(pair.compared) / 1000;
        ++item.count;
    }
    Sheet out{"OperatorCompareStatistic",
              {"Top", "Operator Name", "Base Device Duration(ms)", "Base Operator Number",
               "Comparison Device Duration(ms)", "Comparison Operator Number", "Diff Duration(ms)", "Diff Ratio"},
              {}};
    for (const NameSums& item : sums)
        out.rows.push_back({Cell(), text_cell(item.name), Cell(item.base_time), count_cell(item.base_count),
                            Cell(item.time), count_cell(item.count), Cell(rounded(item.time - item.base_time, 2)),
                            Cell(ratio_of(item.base_time, item.time))});
    sort_by_difference(out.rows);
    return out;
}

Sheet api_sheet(const PairedSides& sides) {
    Sheet out{
        "ApiCompare",
        paired_headers({"Order Id", "api name"}, {"Total Duration(ms)", "Self Time(ms)", "Avg Duration(ms)", "Calls"},
                       {"Diff Total Ratio", "Diff Self Ratio", "Diff Avg Ratio", "Diff Calls Ratio"}),
        {}};
    const NamedCalls base = calls_of(sides.base, sides.base_tree), compared = calls_of(sides.compared, sides.tree);
    const auto add = [&](const std::string& name) {
        const auto sums_in = [&](const NamedCalls& calls) {
            const auto found = calls.sums.find(name);
            return found == calls.sums.end() ? CallSums() : found->second;
        };
        const CallSums a = sums_in(base), b = sums_in(compared);
        SheetRow row{count_cell(out.rows.size() + 1), text_cell(name)};
        for (const CallSums& item : {a, b})
            row.insert(row.end(), {Cell(item.total), Cell(item.own), Cell(item.average()), count_cell(item.calls)});
        row.insert(row.end(), {Cell(ratio_of(a.total, b.total)), Cell(ratio_of(a.own, b.own)),
                               Cell(ratio_of(a.average(), b.average())),
                               Cell(ratio_of(static_cast<double>(a.calls), static_cast<double>(b.calls)))});
        out.rows.push_back(std::move(row));
    };
    for (const std::string& name : base.names) add(name);
    for (const std::string& name : compared.names) {
        if (!base.sums.contains(name)) add(name);
    }
    return out;
}

Sheet kernel_sheet(const ProfileSide& base, const ProfileSide& compared) {
    Sheet out{
        "KernelCompare",
        paired_headers({"Order Id", "Kernel", "Input Shape"},
                       {"Total Duration(us)", "Avg Duration(us)", "Max Duration(us)", "Min Duration(us)", "Calls"},
                       {"Diff Total Ratio", "Diff Avg Ratio"}),
        {}};
    if (base.kernels.by_type.empty() || compared.kernels.by_type.empty()) return out;
    const auto one = by_type_and_shapes(base.kernels.by_type), other = by_type_and_shapes(compared.kernels.by_type);
    const auto find = [](const auto& map, const auto& key) { return map.contains(key) ? map.at(key) : nullptr; };
    const auto add = [&](const Kernels& kernels, bool only_new) {
        for (const auto& [type, shapes] : kernels) {
            for (const auto& shape : shapes) {
                const std::pair key(type, shape.first);
                if (only_new && one.contains(key)) continue;
                SheetRow row{count_cell(out.rows.size() + 1), text_cell(type), text_cell(shape.first)};
                const auto a = add_kernel_cells(row, find(one, key)), b = add_kernel_cells(row, find(other, key));
                row.insert(row.end(), {Cell(ratio_of(a.first, b.first)), Cell(ratio_of(a.second, b.second))});
                out.rows.push_back(std::move(row));
            }
        }
    };
    add(base.kernels.by_type, false);
    add(compared.kernels.by_type, true);
    return out;
}

}  // namespace migrator
