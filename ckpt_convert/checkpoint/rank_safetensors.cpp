#include "ckpt_convert/checkpoint/rank_safetensors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/number_text.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"

namespace ckpt {
namespace {

constexpr std::string_view kFront = "model-rank-", kPart = "-part-", kEnd = ".safetensors", kRank = "rank_";

using RankAndPart = std::pair<std::uint64_t, std::uint64_t>;

std::optional<RankAndPart> rank_and_part(std::string_view file) {
    if (!file.starts_with(kFront) || !file.ends_with(kEnd)) return std::nullopt;
    file.remove_prefix(kFront.size());
    file.remove_suffix(kEnd.size());
    const std::size_t middle = file.find(kPart);
    if (middle == file.npos) return std::nullopt;
    const auto rank = base::number_in<std::uint64_t>(file.substr(0, middle));
    const auto part = base::number_in<std::uint64_t>(file.substr(middle + kPart.size()));
    if (!rank || !part) return std::nullopt;
    return RankAndPart{*rank, *part};
}

// By rank and part: each rank has a first part, and each part but the first one before it.
Status check_parts(const std::map<RankAndPart, std::string>& files, const Path& directory) {
    RankAndPart wanted{0, 0};
    for (const auto& [found, name] : files) {
        if (found.first == wanted.first + 1 && found.second == 0 && wanted.second > 0) wanted = found;
        if (found != wanted)
            return base::fail(ErrorKind::bad_input,
                              base::format("the file {}{}{}{}{} is missing; is the copy complete?", kFront,
                                           wanted.first, kPart, wanted.second, kEnd),
                              directory);
        ++wanted.second;
    }
    return {};
}

}  // namespace

bool is_rank_safetensors(std::string_view file) { return rank_and_part(file).has_value(); }

std::string rank_front(std::uint64_t rank) { return base::format("{}{}/", kRank, rank); }

std::string_view without_rank(std::string_view name) {
    const std::size_t slash = name.find('/');
    return name.starts_with(kRank) && slash != name.npos ? name.substr(slash + 1) : name;
}

std::uint64_t ranks_in(const TensorIndex& index) {
    std::set<std::string_view> fronts;
    for (const IndexedTensor& tensor : index.tensors) {
        const std::string_view name = tensor.name;
        fronts.insert(name.substr(0, name.find('/')));
    }
    return fronts.size();
}

Result<ShardedCheckpoint> open_rank_safetensors(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(const auto entries, fs.list(directory));
    std::map<RankAndPart, std::string> files;
    for (const auto& entry : entries) {
        if (const auto name = rank_and_part(entry.name)) files.emplace(*name, entry.name);
    }
    TRY(check_parts(files, directory));
    ShardedCheckpoint out;
    out.format = "safetensors of tensor-parallel ranks";
    out.directory = directory;
    out.ranks = files.rbegin()->first.first + 1;
    std::set<std::string> names;
    for (const auto& [place, name] : files) {
        const Path path = base::join(directory, name);
        TRY_ASSIGN(const auto file, fs.open(path));
        TRY(reject_placeholder(*file));
        TRY_ASSIGN(const SafetensorsHeader header, read_safetensors_header(*file));
        for (const SafetensorsEntry& entry : header.entries) {
            std::string fqn = rank_front(place.first) + entry.name;
            if (!names.insert(fqn).second)
                return base::fail(ErrorKind::bad_input, base::format("{} is in two files of the same rank", entry.name),
                                  path);
            TorchDistTensor tensor{fqn, entry.dtype, entry.shape, {}, {fqn}};
            tensor.chunks.push_back({Shape(entry.shape.size(), 0), entry.shape,
                                     static_cast<std::uint32_t>(out.content.files.size()), entry.offset,
                                     row_major_strides(entry.shape)});
            out.content.tensors.push_back(std::move(tensor));
        }
        out.content.files.push_back(name);
    }
    return out;
}

}  // namespace ckpt
