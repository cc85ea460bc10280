#include "migrator/compare/kernel_type_sheet.h"

#include <algorithm>

#include "base/format.h"

namespace migrator {
namespace {

struct TypeRow {
    std::string type, core;
    double total = 0, average = 0, longest = 0, shortest = 0;
    std::uint64_t calls = 0;

    bool is_same(const TypeRow& other) const { return type == other.type && core == other.core; }
};

base::Result<std::vector<TypeRow>> types_of(const ProfileSide& side, std::vector<std::string>& damage) {
    std::vector<TypeRow> out;
    TRY_ASSIGN(const auto table, side.source.table(ProfilePart::statistic));
    if (!table) return out;
    TableRows& rows = *table;
    const StatisticColumns& names = side.tables.statistic;
    const auto type = rows.column(names.type), core = rows.column(names.core), count = rows.column(names.count),
               total = rows.column(names.total), shortest = rows.column(names.shortest),
               average = rows.column(names.average), longest = rows.column(names.longest);
    const auto number = [&](std::optional<std::size_t> column) { return rows.number_or_zero(column); };
    for (;;) {
        TRY_ASSIGN(const bool has_row, rows.next());
        if (!has_row) {
            if (!rows.damage().empty())
                damage.push_back(base::format("{}: {}", side.source.path_of(ProfilePart::statistic), rows.damage()));
            return out;
        }
        out.push_back({std::string(rows[type]), std::string(rows[core]), number(total), number(average),
                       number(longest), number(shortest), static_cast<std::uint64_t>(std::max(0.0, number(count)))});
    }
}

void add_type_cells(SheetRow& row, const TypeRow* item) {
    if (item == nullptr) {
        row.insert(row.end(), {Cell(0.0), Cell(0.0), Cell(), Cell(), Cell()});
        return;
    }
    row.insert(row.end(), {Cell(item->total), Cell(item->average), Cell(item->longest), Cell(item->shortest),
                           count_cell(item->calls)});
}

}  // namespace

base::Result<Sheet> kernel_type_sheet(const ProfileSide& base, const ProfileSide& compared,
                                      std::vector<std::string>& damage) {
    Sheet out{
        "KernelTypeCompare",
        paired_headers({"Order Id", "Kernel Type", "Core Type"},
                       {"Total Duration(us)", "Avg Duration(us)", "Max Duration(us)", "Min Duration(us)", "Calls"},
                       {"Diff Total Ratio", "Diff Avg Ratio"}),
        {}};
    TRY_ASSIGN(const std::vector<TypeRow> a, types_of(base, damage));
    TRY_ASSIGN(const std::vector<TypeRow> b, types_of(compared, damage));
    if (a.empty() || b.empty()) return out;
    const auto add = [&](const TypeRow* one, const TypeRow* other) {
        const TypeRow& any = one == nullptr ? *other : *one;
        SheetRow row{Cell(), text_cell(any.type), text_cell(any.core)};
        add_type_cells(row, one);
        add_type_cells(row, other);
        row.emplace_back(ratio_of(one == nullptr ? 0 : one->total, other == nullptr ? 0 : other->total));
        row.emplace_back(ratio_of(one == nullptr ? 0 : one->average, other == nullptr ? 0 : other->average));
        out.rows.push_back(std::move(row));
    };
    const auto same_in = [](const std::vector<TypeRow>& rows, const TypeRow& item) {
        const auto found = std::ranges::find_if(rows, [&](const TypeRow& other) { return other.is_same(item); });
        return found == rows.end() ? nullptr : &*found;
    };
    for (const TypeRow& item : a) add(&item, same_in(b, item));
    for (const TypeRow& item : b) {
        if (same_in(a, item) == nullptr) add(nullptr, &item);
    }
    sort_by_difference(out.rows);
    return out;
}

}  // namespace migrator
