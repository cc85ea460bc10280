#include "migrator/compare/comparison.h"

#include "base/format.h"
#include "base/parallel.h"
#include "migrator/compare/communication_sheet.h"
#include "migrator/compare/kernel_type_sheet.h"
#include "migrator/compare/memory_sheets.h"
#include "migrator/compare/operator_sheets.h"
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

bool wants_modules(const CompareRequest& request) {
    return request.wants(ComparePart::operators) && !request.without_modules;
}

KeptParts kept_parts(const CompareRequest& request) {
    using Part = ComparePart;
    const bool has_operators = request.wants(Part::operators) || request.wants(Part::memory);
    return {.operators = has_operators || request.wants(Part::calls) || request.wants(Part::communication),
            .equal_tasks = request.numbers == ProfileNumbers::msprof,
            .shapes = has_operators,
            .python = wants_modules(request),
            .queue = request.wants(Part::memory)};
}

bool needs_tree(const CompareRequest& request) {
    return request.wants(ComparePart::operators) || request.wants(ComparePart::memory) ||
           request.wants(ComparePart::calls);
}

base::Status add_operators(base::FileSystem& fs, const base::DataStore& store, const CompareRequest& request,
                           Comparison& out) {
    PairedOperators& both = *out.operators;
    both.pairs = pair_operators(*out.base, *both.base, *out.compared, *both.compared, request.pairing);
    const PairedSides sides{*out.base, *out.compared, *both.base, *both.compared, both.pairs};
    if (both.modules) {
        const ModuleSides modules{sides, *both.base_modules, *both.modules};
        both.module_pairs = pair_modules(modules, request.pairing);
        add_module_sheets(modules, both.module_pairs, request.pairing, out.sheets);
    }
    // Msprof has either modules or operators.
    const bool has_modules = request.numbers == ProfileNumbers::msprof && !both.module_pairs.empty();
    if (request.wants(ComparePart::operators) && !has_modules) {
        out.sheets.push_back(operator_statistic(sides));
        if (!request.pairing.without_details) out.sheets.push_back(operator_sheet(sides));
    }
    if (request.wants(ComparePart::operators) && request.numbers == ProfileNumbers::ours) {
        TRY_ASSIGN(Sheet causes, operator_causes(fs, store, sides, request.project));
        out.sheets.push_back(std::move(causes));
    }
    if (request.wants(ComparePart::memory)) {
        TRY_ASSIGN(MemorySheets memory, memory_sheets(sides, out.broken_tables));
        out.sheets.push_back(std::move(memory.statistic));
        if (!request.pairing.without_details) out.sheets.push_back(std::move(memory.details));
    }
    if (request.wants(ComparePart::calls)) out.sheets.push_back(api_sheet(sides));
    return {};
}

}  // namespace

std::vector<std::string> Comparison::damage() const {
    std::vector<std::string> out = base->damage();
    for (std::string& of_other : compared->damage()) out.push_back(std::move(of_other));
    out.insert(out.end(), broken_tables.begin(), broken_tables.end());
    return out;
}

base::TextSource Comparison::json() const {
    return [this](const base::TextSink& sink) {
        base::JsonWriter out(sink);
        out.begin_object();
        write_side(out.key("base"), *base);
        write_side(out.key("new"), *compared);
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
        out.end_object();
        out.finish();
        sink("\n");
    };
}

base::Result<Comparison> compare_profiles(base::FileSystem& fs, const base::DataStore& store,
                                          const CompareRequest& request) {
    using Part = ComparePart;
    Comparison out;
    ProfileSide* const sides[] = {out.base.get(), out.compared.get()};
    const SideRequest both{.path = {},
                           .numbers = request.numbers,
                           .kept = kept_parts(request),
                           .step = {},
                           .flow_category = request.flow_category};
    // The overall figures need their records only until they are measured: one after the other takes half of the memory.
    const bool keeps_records = both.kept.operators || request.wants(Part::kernels);
    // Msprof reads collectives only for their own sheet.
    const bool with_collectives = request.numbers == ProfileNumbers::ours || request.wants(Part::communication);
    if (needs_tree(request)) out.operators = std::make_unique<PairedOperators>();
    TRY(base::parallel_for(2, keeps_records ? 2 : 1, [&](std::size_t i) -> base::Status {
        SideRequest side = both;
        side.path = i == 0 ? request.base : request.compared;
        side.step = i == 0 ? request.base_step : request.step;
        TRY_ASSIGN(*sides[i], read_side(fs, store, side));
        if (!keeps_records) sides[i]->drop_records();
        if (!out.operators) return {};
        auto& tree = i == 0 ? out.operators->base : out.operators->compared;
        tree = std::make_unique<OperatorTree>(*sides[i], request.numbers, with_collectives);
        if (!wants_modules(request)) return {};
        auto& modules = i == 0 ? out.operators->base_modules : out.operators->modules;
        modules = std::make_unique<ModuleTree>(*sides[i], *tree, request.numbers);
        return {};
    }));
    out.distribution = distribution_table(out.base->metrics, out.compared->metrics);
    if (request.wants(Part::overall)) out.sheets.push_back(overall_sheet(out.base->metrics, out.compared->metrics));
    if (request.wants(Part::communication))
        out.sheets.push_back(communication_sheet(*out.base, *out.compared, request.numbers));
    if (out.operators) TRY(add_operators(fs, store, request, out));
    if (request.wants(Part::kernels) && request.kernels_by_type) {
        TRY_ASSIGN(Sheet types, kernel_type_sheet(*out.base, *out.compared, out.broken_tables));
        out.sheets.push_back(std::move(types));
    } else if (request.wants(Part::kernels)) {
        out.sheets.push_back(kernel_sheet(*out.base, *out.compared));
    }
    return out;
}

}  // namespace migrator
