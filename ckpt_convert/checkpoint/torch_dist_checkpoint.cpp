#include "ckpt_convert/checkpoint/torch_dist_checkpoint.h"

#include <algorithm>
#include <cctype>

#include "base/format.h"
#include "ckpt_convert/checkpoint/python_args.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

namespace ckpt {
namespace {

using base::Status;

// What a run saves besides the model.
constexpr std::string_view kNoWeights[] = {"optimizer.", "chained_", "opt_param_scheduler", "rng_state",
                                           "rerun_state_machine"};

bool is_optimizer_state(std::string_view name) {
    return name.starts_with("optimizer.") || name.starts_with("chained_");
}

bool is_weight(std::string_view name) {
    return std::none_of(std::begin(kNoWeights), std::end(kNoWeights),
                        [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// "decoder.layers.mlp.linear_fc2.weight": all layers in one tensor.
bool has_layer_axis(std::string_view name) {
    return name.starts_with(kLayersPrefix) && name.size() > kLayersPrefix.size() &&
           std::isdigit(static_cast<unsigned char>(name[kLayersPrefix.size()])) == 0;
}

IndexedTensor whole_chunk(const TorchDistTensor& tensor, const TorchDistChunk& chunk) {
    IndexedTensor out{"model/" + tensor.fqn, tensor.dtype,  chunk.sizes,     chunk.file,
                      chunk.file_offset,     chunk.strides, chunk.contiguous};
    out.part_offset = chunk.offsets;
    out.whole_shape = tensor.shape;
    return out;
}

// The chunk's part of one layer, without the leading axis.
IndexedTensor layer_of_chunk(const TorchDistTensor& tensor, const TorchDistChunk& chunk, std::uint64_t at) {
    auto rest = [](const auto& values) { return std::vector<std::uint64_t>(values.begin() + 1, values.end()); };
    IndexedTensor out;
    out.name =
        base::format("model/{}{}.{}", kLayersPrefix, chunk.offsets[0] + at, tensor.fqn.substr(kLayersPrefix.size()));
    out.dtype = tensor.dtype;
    out.shape = rest(chunk.sizes);
    out.file = chunk.file;
    out.offset = chunk.file_offset + at * chunk.strides[0] * (bits(tensor.dtype) / 8);
    out.strides = rest(chunk.strides);
    out.contiguous = out.strides == row_major_strides(out.shape);
    out.part_offset = rest(chunk.offsets);
    out.whole_shape = rest(tensor.shape);
    return out;
}

}  // namespace

Status read_torch_dist_weights(base::FileSystem& fs, MegatronCheckpoint& checkpoint) {
    TorchDistOptions options;
    options.wanted = is_weight;
    TRY_ASSIGN(TorchDistIndex found, read_torch_dist(fs, checkpoint.directory, options));
    for (const std::string& file : found.files) {
        TRY_ASSIGN(std::shared_ptr<base::ReadableFile> opened, fs.open(base::join(checkpoint.directory, file)));
        checkpoint.index.files.push_back(std::move(opened));
    }
    for (const TorchDistTensor& tensor : found.tensors) {
        bool layers = has_layer_axis(tensor.fqn) && tensor.shape.size() > 1;
        for (const TorchDistChunk& chunk : tensor.chunks) {
            if (!layers) checkpoint.index.tensors.push_back(whole_chunk(tensor, chunk));
            for (std::uint64_t i = 0; layers && i < chunk.sizes[0]; ++i)
                checkpoint.index.tensors.push_back(layer_of_chunk(tensor, chunk, i));
        }
    }
    TRY_ASSIGN(TorchDistCommonState common, read_torch_dist_common_state(fs, checkpoint.directory, found));
    pickle::Ref args = pickle::find(common.root, "args");
    checkpoint.args = args == nullptr ? base::Json(base::Json::Object{}, 0) : args_to_json(args);
    checkpoint.torch_dist = true;
    checkpoint.has_optimizer = std::any_of(found.skipped.begin(), found.skipped.end(), is_optimizer_state);
    checkpoint.ranks = {MegatronRank{}};
    return {};
}

}  // namespace ckpt
