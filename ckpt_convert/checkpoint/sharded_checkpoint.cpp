#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "base/format.h"
#include "ckpt_convert/checkpoint/dcp_safetensors.h"
#include "ckpt_convert/checkpoint/dtensor_ranks.h"
#include "ckpt_convert/checkpoint/full_state.h"
#include "ckpt_convert/checkpoint/mindspore_checkpoint.h"
#include "ckpt_convert/checkpoint/pipeline_layers.h"
#include "ckpt_convert/checkpoint/rank_safetensors.h"
#include "ckpt_convert/checkpoint/zero_checkpoint.h"
#include "ckpt_convert/formats/torch_dist/metadata_files.h"

namespace ckpt {
namespace {

using Entries = std::vector<base::DirectoryEntry>;

bool has_file(const Entries& entries, bool (*fits)(std::string_view)) {
    return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return fits(entry.name); });
}

// Megatron's torch_dist has the same files, and one more that says so.
bool is_dcp_file(std::string_view name) { return name == kDistMetadataFile || is_rank_metadata(name); }
bool is_megatron_file(std::string_view name) { return name == "metadata.json" || name == "common.pt"; }

// "__3_0.distcp" -> 3
std::optional<std::uint64_t> writer_of(std::string_view file) {
    if (!file.starts_with("__")) return std::nullopt;
    file.remove_prefix(2);
    std::uint64_t rank = 0;
    const auto [end, code] = std::from_chars(file.data(), file.data() + file.size(), rank);
    if (code != std::errc() || end == file.data() + file.size() || *end != '_') return std::nullopt;
    return rank;
}

Result<ShardedCheckpoint> open_dcp(base::FileSystem& fs, const Path& directory) {
    ShardedCheckpoint out;
    out.format = "torch.distributed.checkpoint";
    out.directory = directory;
    TRY_ASSIGN(out.content, read_dcp(fs, directory));
    std::set<std::uint64_t> ranks;
    for (const std::string& file : out.content.files) {
        if (const auto rank = writer_of(file)) ranks.insert(*rank);
    }
    out.ranks = ranks.size();
    return out;
}

// A format by the names of its files.
struct ShardedFormat {
    bool (*is_file)(std::string_view name);
    bool (*is_of_another)(std::string_view name);
    Result<ShardedCheckpoint> (*open)(base::FileSystem& fs, const Path& directory);
};
bool is_of_no_other(std::string_view) { return false; }
bool is_hf_index(std::string_view name) { return name == "model.safetensors.index.json"; }

constexpr ShardedFormat kFormats[] = {
    {is_dcp_file, is_megatron_file, open_dcp},
    {is_dcp_safetensors, is_of_no_other, open_dcp_safetensors},
    {is_dtensor_file, is_of_no_other, open_dtensor_ranks},
    {is_pipeline_layer, is_of_no_other, open_pipeline_layers},
    {is_zero_file, is_of_no_other, open_zero_checkpoint},
    {is_full_state, is_of_no_other, open_full_state},
    {is_name_map, is_hf_index, open_mindspore},
    {is_rank_safetensors, is_of_no_other, open_rank_safetensors},
};

const ShardedFormat* format_of(base::FileSystem& fs, const Path& directory) {
    const auto entries = fs.list(directory);
    if (!entries) return nullptr;
    for (const ShardedFormat& format : kFormats) {
        if (has_file(*entries, format.is_file) && !has_file(*entries, format.is_of_another)) return &format;
    }
    return nullptr;
}

}  // namespace

bool is_sharded_checkpoint(base::FileSystem& fs, const Path& directory) { return format_of(fs, directory) != nullptr; }

Result<ShardedCheckpoint> open_sharded_checkpoint(base::FileSystem& fs, const Path& directory) {
    const ShardedFormat* format = format_of(fs, directory);
    if (format != nullptr) return format->open(fs, directory);
    return base::fail(ErrorKind::bad_input, "no checkpoint here that ranks wrote in shards", directory);
}

Result<std::vector<std::shared_ptr<base::ReadableFile>>> open_files(base::FileSystem& fs, const Path& directory,
                                                                    const TorchDistIndex& content) {
    std::vector<std::shared_ptr<base::ReadableFile>> out;
    for (const std::string& file : content.files) {
        TRY_ASSIGN(std::shared_ptr<base::ReadableFile> opened, fs.open(base::join(directory, file)));
        out.push_back(std::move(opened));
    }
    return out;
}

void add_parts(TensorIndex& index, const TorchDistTensor& tensor, const Shared<std::string>& name,
               SharedPool<Shape>& shapes) {
    if (tensor.flat.vector) {
        IndexedTensor whole;
        whole.name = name;
        whole.dtype = tensor.dtype;
        whole.shape = shapes(tensor.shape);
        const std::uint64_t elements = *checked_elements(tensor.shape);
        const FlatRun first = elements > 0 ? tensor.flat.vector->run(tensor.flat.first, elements, 0, 1) : FlatRun();
        whole.file = first.file;
        whole.offset = first.offset;
        whole.strides = shapes(row_major_strides(tensor.shape));
        whole.contiguous = false;
        whole.flat = tensor.flat;
        index.tensors.push_back(std::move(whole));
        return;
    }
    for (const TorchDistChunk& chunk : tensor.chunks) {
        IndexedTensor part{name,
                           tensor.dtype,
                           shapes(chunk.sizes),
                           chunk.file,
                           chunk.file_offset,
                           shapes(chunk.strides),
                           chunk.contiguous};
        if (chunk.sizes != tensor.shape) {
            part.part_offset = shapes(chunk.offsets);
            part.whole_shape = shapes(tensor.shape);
        }
        index.tensors.push_back(std::move(part));
    }
}

}  // namespace ckpt
