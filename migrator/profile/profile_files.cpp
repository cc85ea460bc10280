#include "migrator/profile/profile_files.h"

#include <algorithm>
#include <functional>

#include "base/format.h"
#include "base/human.h"
#include "base/missing_path.h"
#include "migrator/profile/profile_database.h"

namespace migrator {
namespace {

constexpr std::string_view kOutputFolder = "ASCEND_PROFILER_OUTPUT";
constexpr std::string_view kTraceFile = "trace_view.json";
constexpr std::string_view kFolderEnds[] = {"ascend_pt", "ascend_ms"};
constexpr std::string_view kTraceEnds[] = {".json", ".json.gz"};
constexpr std::size_t kMostFolders = 100'000;

bool ends_as(std::string_view name, std::span<const std::string_view> ends) {
    return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

// The one database of this kind in a folder; empty: none.
base::Result<base::Path> database_in(const std::vector<base::DirectoryEntry>& entries, const base::Path& folder,
                                     const std::function<bool(std::string_view)>& is_wanted) {
    std::vector<std::string> names;
    for (const base::DirectoryEntry& entry : entries) {
        if (entry.kind != base::FileKind::directory && is_wanted(entry.name)) names.push_back(entry.name);
    }
    if (names.empty()) return base::Path();
    if (names.size() == 1) return base::join(folder, names.front());
    return base::fail(
        base::ErrorKind::bad_input,
        base::format("there are several databases in this folder; name one of them: {}", base::listed(names)), folder);
}

bool is_profile_database(std::string_view name, const ProfileQueries& queries) {
    return name.ends_with(queries.ending) &&
           std::ranges::any_of(queries.profiles, [&](const std::string& begin) { return name.starts_with(begin); });
}

base::Status add_databases(base::FileSystem& fs, const ProfileQueries& queries, ProfileFiles& out) {
    TRY_ASSIGN(const auto entries, fs.list(out.output));
    TRY_ASSIGN(out.database, database_in(entries, out.output,
                                         [&](std::string_view name) { return is_profile_database(name, queries); }));
    TRY_ASSIGN(out.analysis, database_in(entries, out.output, [&](std::string_view name) {
                   return std::ranges::find(queries.analyses, name) != queries.analyses.end();
               }));
    return {};
}

base::Result<ProfileFiles> of_output(base::FileSystem& fs, const base::Path& output, const base::Path& folder,
                                     const ProfileQueries& queries, bool needs_trace) {
    ProfileFiles out{{}, output, folder};
    if (const base::Path trace = base::join(output, kTraceFile); fs.exists(trace)) out.trace = trace;
    TRY(add_databases(fs, queries, out));
    if (!out.trace.empty() || !out.database.empty() || !needs_trace) return out;
    return base::fail(
        base::ErrorKind::bad_input,
        base::format("there is neither a trace_view.json in it nor a database {}*{}: the profile is not parsed; run "
                     "torch_npu.profiler.profiler.analyse on its folder",
                     queries.profiles.front(), queries.ending),
        output);
}

// Whether a folder has the files of a rank itself.
bool has_parts(base::FileSystem& fs, const base::Path& folder, const std::vector<base::DirectoryEntry>& entries,
               const ProfileQueries& queries) {
    return base::is_directory(fs, base::join(folder, kOutputFolder)) || fs.exists(base::join(folder, kTraceFile)) ||
           std::ranges::any_of(entries, [&](const base::DirectoryEntry& entry) {
               return entry.kind != base::FileKind::directory && is_profile_database(entry.name, queries);
           });
}

// What a folder holds that is no folder of a profile.
base::Result<ProfileFiles> only_profile_in(base::FileSystem& fs, const base::Path& path,
                                           const std::vector<base::DirectoryEntry>& entries,
                                           const ProfileQueries& queries) {
    std::vector<std::string> names, traces;
    for (const base::DirectoryEntry& entry : entries) {
        if (ends_as(entry.name, kFolderEnds)) names.push_back(entry.name);
        else if (ends_as(entry.name, kTraceEnds) && entry.name.find("trace") != entry.name.npos)
            traces.push_back(entry.name);
    }
    if (names.empty()) names = traces;
    if (names.size() == 1) return find_profile(fs, base::join(path, names.front()), queries);
    if (names.empty())
        return base::fail(
            base::ErrorKind::bad_input,
            "there is no profile in this folder: give a trace of torch.profiler, a folder *_ascend_pt that is "
            "parsed, its ASCEND_PROFILER_OUTPUT, or a database of Ascend's profiler",
            path);
    return base::fail(
        base::ErrorKind::bad_input,
        base::format("there are several profiles in this folder; name one of them: {}", base::listed(names)), path);
}

}  // namespace

base::Result<ProfileFiles> find_profile(base::FileSystem& fs, const base::Path& path, const ProfileQueries& queries,
                                        bool needs_trace) {
    if (!fs.exists(path)) return tl::unexpected(base::missing_path(fs, path));
    if (!base::is_directory(fs, path)) {
        TRY_ASSIGN(const bool is_stored, is_database(fs, path));
        const bool is_named = path.ends_with(queries.ending);
        ProfileFiles out;
        (is_stored || is_named ? out.database : out.trace) = path;
        return out;
    }
    const base::Path inner = base::join(path, kOutputFolder);
    if (base::is_directory(fs, inner)) return of_output(fs, inner, path, queries, needs_trace);
    TRY_ASSIGN(const auto entries, fs.list(path));
    if (has_parts(fs, path, entries, queries)) return of_output(fs, path, {}, queries, needs_trace);
    if (ends_as(base::file_name(path), kFolderEnds))
        return base::fail(base::ErrorKind::bad_input,
                          "the profile is not parsed, as ASCEND_PROFILER_OUTPUT is missing in it: run "
                          "torch_npu.profiler.profiler.analyse on this folder",
                          path);
    return only_profile_in(fs, path, entries, queries);
}

base::Result<std::vector<base::Path>> find_rank_folders(base::FileSystem& fs, const base::Path& path,
                                                        const ProfileQueries& queries) {
    std::vector<base::Path> out, open{path};
    for (std::size_t seen = 0; !open.empty() && seen < kMostFolders; ++seen) {
        const base::Path folder = open.back();
        open.pop_back();
        TRY_ASSIGN(const auto entries, fs.list(folder));
        if (has_parts(fs, folder, entries, queries)) {
            out.push_back(folder);
            continue;
        }
        for (const base::DirectoryEntry& entry : entries) {
            if (entry.kind == base::FileKind::directory) open.push_back(base::join(folder, entry.name));
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace migrator
