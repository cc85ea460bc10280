#include "ckpt_convert/execute/checksums.h"

#include <algorithm>
#include <unordered_map>

#include "base/format.h"
#include "base/parallel.h"
#include "ckpt_convert/formats/torch_dist/dist_backend.h"
#include "ckpt_convert/formats/torch_dist/dist_metadata.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "ckpt_convert/formats/zip/zip_reader.h"

namespace ckpt {
namespace {

using base::Result;
using base::Status;

constexpr std::uint64_t kBlockBytes = 1ull << 20;
constexpr std::uint64_t kMaxMetadataBytes = 1ull << 30;

// A zip archive, or the part of a file that is one.
struct Archive {
    base::ReadableFile* file = nullptr;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
};

Status check_member(base::ReadableFile& file, const ZipMember& member, std::vector<std::byte>& block) {
    std::uint32_t sum = 0;
    for (std::uint64_t at = 0; at < member.bytes; at += kBlockBytes) {
        block.resize(std::min(kBlockBytes, member.bytes - at));
        TRY(file.read_at(member.offset + at, block));
        sum = crc32(block, sum);
    }
    if (sum == member.crc32 || member.crc32 == 0) return {};
    return base::fail(base::ErrorKind::bad_input,
                      base::format("the record {} is damaged: its checksum is {:08x}, and {:08x} was stored with it",
                                   member.name, sum, member.crc32),
                      file.path());
}

Status check_archive(const Archive& archive, const std::function<void(std::uint64_t)>& progress) {
    TRY_ASSIGN(auto members, read_zip_directory(*archive.file, archive.begin, archive.bytes));
    std::vector<std::byte> block;
    for (const ZipMember& member : members) {
        TRY(check_member(*archive.file, member, block));
        progress(member.bytes);
    }
    return {};
}

Result<std::vector<Archive>> dist_items(base::FileSystem& fs, const base::Path& directory, const TensorIndex& index) {
    base::Path path = base::join(directory, ".metadata");
    TRY_ASSIGN(std::string text, base::read_file(fs, path, kMaxMetadataBytes));
    TRY_ASSIGN(DistMetadata metadata, parse_dist_metadata(text, path, {}));
    std::unordered_map<std::string_view, base::ReadableFile*> files;
    for (const auto& file : index.files) files.emplace(file->path(), file.get());
    std::vector<Archive> out;
    for (const DistItem& item : metadata.items) {
        const std::string& name = metadata.index.files[metadata.index.tensors[item.tensor].chunks[item.chunk].file];
        auto file = files.find(base::join(directory, name));
        if (file != files.end()) out.push_back({file->second, item.offset, item.bytes});
    }
    return out;
}

Result<std::vector<Archive>> archives_of(base::FileSystem& fs, const base::Path& directory, const TensorIndex& index) {
    if (fs.exists(base::join(directory, std::string(kDistBackendFile)))) return dist_items(fs, directory, index);
    std::vector<Archive> out;
    for (const auto& file : index.files) {
        char start[2] = {};
        if (file->size() < sizeof(start)) continue;
        TRY(file->read_at(0, std::as_writable_bytes(std::span(start))));
        if (start[0] == 'P' && start[1] == 'K') out.push_back({file.get(), 0, file->size()});
    }
    return out;
}

}  // namespace

Status verify_checksums(base::FileSystem& fs, const base::Path& directory, const TensorIndex& index, int threads,
                        const std::function<void(std::uint64_t bytes)>& progress) {
    TRY_ASSIGN(auto archives, archives_of(fs, directory, index));
    return base::parallel_for(archives.size(), threads,
                              [&](std::size_t i) { return check_archive(archives[i], progress); });
}

}  // namespace ckpt
