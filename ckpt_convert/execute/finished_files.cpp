#include "ckpt_convert/execute/finished_files.h"

#include <algorithm>

#include "base/text.h"
#include "ckpt_convert/execute/file_scan.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {
namespace {

Status remove_others_below(base::FileSystem& fs, const Path& directory, const std::string& prefix,
                           const std::vector<std::string>& kept) {
    TRY_ASSIGN(const auto entries, fs.list(directory));
    for (const base::DirectoryEntry& entry : entries) {
        const Path path = base::join(directory, entry.name);
        const std::string relative = prefix + entry.name;
        const auto inside = std::lower_bound(kept.begin(), kept.end(), relative + "/");
        const bool holds_kept = inside != kept.end() && inside->starts_with(relative + "/");
        if (entry.kind == FileKind::directory && holds_kept) {
            TRY(remove_others_below(fs, path, relative + "/", kept));
        } else if (!std::binary_search(kept.begin(), kept.end(), relative)) {
            TRY(base::remove_tree(fs, path));
        }
    }
    return {};
}

}  // namespace

Status FinishedFile::check(const base::JsonPlace& at) const {
    return base::stays_below(file.path) ? Status() : at.error("\"path\" leads out of the output directory");
}

std::string to_line(const FinishedFile& finished) {
    base::JsonWriter json(0);
    base::InJson<FinishedFile>::write(json, finished);
    return std::move(json).take();
}

Result<FinishedFile> finished_of_line(const std::string& line, const Path& journal) {
    TRY_ASSIGN(const JsonDocument document, base::parse_json(line, journal));
    return read_note<FinishedFile>(document);
}

Result<bool> is_whole(base::FileSystem& fs, const Path& directory, const ManifestFile& file,
                      const std::function<void(std::uint64_t bytes)>& progress) {
    const Path path = base::join(directory, file.path);
    if (!fs.exists(path)) return false;
    TRY_ASSIGN(const base::FileInfo info, fs.link_info(path));
    if (info.kind != FileKind::regular || info.bytes != file.bytes) return false;
    TRY_ASSIGN(const auto opened, fs.open(path));
    std::uint32_t crc = 0;
    ScanRange whole{0, file.bytes, [&](base::ByteSpan bytes) { crc = crc32(bytes, crc); }};
    TRY(scan_file(*opened, {std::move(whole)}, progress));
    return crc == file.crc32.value;
}

Status remove_others(base::FileSystem& fs, const Path& directory, const std::vector<std::string>& kept) {
    return remove_others_below(fs, directory, "", kept);
}

}  // namespace ckpt
