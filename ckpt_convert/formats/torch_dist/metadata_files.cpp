#include "ckpt_convert/formats/torch_dist/metadata_files.h"

#include <algorithm>
#include <utility>

#include "ckpt_convert/formats/lfs_pointer.h"

namespace ckpt {
namespace {

Result<DistMetadataText> read_metadata_text(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(std::string text, base::read_file(fs, path, kMaxTorchPickleBytes));
    TRY(refuse_lfs_pointer(text, path));
    return DistMetadataText{path, std::move(text)};
}

Result<std::vector<DistMetadataText>> rank_metadata(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(auto entries, fs.list(directory));
    std::vector<DistMetadataText> out;
    std::uint64_t bytes = 0;
    for (const auto& entry : entries) {
        if (!is_rank_metadata(entry.name)) continue;
        TRY_ASSIGN(DistMetadataText file, read_metadata_text(fs, base::join(directory, entry.name)));
        bytes += file.text.size();
        if (bytes > kMaxTorchPickleBytes)
            return base::fail(ErrorKind::unsupported, "the ranks' metadata are larger than can be read", file.path);
        out.push_back(std::move(file));
    }
    if (!out.empty()) return out;
    return base::fail(ErrorKind::bad_input,
                      "the file is missing, and with it the list of tensors, which saving writes last",
                      base::join(directory, kDistMetadataFile));
}

}  // namespace

bool is_rank_metadata(std::string_view file) {
    constexpr std::string_view kFront = "__", kEnd = ".metadata";
    if (!file.starts_with(kFront) || !file.ends_with(kEnd) || file.size() <= kFront.size() + kEnd.size()) return false;
    file.remove_prefix(kFront.size());
    file.remove_suffix(kEnd.size());
    return std::all_of(file.begin(), file.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<DistMetadata> read_dist_metadata(base::FileSystem& fs, const Path& directory, const TorchDistOptions& options) {
    const Path path = base::join(directory, kDistMetadataFile);
    if (!fs.exists(path)) {
        TRY_ASSIGN(const auto files, rank_metadata(fs, directory));
        return parse_rank_metadata(files, options);
    }
    TRY_ASSIGN(const DistMetadataText file, read_metadata_text(fs, path));
    return parse_dist_metadata(file.text, path, options);
}

}  // namespace ckpt
