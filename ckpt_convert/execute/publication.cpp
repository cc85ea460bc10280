#include "ckpt_convert/execute/publication.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

// The entry has its place already, and not another file of that name.
Result<bool> is_published(base::FileSystem& fs, const Path& directory, const PublishedEntry& entry) {
    const Path path = base::join(directory, entry.name);
    TRY_ASSIGN(const bool is_there, base::is_there(fs, path));
    if (!is_there) return false;
    TRY_ASSIGN(const base::FileInfo info, fs.link_info(path));
    return info.inode == entry.inode;
}

tl::unexpected<base::Error> changed(const Path& path) {
    return base::fail(ErrorKind::write_failed,
                      "the file has changed since it was written: something else writes to the output directory; "
                      "nothing was published",
                      path);
}

}  // namespace

Result<std::vector<PublishedEntry>> entries_to_publish(base::FileSystem& fs, const Path& staging,
                                                       const std::vector<std::string>& last) {
    TRY_ASSIGN(const auto found, fs.list(staging));
    std::vector<PublishedEntry> out;
    for (const auto& entry : found) {
        TRY_ASSIGN(const base::FileInfo info, fs.link_info(base::join(staging, entry.name)));
        out.push_back({entry.name, info.inode});
    }
    const auto order = [&](const PublishedEntry& entry) {
        const auto at = std::find(last.begin(), last.end(), entry.name);
        return at == last.end() ? 0 : at - last.begin() + 1;
    };
    std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
    return out;
}

Status PublishedEntry::check(const base::JsonPlace& at) const {
    if (base::stays_below(name) && name.find('/') == name.npos) return {};
    return at.error("\"name\" is not a name of a file in the output directory");
}

std::string to_line(const std::vector<PublishedEntry>& entries) {
    base::JsonWriter json(0);
    base::InJson<std::vector<PublishedEntry>>::write(json, entries);
    return std::move(json).take();
}

Result<std::vector<PublishedEntry>> entries_of_line(const std::string& line, const Path& journal) {
    TRY_ASSIGN(const JsonDocument document, base::parse_json(line, journal));
    if (document.root.array() == nullptr)
        return base::fail(ErrorKind::bad_input, "no run has written this; remove it", journal);
    return read_note<std::vector<PublishedEntry>>(document);
}

Status publish(base::FileSystem& fs, const Path& staging, const Path& directory,
               const std::vector<PublishedEntry>& entries, const std::vector<std::string>& last) {
    bool synced = false;
    for (const PublishedEntry& entry : entries) {
        TRY_ASSIGN(const bool is_done, is_published(fs, directory, entry));
        if (is_done) continue;
        // What makes the checkpoint visible to its readers must reach the disk after everything else.
        if (!synced && base::contains(last, entry.name)) {
            TRY(fs.sync_directory(staging));
            TRY(fs.sync_directory(directory));
            synced = true;
        }
        TRY(fs.move(base::join(staging, entry.name), base::join(directory, entry.name)));
    }
    return fs.sync_directory(directory);
}

Status take_back(base::FileSystem& fs, const Path& directory, const std::vector<PublishedEntry>& entries) {
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        TRY_ASSIGN(const bool is_ours, is_published(fs, directory, *entry));
        if (is_ours) TRY(base::remove_tree(fs, base::join(directory, entry->name)));
    }
    return {};
}

Status check_files(base::FileSystem& fs, const Path& directory, const std::vector<WrittenFile>& written,
                   const std::vector<PlannedFile>& planned) {
    for (const WrittenFile& file : written) {
        const Path path = base::join(directory, file.path);
        const auto now = fs.link_info(path);
        if (!now || !now->is_same_file(file.info) || now->bytes != file.info.bytes) return changed(path);
    }
    for (const PlannedFile& file : planned) {
        const Path path = base::join(directory, file.path);
        const auto now = fs.link_info(path);
        if (!now || now->kind != FileKind::regular || now->bytes != file.bytes) return changed(path);
    }
    return {};
}

}  // namespace ckpt
