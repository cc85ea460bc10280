#include "migrator/profile/side_metrics.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"

namespace migrator {
namespace {

constexpr double kMibOfGib = 1024;

void note_missing(SideMetrics& out, const base::Path& path) {
    out.notes.push_back({"{file} is not there.", {{"file", std::string(base::file_name(path))}}});
}

base::Status add_memory_peak(TableRows& rows, const ColumnNames& reserved, SideMetrics& out) {
    const auto column = rows.column(reserved);
    for (;;) {
        TRY_ASSIGN(const bool has_row, rows.next());
        if (!has_row) break;
        const double value = rows.number(column);
        if (value / kMibOfGib > out.memory_gib) out.memory_gib = value / kMibOfGib;
    }
    if (!rows.damage().empty()) return base::fail(base::ErrorKind::bad_input, rows.damage());
    return {};
}

double number_in(const base::Json* object, std::string_view key) {
    const base::Json* value = object == nullptr ? nullptr : object->find(key);
    if (value == nullptr) return 0;
    if (value->integer() != nullptr) return static_cast<double>(*value->integer());
    return value->real() != nullptr ? *value->real() : 0;
}

// What a link moved, and how long that took.
struct Moved {
    double megabytes = 0, milliseconds = 0;

    double bandwidth() const { return milliseconds > 0 ? megabytes / milliseconds : 0; }
};

// Of all steps together; msprof has that of the last one.
base::Status add_bandwidth(const base::JsonDocument& document, ProfileNumbers numbers, SideMetrics& out) {
    if (document.root.object() == nullptr)
        return base::fail(base::ErrorKind::bad_input, "it is not an object of steps");
    Moved rdma, sdma;
    for (const auto& [step, operators] : *document.root.object()) {
        if (numbers == ProfileNumbers::msprof) rdma = sdma = {};
        const base::Json* collective = operators.find("collective");
        const base::Json* total = collective == nullptr ? nullptr : collective->find("Total Op Info");
        const base::Json* links = total == nullptr ? nullptr : total->find("Communication Bandwidth Info");
        const auto add = [&](std::string_view link, Moved& moved) {
            const base::Json* said = links == nullptr ? nullptr : links->find(link);
            moved.megabytes += number_in(said, "Transit Size(MB)");
            moved.milliseconds += number_in(said, "Transit Time(ms)");
        };
        add("RDMA", rdma);
        add("SDMA", sdma);
    }
    out.rdma_bandwidth = rdma.bandwidth();
    out.sdma_bandwidth = sdma.bandwidth();
    return {};
}

void name_groups(const base::JsonDocument& document, SideMetrics& out) {
    const base::Json* groups = document.root.find("parallel_group_info");
    if (groups == nullptr || groups->object() == nullptr) return;
    for (const auto& [id, group] : *groups->object()) {
        const base::Json* name = group.find("group_name");
        if (name == nullptr || name->string() == nullptr) continue;
        const std::string thread = base::format("Group {} Communication", id);
        for (GroupTime& item : out.groups) {
            if (item.thread == thread) item.process_group = *name->string();
        }
    }
}

}  // namespace

Ticks SideMetrics::other() const {
    Ticks rest = computing - split.computing().time;
    for (const FusedCommunication& item : split.fused) rest -= item.time;
    return std::max<Ticks>(rest, 0);
}

void SideMetrics::note_many_groups() {
    notes.push_back(
        {"There are so many groups of ranks that how long their communication overlaps is not worked out for each "
         "pair."});
}

Ticks SideMetrics::told_other() const {
    if (numbers == ProfileNumbers::ours) return other();
    return kind == TraceKind::gpu ? 0 : std::max<Ticks>(0, other() - split[ComputingPart::copies].time);
}

base::Status add_tables(const ProfileSource& source, const ProfileTables& tables, ProfileNumbers numbers,
                        SideMetrics& out) {
    if (!source.has_tables()) return {};
    // What is broken is damage; anything else ends the run.
    const auto kept = [&](ProfilePart part, base::Error error) -> base::Status {
        if (error.kind != base::ErrorKind::bad_input) return tl::unexpected(std::move(error));
        if (error.where.empty()) error.where = source.path_of(part);
        out.damage.push_back(error.text());
        return {};
    };
    const auto memory = source.table(ProfilePart::memory);
    if (!memory) TRY(kept(ProfilePart::memory, memory.error()));
    else if (*memory == nullptr) note_missing(out, source.path_of(ProfilePart::memory));
    else if (const base::Status added = add_memory_peak(**memory, tables.memory.reserved, out); !added)
        TRY(kept(ProfilePart::memory, added.error()));
    const auto communication = source.document(ProfilePart::communication);
    if (!communication) TRY(kept(ProfilePart::communication, communication.error()));
    else if (!*communication) note_missing(out, source.path_of(ProfilePart::communication));
    else if (const base::Status added = add_bandwidth(**communication, numbers, out); !added)
        TRY(kept(ProfilePart::communication, added.error()));
    const auto metadata = source.document(ProfilePart::metadata);
    if (!metadata) return kept(ProfilePart::metadata, metadata.error());
    if (*metadata) name_groups(**metadata, out);
    return {};
}

}  // namespace migrator
