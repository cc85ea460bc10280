#include "base/publication.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace base {
namespace {

std::int64_t time_of(const FileInfo& info) { return info.kind == FileKind::directory ? 0 : info.modified; }

tl::unexpected<Error> changed_file(const Path& path) {
    return fail(ErrorKind::write_failed,
                "the file has changed since it was written: something else writes to the output directory; "
                "nothing was published",
                path);
}

}  // namespace

Result<std::vector<PublishedEntry>> entries_to_publish(FileSystem& fs, const Path& staging,
                                                       const std::vector<std::string>& last) {
    TRY_ASSIGN(const auto found, fs.list(staging));
    std::vector<PublishedEntry> out;
    for (const auto& entry : found) {
        TRY_ASSIGN(const FileInfo info, fs.link_info(join(staging, entry.name)));
        out.push_back({entry.name, info.inode, time_of(info)});
    }
    const auto order = [&](const PublishedEntry& entry) {
        const auto at = std::find(last.begin(), last.end(), entry.name);
        return at == last.end() ? 0 : at - last.begin() + 1;
    };
    std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
    return out;
}

Status PublishedEntry::check(const JsonPlace& at) const {
    if (stays_below(name)) return {};
    return at.error("\"name\" is not a name of a file in the output directory");
}

std::string to_line(const std::vector<PublishedEntry>& entries) {
    JsonWriter json(0);
    InJson<std::vector<PublishedEntry>>::write(json, entries);
    return std::move(json).take();
}

Result<std::vector<PublishedEntry>> entries_of_line(const std::string& line, const Path& journal) {
    TRY_ASSIGN(const JsonDocument document, parse_json(line, journal));
    if (document.root.array() == nullptr)
        return fail(ErrorKind::bad_input, "no run has written this; remove it", journal);
    // A later version may say more.
    return read_json<std::vector<PublishedEntry>>({document, document.root, {}, ErrorKind::bad_input, true});
}

Result<bool> is_published(FileSystem& fs, const Path& directory, const PublishedEntry& entry) {
    TRY_ASSIGN(const auto now, fs.look(join(directory, entry.name)));
    return now && now->inode == entry.inode;
}

Status publish(FileSystem& fs, const Path& staging, const Path& directory, const std::vector<PublishedEntry>& entries,
               const std::vector<std::string>& last) {
    bool synced = false;
    for (const PublishedEntry& entry : entries) {
        TRY_ASSIGN(const bool is_done, is_published(fs, directory, entry));
        if (is_done) continue;
        // What makes the checkpoint visible to its readers must reach the disk after everything else.
        if (!synced && contains(last, entry.name)) {
            TRY(fs.sync_directory(staging));
            TRY(fs.sync_directory(directory));
            synced = true;
        }
        TRY(fs.move(join(staging, entry.name), join(directory, entry.name)));
    }
    return fs.sync_directory(directory);
}

Status take_back(FileSystem& fs, const Path& directory, const std::vector<PublishedEntry>& entries) {
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        const Path path = join(directory, entry->name);
        TRY_ASSIGN(const auto now, fs.look(path));
        const bool is_ours = now && now->inode == entry->inode;
        // Journals of older versions tell no time.
        const bool is_as_written = is_ours && (entry->modified == 0 || time_of(*now) == entry->modified);
        if (is_as_written) TRY(remove_tree(fs, path));
    }
    return {};
}

Status check_files(FileSystem& fs, const Path& directory, const std::vector<WrittenFile>& written,
                   const std::vector<PlannedFile>& planned) {
    for (const WrittenFile& file : written) {
        const Path path = join(directory, file.path);
        const auto now = fs.link_info(path);
        if (!now || !now->is_same_file(file.info) || now->bytes != file.info.bytes) return changed_file(path);
    }
    for (const PlannedFile& file : planned) {
        const Path path = join(directory, file.path);
        const auto now = fs.link_info(path);
        if (!now || now->kind != FileKind::regular || now->bytes != file.bytes) return changed_file(path);
    }
    return {};
}

}  // namespace base
