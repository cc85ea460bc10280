#include "migrator/compare/comparison.h"

#include "base/format.h"
#include "base/parallel.h"
#include "migrator/compare/overall_sheet.h"

namespace migrator {
namespace {

void write_side(base::JsonWriter& out, const ProfileSide& side) {
    out.begin_object();
    out.key("path").string(side.path);
    out.key("events").unsigned_integer(side.trace.events);
    out.key("metrics");
    write_metrics(out, side.metrics);
    out.key("notes").begin_array();
    for (const base::Message& note : side.metrics.notes) out.string(note.text());
    out.end_array();
    out.end_object();
}

}  // namespace

std::vector<std::string> Comparison::damage() const {
    std::vector<std::string> out;
    for (const ProfileSide* side : {&base, &compared}) {
        for (const auto& [file, damage] : {std::pair(side->files.trace, side->trace.damage),
                                           std::pair(side->files.table(side->tables.files.kernels), side->kernels.damage)}) {
            if (!damage.empty()) out.push_back(base::format("{}: {}", file, damage));
        }
    }
    return out;
}

std::string Comparison::json() const {
    base::JsonWriter out;
    out.begin_object();
    write_side(out.key("base"), base);
    write_side(out.key("new"), compared);
    out.key("distribution");
    write_json(out, distribution);
    out.key("sheets").begin_object();
    for (const Sheet& sheet : sheets) {
        out.key(sheet.name);
        write_json(out, sheet);
    }
    out.end_object();
    out.key("damage").begin_array();
    for (const std::string& damage : damage()) out.string(damage);
    out.end_array();
    return std::move(out.end_object()).take() + "\n";
}

std::string Comparison::text(const base::Language&) const { return {}; }

base::Result<Comparison> compare_profiles(base::FileSystem& fs, const base::DataStore& store, const CompareRequest& request) {
    Comparison out;
    ProfileSide* const sides[] = {&out.base, &out.compared};
    const base::Path* const paths[] = {&request.base, &request.compared};
    TRY(base::parallel_for(2, 2, [&](std::size_t i) -> base::Status {
        TRY_ASSIGN(*sides[i], read_side(fs, store, {.path = *paths[i], .numbers = request.numbers}));
        return {};
    }));
    out.distribution = distribution_table(out.base.metrics, out.compared.metrics);
    out.sheets.push_back(overall_sheet(out.base.metrics, out.compared.metrics));
    return out;
}

}  // namespace migrator
