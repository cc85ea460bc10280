#include "migrator/profile/profile_files.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "base/missing_path.h"

namespace migrator {
namespace {

constexpr std::string_view kOutputFolder = "ASCEND_PROFILER_OUTPUT";
constexpr std::string_view kTraceFile = "trace_view.json";
constexpr std::string_view kDatabaseEnd = ".db";
constexpr std::string_view kFolderEnds[] = {"ascend_pt", "ascend_ms"};
constexpr std::string_view kTraceEnds[] = {".json", ".json.gz"};
constexpr std::size_t kMostFolders = 100'000;

bool ends_as(std::string_view name, std::span<const std::string_view> ends) {
    return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

bool is_directory(base::FileSystem& fs, const base::Path& path) {
    const auto info = fs.info(path);
    return info && info->kind == base::FileKind::directory;
}

base::Result<ProfileFiles> of_output(base::FileSystem& fs, const base::Path& output, const base::Path& folder,
                                     bool needs_trace) {
    const base::Path trace = base::join(output, kTraceFile);
    if (!needs_trace || fs.exists(trace)) return ProfileFiles{trace, output, folder};
    TRY_ASSIGN(const auto entries, fs.list(output));
    for (const base::DirectoryEntry& entry : entries) {
        if (entry.name.ends_with(kDatabaseEnd))
            return base::fail(
                base::ErrorKind::unsupported,
                base::format("the profile was exported as a database, {}, which is not read: export it as text "
                             "as well, with export_type=[torch_npu.profiler.ExportType.Text] or "
                             "torch_npu.profiler.profiler.analyse",
                             entry.name),
                output);
    }
    return base::fail(base::ErrorKind::bad_input,
                      "there is no trace_view.json in it: the profile was not exported as text, or is not parsed",
                      output);
}

// What a folder holds that is no folder of a profile.
base::Result<ProfileFiles> only_profile_in(base::FileSystem& fs, const base::Path& path) {
    TRY_ASSIGN(const auto entries, fs.list(path));
    std::vector<std::string> names, traces;
    for (const base::DirectoryEntry& entry : entries) {
        if (ends_as(entry.name, kFolderEnds)) names.push_back(entry.name);
        else if (ends_as(entry.name, kTraceEnds) && entry.name.find("trace") != entry.name.npos)
            traces.push_back(entry.name);
    }
    if (names.empty()) names = traces;
    if (names.size() == 1) return find_profile(fs, base::join(path, names.front()));
    if (names.empty())
        return base::fail(
            base::ErrorKind::bad_input,
            "there is no profile in this folder: give a trace of torch.profiler, a folder *_ascend_pt that is "
            "parsed, or its ASCEND_PROFILER_OUTPUT",
            path);
    return base::fail(
        base::ErrorKind::bad_input,
        base::format("there are several profiles in this folder; name one of them: {}", base::listed(names)), path);
}

}  // namespace

base::Result<ProfileFiles> find_profile(base::FileSystem& fs, const base::Path& path, bool needs_trace) {
    if (!fs.exists(path)) return tl::unexpected(base::missing_path(fs, path));
    if (!is_directory(fs, path)) return ProfileFiles{path, {}, {}};
    const base::Path inner = base::join(path, kOutputFolder);
    if (is_directory(fs, inner)) return of_output(fs, inner, path, needs_trace);
    if (fs.exists(base::join(path, kTraceFile))) return of_output(fs, path, {}, needs_trace);
    if (ends_as(base::file_name(path), kFolderEnds))
        return base::fail(base::ErrorKind::bad_input,
                          "the profile is not parsed, as ASCEND_PROFILER_OUTPUT is missing in it: run "
                          "torch_npu.profiler.profiler.analyse on this folder",
                          path);
    return only_profile_in(fs, path);
}

base::Result<std::vector<base::Path>> find_rank_folders(base::FileSystem& fs, const base::Path& path) {
    std::vector<base::Path> out, open{path};
    for (std::size_t seen = 0; !open.empty() && seen < kMostFolders; ++seen) {
        const base::Path folder = open.back();
        open.pop_back();
        if (is_directory(fs, base::join(folder, kOutputFolder)) || fs.exists(base::join(folder, kTraceFile))) {
            out.push_back(folder);
            continue;
        }
        TRY_ASSIGN(const auto entries, fs.list(folder));
        for (const base::DirectoryEntry& entry : entries) {
            if (entry.kind == base::FileKind::directory) open.push_back(base::join(folder, entry.name));
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace migrator
