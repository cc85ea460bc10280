#include "migrator/profile/kernel_units.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/string_map.h"
#include "migrator/profile/csv_rows.h"
#include "migrator/profile/kernel_runs.h"
#include "migrator/profile/kernel_shapes.h"
#include "migrator/profile/ticks.h"

namespace migrator {
namespace {

using Column = std::optional<std::size_t>;

bool is_one_of(const std::vector<std::string>& all, std::string_view name) {
    return std::ranges::find(all, name) != all.end();
}
bool has_one_of(const std::vector<std::string>& parts, std::string_view name) {
    return std::ranges::any_of(parts, [&](const std::string& part) { return name.find(part) != name.npos; });
}

// The rows of a table of kernels, as rules about units ask for them.
class KernelRow {
public:
    KernelRow(const TableRows& rows, const KernelColumns& columns, const UnitRules& rules)
        : rows_(rows),
          type_(rows.column(columns.type)),
          core_(rows.column(columns.core)),
          state_(rows.column(columns.state)),
          step_(rows.column(columns.step)),
          begin_(rows.column(columns.begin)),
          duration_(rows.column(columns.duration)),
          blocks_(rows.column(columns.blocks)),
          mixed_blocks_(rows.column(columns.mixed_blocks)),
          formats_(rows.column(columns.formats)),
          shapes_{rows.column(columns.shapes), rows.column(columns.output_shapes)},
          dtypes_{rows.column(columns.dtypes), rows.column(columns.output_dtypes)},
          rules_(rules) {
        for (const UnitRatio& unit : rules.units) {
            auto& places = units_.emplace(unit.unit, std::vector<Column>()).first->second;
            for (const std::string& column : unit.columns) {
                if (const Column place = rows.column({column})) places.push_back(place);
            }
            has_units_ = has_units_ || !places.empty();
        }
    }

    bool has_units() const { return has_units_; }
    bool knows_blocks() const { return blocks_.has_value(); }
    // False: its length is none.
    bool read() {
        name = rows_[type_];
        type = lower_case(name);
        core = lower_case(rows_[core_]);
        us = rows_.number(duration_);
        const auto moment = parse_moment(rows_[begin_]);
        if (moment && !origin_) origin_ = moment;
        begin_us.reset();
        if (moment)
            begin_us = static_cast<double>(moment->whole - origin_->whole) +
                       static_cast<double>(moment->rest - origin_->rest) / kTicksPerMicrosecond;
        return std::isfinite(us) && us >= 0;
    }
    bool is_of(const std::string& step) const { return step.empty() || rows_[step_] == step; }
    bool is_static(const ProfileNames& names) const {
        const std::string_view state = rows_[state_];
        return !state.empty() && state != "N/A" && !names.dynamic_states.is(lower_case(state));
    }
    double blocks() const { return rows_.number(blocks_); }
    double mixed_blocks() const { return rows_.number(mixed_blocks_); }
    // The share of its time that a unit works; 0: not known.
    double ratio(const std::string& unit) const {
        double out = 0;
        const auto found = units_.find(unit);
        if (found == units_.end()) return out;
        for (const Column place : found->second) {
            const double value = rows_.number(place);
            if (value > out) out = value;
        }
        return out;
    }
    std::vector<KernelShape> inputs() const { return kernel_shapes(rows_[shapes_[0]]); }
    std::vector<KernelShape> outputs() const { return kernel_shapes(rows_[shapes_[1]]); }
    std::string input_dtypes() const { return lower_case(rows_[dtypes_[0]]); }
    bool is_blocked() const { return has_one_of(rules_.blocked_formats, lower_case(rows_[formats_])); }
    // Of inputs and outputs whose dtypes are known.
    double megabytes() const {
        double bytes = 0;
        for (std::size_t side = 0; side < 2; ++side) {
            const auto shapes = kernel_shapes(rows_[shapes_[side]]);
            const std::string dtypes = lower_case(rows_[dtypes_[side]]);
            std::size_t at = 0;
            for (const KernelShape& shape : shapes) {
                const std::size_t end = std::min(dtypes.find(';', at), dtypes.size());
                const auto size = std::ranges::find(rules_.dtypes, dtypes.substr(at, end - at), &DtypeBytes::dtype);
                at = std::min(end + 1, dtypes.size());
                if (shape.empty() || size == rules_.dtypes.end()) continue;
                double elements = 1;
                for (const std::int64_t axis : shape) elements *= static_cast<double>(axis);
                bytes += elements * size->bytes;
            }
        }
        return bytes / 1e6;
    }

    std::string_view name;   // of its type, as it is written
    std::string type, core;  // in small letters
    double us = 0;
    std::optional<double> begin_us;  // since the first kernel

private:
    const TableRows& rows_;
    Column type_, core_, state_, step_, begin_, duration_, blocks_, mixed_blocks_, formats_;
    Column shapes_[2], dtypes_[2];  // of inputs, of outputs
    const UnitRules& rules_;
    base::StringMap<std::vector<Column>> units_;
    bool has_units_ = false;
    std::optional<Moment> origin_;
};

bool is_bound(const UnitKind& kind, const KernelRow& row) {
    return std::ranges::any_of(kind.bound, [&](const UnitBound& bound) {
        double sum = 0, most = 0;
        for (const std::string& unit : bound.units) {
            sum += row.ratio(unit);
            most = std::max(most, row.ratio(unit));
        }
        return (bound.together ? sum : most) >= bound.at_least;
    });
}

// The size of a head and the length of the sequence, from the maxima that the softmax leaves: [batch, heads, length, 8]. None: not known.
KernelShape attention_axes(const KernelRow& row) {
    constexpr std::int64_t kMaximaWidth = 8;
    const std::vector<KernelShape> inputs = row.inputs();
    std::vector<KernelShape> all = row.outputs();
    all.insert(all.end(), inputs.begin(), inputs.end());
    const auto maxima = std::ranges::find_if(
        all, [](const KernelShape& shape) { return shape.size() == 4 && shape.back() == kMaximaWidth; });
    if (maxima == all.end() || inputs.empty() || inputs.front().empty() || (*maxima)[1] == 0) return {};
    const KernelShape& query = inputs.front();
    return {query.size() == 4 ? query.back() : query.back() / (*maxima)[1], (*maxima)[2]};
}

bool is_uneven(const UnitKind& kind, const KernelRow& row) {
    if (kind.multiple == 0 || (!kind.is_attention && row.is_blocked())) return false;
    KernelShape axes;
    if (kind.is_attention) axes = attention_axes(row);
    else {
        for (const KernelShape& shape : row.inputs()) {
            if (shape.size() > 1) axes.push_back(shape.back());
        }
    }
    return std::ranges::any_of(axes, [&](std::int64_t axis) { return axis % kind.multiple != 0; });
}

// Kernels of one type.
struct TypeUse {
    double us = 0, unbound_us = 0;
    double kernels = 0, unbound = 0, uneven = 0;
};

class UnitTotals {
public:
    UnitTotals(const ProfileNames& names, const UnitRules& rules, const DeviceInfo& device)
        : names_(names), rules_(rules), device_(device), types_(rules.kinds.size()) {}

    void add(const KernelRow& row) {
        if (names_.communication_processes.is(row.core)) return;
        all_us_ += row.us;
        for (std::size_t i = 0; i < rules_.kinds.size() && row.has_units(); ++i) add_to(i, row);
        add_cores(row);
        const double moves = std::max(row.ratio("mte2"), row.ratio("mte3"));
        if (row.begin_us) runs_.add(row.name, *row.begin_us, row.us, row.us * moves);
        if (!names_.ai_cpu_cores.is(row.core)) return;
        const std::string dtypes = row.input_dtypes();
        wide_ += has_one_of(rules_.wide_dtypes, dtypes) ? 1 : 0;
    }

    void add_figures(bool has_units, bool knows_blocks, ProfileFigures& out) const {
        for (std::size_t i = 0; i < rules_.kinds.size() && has_units; ++i) {
            const UnitKind& kind = rules_.kinds[i];
            TypeUse sum;
            for (const auto& [type, use] : types_[i]) {
                if (kind.least_share > 0 && use.us < kind.least_share * all_us_ && use.us < kind.least_type_us)
                    continue;
                sum.kernels += use.kernels;
                sum.unbound += use.unbound;
                sum.uneven += use.uneven;
                sum.unbound_us += use.unbound_us;
            }
            out.numbers[kind.id + "_kernels"] = sum.kernels;
            out.numbers[kind.id + "_unbound"] = sum.unbound;
            if (all_us_ > 0) out.numbers[kind.id + "_unbound_share"] = sum.unbound_us / all_us_;
            if (kind.multiple > 0) out.numbers[kind.id + "_uneven"] = sum.uneven;
        }
        if (device_.cores > 0 && knows_blocks) {
            out.numbers["idle_core_kernels"] = idle_;
            if (all_us_ > 0) out.numbers["idle_core_share"] = idle_us_ / all_us_;
        }
        out.numbers["ai_cpu_wide"] = wide_;
        const auto run = runs_.longest();
        out.numbers["run_share"] = run ? run->share : 0;
        if (!run) return;
        out.numbers["run_repeats"] = static_cast<double>(run->repeats);
        out.texts["run_types"] = base::joined(run->types, ", ");
    }

private:
    void add_to(std::size_t number, const KernelRow& row) {
        const UnitKind& kind = rules_.kinds[number];
        if (!kind.types.empty() && !has_one_of(kind.types, row.type)) return;
        if (has_one_of(kind.but, row.type) || (!kind.cores.empty() && !is_one_of(kind.cores, row.core))) return;
        if (row.us < kind.least_us || (kind.is_static && !row.is_static(names_))) return;
        if (kind.least_mb > 0 && row.megabytes() < kind.least_mb) return;
        TypeUse& use = types_[number][row.type];
        const bool has_room = !is_bound(kind, row);
        use.us += row.us;
        use.kernels += 1;
        use.unbound += has_room ? 1 : 0;
        use.unbound_us += has_room ? row.us : 0;
        use.uneven += has_room && is_uneven(kind, row) ? 1 : 0;
    }

    // Blocks that do not fill the last round of cores.
    void add_cores(const KernelRow& row) {
        const bool is_whole = is_one_of(rules_.whole_core_kinds, row.core);
        const bool is_vector = is_one_of(rules_.vector_core_kinds, row.core);
        const double cores = is_vector && device_.vector_cores > 0 ? device_.vector_cores : device_.cores;
        if ((!is_whole && !is_vector) || cores <= 0 || !row.is_static(names_)) return;
        const auto leaves_idle = [&](double blocks, double of) {
            return blocks > 0 && of > 0 && std::fmod(blocks, of) != 0;
        };
        const double mixed = row.mixed_blocks();
        if (!leaves_idle(row.blocks(), cores)) return;
        if (mixed > 0 && !leaves_idle(mixed, device_.vector_cores > 0 ? device_.vector_cores : cores)) return;
        idle_ += 1;
        idle_us_ += row.us;
    }

    const ProfileNames& names_;
    const UnitRules& rules_;
    const DeviceInfo& device_;
    std::vector<std::map<std::string, TypeUse>> types_;  // by the number of a kind
    KernelRuns runs_;
    double all_us_ = 0, idle_us_ = 0, idle_ = 0, wide_ = 0;
};

}  // namespace

base::Status add_unit_figures(const ProfileSource& source, const KernelColumns& columns, const ProfileNames& names,
                              const UnitRules& rules, const DeviceInfo& device, const std::string& step,
                              ProfileFigures& out) {
    TRY_ASSIGN(const auto table, source.table(ProfilePart::kernels));
    if (!table) return {};
    TableRows& rows = *table;
    KernelRow row(rows, columns, rules);
    UnitTotals totals(names, rules, device);
    for (;;) {
        TRY_ASSIGN(const bool has_row, rows.next());
        if (!has_row) break;
        if (row.is_of(step) && row.read()) totals.add(row);
    }
    totals.add_figures(row.has_units(), row.knows_blocks(), out);
    return {};
}

}  // namespace migrator
