#include "migrator/profile/kernel_table.h"

#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "base/string_map.h"

namespace migrator {
namespace {

using Column = std::optional<std::size_t>;

// The columns of a file.
struct KernelPlaces {
    Column core, state, step, name, type, begin, duration, stream, shapes, vector, cube, core_time, core_cube,
        core_load, vector_core, connection;

    KernelPlaces(const TableRows& rows, const KernelColumns& names, ProfileNumbers numbers)
        : core(rows.column(names.core)),
          state(rows.column(names.state)),
          step(rows.column(names.step)),
          name(rows.column(names.name)),
          type(rows.column(names.type)),
          begin(rows.column(names.begin)),
          duration(rows.column(names.duration)),
          stream(rows.column(names.stream)),
          shapes(rows.column(names.shapes)),
          vector(rows.column(names.vector)),
          cube(rows.column(numbers == ProfileNumbers::msprof ? names.cube : names.cube_also)),
          core_time(rows.column(names.core_time)),
          core_cube(rows.column(names.core_cube)),
          core_load(rows.column(names.core_load)),
          vector_core(rows.column(names.vector_core)),
          connection(rows.column(names.connection)) {}
};

// Totals by type and shape, in the order in which they came first.
class TypeTotals {
public:
    // `keeps_untyped`: what has no type has one of that name.
    TypeTotals(KernelTable& out, bool keeps_untyped) : out_(out), keeps_untyped_(keeps_untyped) {}

    void add(std::string_view type, std::string_view shapes, Ticks duration) {
        if (type.empty() || (type == "N/A" && !keeps_untyped_)) return;
        if (shapes.empty()) shapes = "N/A";
        const auto of_type = types_.find(type);
        const std::size_t at = of_type == types_.end() ? out_.by_type.size() : of_type->second;
        if (at == out_.by_type.size()) {
            types_.emplace(type, at);
            shapes_.emplace_back();
            out_.by_type.push_back({std::string(type), {}});
        }
        auto& rows = out_.by_type[at].second;
        const auto found = shapes_[at].find(shapes);
        const std::size_t row = found == shapes_[at].end() ? rows.size() : found->second;
        if (row == rows.size()) {
            shapes_[at].emplace(shapes, row);
            rows.push_back({std::string(shapes), {}});
        }
        rows[row].second.add(duration);
    }

private:
    KernelTable& out_;
    const bool keeps_untyped_;
    base::StringMap<std::size_t> types_;
    std::vector<base::StringMap<std::size_t>> shapes_;
};

void add_row(KernelTable& out, const TableRows& rows, const KernelPlaces& at, const ProfileNames& names,
             TimedKernel row, ProfileNumbers numbers) {
    const double cube = rows.number(at.cube), vector = rows.number(at.vector), core = rows.number(at.core_time);
    row.name = out.texts.number(rows[at.name]);
    row.type = out.texts.number(rows[at.type]);
    row.shapes = out.texts.number(rows[at.shapes]);
    row.connection = base::number_in<std::int64_t>(rows[at.connection]).value_or(0);
    row.is_counted = !std::isnan(cube) || !std::isnan(vector);
    row.is_cube = cube > 0 || core > 0;
    const std::string name = lower_case(rows[at.name]);
    const ProfileWords& fused = names.fused_communication_kernels;
    if (numbers == ProfileNumbers::msprof ? fused.is(name) : fused.in(name)) {
        out.fused_computing.push_back(std::max(rows.number_or_zero(at.core_cube), rows.number_or_zero(at.core_load)) +
                                      rows.number_or_zero(at.vector_core));
        row.fused = static_cast<std::uint32_t>(out.fused_computing.size());
    }
    out.rows.push_back(row);
}

}  // namespace

void KernelTotals::add(Ticks duration) {
    shortest = calls == 0 ? duration : std::min(shortest, duration);
    longest = std::max(longest, duration);
    total += microseconds(duration);
    ++calls;
}

std::optional<TimedKernel> KernelTable::at(Ticks begin) const {
    std::size_t number = rows.lower_bound<&TimedKernel::begin>(begin);
    if (!by_begin.empty()) {
        const auto begin_of = [&](std::uint32_t i) { return rows.get<&TimedKernel::begin>(i); };
        const auto found = std::ranges::lower_bound(by_begin, begin, {}, begin_of);
        number = found == by_begin.end() ? rows.size() : *found;
    }
    const bool is_found = number < rows.size() && rows.get<&TimedKernel::begin>(number) == begin;
    return is_found ? std::optional(rows[number]) : std::nullopt;
}

void KernelTable::order() {
    if (is_sorted_by<&TimedKernel::begin>(rows)) return;
    for (std::uint32_t i = 0; i < rows.size(); ++i) by_begin.push_back(i);
    std::ranges::stable_sort(by_begin, {}, [&](std::uint32_t i) { return rows.get<&TimedKernel::begin>(i); });
}

base::Result<KernelTable> read_kernels(TableRows* table, const KernelColumns& columns, const ProfileNames& names,
                                       const TimeOrigin& origin, const KernelRequest& request) {
    KernelTable out;
    if (table == nullptr) return out;
    TableRows& rows = *table;
    const KernelPlaces at(rows, columns, request.numbers);
    out.is_there = true;
    out.has_units = at.cube || at.vector;
    out.has_shapes = at.shapes.has_value();
    const bool is_ours = request.numbers == ProfileNumbers::ours;
    TypeTotals totals(out, request.is_database && !is_ours);
    for (;;) {
        TRY_ASSIGN(const bool has_row, rows.next());
        if (!has_row) break;
        const bool is_of_step = request.step.empty() || !at.step || rows[at.step] == request.step;
        if (!is_of_step && is_ours) continue;
        const auto moment = parse_moment(rows[at.begin]);
        const auto begin = moment ? origin.ticks(*moment) : std::nullopt;
        const auto duration = parse_duration(rows[at.duration]);
        if (!begin || !duration) {
            ++out.without_time;
            continue;
        }
        if (!at.step && is_ours && request.step_time &&
            (*begin < request.step_time->begin || *begin >= request.step_time->end))
            continue;
        TimedKernel row{.begin = *begin, .duration = *duration};
        row.on_ai_cpu = names.ai_cpu_cores.is(lower_case(rows[at.core]));
        if (row.on_ai_cpu) out.on_ai_cpu.add(*duration);
        if (const std::string_view state = rows[at.state]; !state.empty() && state != "N/A") {
            row.is_dynamic = names.dynamic_states.is(lower_case(state));
            ++out.with_state;
            out.dynamic += row.is_dynamic ? 1 : 0;
        }
        if (is_of_step) totals.add(rows[at.type], rows[at.shapes], *duration);
        add_row(out, rows, at, names, row, request.numbers);
    }
    out.damage = rows.damage();
    out.order();
    return out;
}

}  // namespace migrator
