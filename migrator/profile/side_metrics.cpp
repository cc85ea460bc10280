#include "migrator/profile/side_metrics.h"

#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "migrator/profile/csv_rows.h"

namespace migrator {
namespace {

constexpr std::uint64_t kMaxTableBytes = std::uint64_t{256} << 20;
constexpr double kMibOfGib = 1024;

void note_missing(SideMetrics& out, const std::string& file) {
    out.notes.push_back({"{file} is not there.", {{"file", file}}});
}

base::Status add_memory_peak(base::FileSystem& fs, const base::Path& path, const ColumnNames& reserved,
                             SideMetrics& out) {
    TRY_ASSIGN(CsvRows rows, CsvRows::open(fs, path));
    const auto column = rows.column(reserved);
    for (;;) {
        TRY_ASSIGN(const bool has_row, rows.next());
        if (!has_row) break;
        const double value = rows.number(column);
        if (value / kMibOfGib > out.memory_gib) out.memory_gib = value / kMibOfGib;
    }
    if (!rows.damage().empty()) return base::fail(base::ErrorKind::bad_input, rows.damage(), path);
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

base::Result<base::JsonDocument> read_document(base::FileSystem& fs, const base::Path& path) {
    TRY_ASSIGN(const std::string text, base::read_file(fs, path, kMaxTableBytes));
    return base::parse_json(text, path, base::kPythonJson);
}

// Of all steps together; msprof has that of the last one.
base::Status add_bandwidth(base::FileSystem& fs, const base::Path& path, ProfileNumbers numbers, SideMetrics& out) {
    TRY_ASSIGN(const base::JsonDocument document, read_document(fs, path));
    if (document.root.object() == nullptr)
        return base::fail(base::ErrorKind::bad_input, "it is not an object of steps", path);
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

base::Status name_groups(base::FileSystem& fs, const base::Path& path, SideMetrics& out) {
    TRY_ASSIGN(const base::JsonDocument document, read_document(fs, path));
    const base::Json* groups = document.root.find("parallel_group_info");
    if (groups == nullptr || groups->object() == nullptr) return {};
    for (const auto& [id, group] : *groups->object()) {
        const base::Json* name = group.find("group_name");
        if (name == nullptr || name->string() == nullptr) continue;
        const std::string thread = base::format("Group {} Communication", id);
        for (GroupTime& item : out.groups) {
            if (item.thread == thread) item.process_group = *name->string();
        }
    }
    return {};
}

}  // namespace

Ticks SideMetrics::other() const {
    Ticks rest = computing - split.computing().time;
    for (const FusedCommunication& item : split.fused) rest -= item.time;
    return std::max<Ticks>(rest, 0);
}

Ticks SideMetrics::told_other() const {
    if (numbers == ProfileNumbers::ours) return other();
    return kind == TraceKind::gpu ? 0 : std::max<Ticks>(0, other() - split[ComputingPart::copies].time);
}

base::Status add_tables(base::FileSystem& fs, const ProfileFiles& files, const ProfileTables& tables,
                        ProfileNumbers numbers, SideMetrics& out) {
    if (files.output.empty()) return {};
    const auto add = [&](const base::Path& path, const auto& read) -> base::Status {
        if (!fs.exists(path)) {
            note_missing(out, std::string(base::file_name(path)));
            return {};
        }
        const base::Status status = read(path);
        if (status) return {};
        if (status.error().kind != base::ErrorKind::bad_input) return status;
        out.damage.push_back(status.error().text());
        return {};
    };
    TRY(add(files.table(tables.files.memory),
            [&](const base::Path& path) { return add_memory_peak(fs, path, tables.memory.reserved, out); }));
    TRY(add(files.table(tables.files.communication),
            [&](const base::Path& path) { return add_bandwidth(fs, path, numbers, out); }));
    const base::Path folder = files.folder.empty() ? files.output : files.folder;
    const base::Path metadata = base::join(folder, tables.files.metadata);
    if (!fs.exists(metadata)) return {};
    return add(metadata, [&](const base::Path& path) { return name_groups(fs, path, out); });
}

}  // namespace migrator
