#include "ckpt_convert/checkpoint/dcp_safetensors.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/checked_math.h"
#include "base/format.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "ckpt_convert/formats/torch_dist/chunk_checks.h"

namespace ckpt {
namespace {

constexpr std::string_view kShardFront = "shard-", kShardEnd = ".safetensors";
constexpr std::string_view kShardingInfo = "DCP_SHARDING_INFO";

class ShardMerger {
public:
    explicit ShardMerger(Path directory) { out_.directory = std::move(directory); }

    Status add(base::FileSystem& fs, const std::string& name) {
        const Path path = base::join(out_.directory, name);
        TRY_ASSIGN(auto file, fs.open(path));
        TRY(reject_placeholder(*file));
        TRY_ASSIGN(const SafetensorsHeader header, read_safetensors_header(*file));
        TRY_ASSIGN(const JsonDocument info, sharding_info(header, path));
        const auto number = static_cast<std::uint32_t>(out_.content.files.size());
        out_.content.files.push_back(name);
        for (const SafetensorsEntry& entry : header.entries) TRY(add_entry(entry, info, number, path));
        return {};
    }

    Result<ShardedCheckpoint> finish() {
        out_.format = "torch.distributed.checkpoint in safetensors";
        for (TorchDistTensor& tensor : out_.content.tensors) {
            if (checked_elements(tensor.shape) != 0)
                std::erase_if(tensor.chunks, [](const auto& chunk) { return checked_elements(chunk.sizes) == 0; });
            if (const auto problem = tiling_problem(tensor))
                return base::fail(ErrorKind::bad_input,
                                  base::format("{}: {} (its shards reach to {}); is a shard missing?", tensor.fqn,
                                               *problem, to_string(tensor.shape)),
                                  out_.directory);
        }
        return std::move(out_);
    }

private:
    static Result<JsonDocument> sharding_info(const SafetensorsHeader& header, const Path& path) {
        for (const auto& [key, text] : header.metadata) {
            if (key == kShardingInfo) return base::parse_json(text, base::format("{}: {}", path, kShardingInfo));
        }
        return JsonDocument{base::parse_json("{}", path).value()};
    }

    static std::optional<std::vector<std::uint64_t>> saved_offsets(const JsonDocument& info, const std::string& name) {
        const Json* entry = info.root.find(name);
        const Json* list = entry == nullptr ? nullptr : entry->find("saved_offsets");
        if (list == nullptr || list->array() == nullptr) return std::nullopt;
        std::vector<std::uint64_t> out;
        for (const Json& one : *list->array()) {
            if (one.integer() == nullptr || *one.integer() < 0) return std::nullopt;
            out.push_back(static_cast<std::uint64_t>(*one.integer()));
        }
        return out;
    }

    Status add_entry(const SafetensorsEntry& entry, const JsonDocument& info, std::uint32_t file, const Path& path) {
        auto bad = [&](std::string_view what) {
            return base::fail(ErrorKind::bad_input, base::format("{}: {}", entry.name, what), path);
        };
        TorchDistChunk chunk{Shape(entry.shape.size(), 0), entry.shape, file, entry.offset,
                             row_major_strides(entry.shape)};
        if (info.root.find(entry.name) != nullptr) {
            auto offsets = saved_offsets(info, entry.name);
            if (!offsets || offsets->size() != entry.shape.size())
                return bad("its saved_offsets are not one number from 0 for each axis");
            chunk.offsets = std::move(*offsets);
        }
        auto [found, is_new] = numbers_.try_emplace(entry.name, out_.content.tensors.size());
        if (is_new)
            out_.content.tensors.push_back({entry.name, entry.dtype, Shape(entry.shape.size(), 0), {}, {entry.name}});
        TorchDistTensor& tensor = out_.content.tensors[found->second];
        if (tensor.dtype != entry.dtype || tensor.shape.size() != entry.shape.size())
            return bad("other shards of it have another element type, or other axes");
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
            const auto end = base::checked_add(chunk.offsets[axis], chunk.sizes[axis]);
            if (!end) return bad("its shard lies beyond all shapes");
            tensor.shape[axis] = std::max(tensor.shape[axis], *end);
        }
        if (!checked_bytes(tensor.shape, tensor.dtype)) return bad("a tensor as large as its shards say is too large");
        tensor.chunks.push_back(std::move(chunk));
        return {};
    }

    ShardedCheckpoint out_;
    std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace

bool is_dcp_safetensors(std::string_view file) {
    return file.starts_with(kShardFront) && file.ends_with(kShardEnd) && file.find("-model-") != file.npos;
}

Result<ShardedCheckpoint> open_dcp_safetensors(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(auto entries, fs.list(directory));
    ShardMerger merger(directory);
    std::set<std::string_view> ranks;
    for (const auto& entry : entries) {
        if (!is_dcp_safetensors(entry.name)) continue;
        TRY(merger.add(fs, entry.name));
        ranks.insert(std::string_view(entry.name).substr(0, entry.name.find("-model-")));
    }
    TRY_ASSIGN(ShardedCheckpoint out, merger.finish());
    out.ranks = ranks.size();
    return out;
}

}  // namespace ckpt
