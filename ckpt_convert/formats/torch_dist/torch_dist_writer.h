// Plans the files of a checkpoint of torch.distributed.checkpoint, Megatron's torch_dist or a plain one: all sizes and offsets
// are known before a payload byte is written.
//
//   __0_0.distcp     [None] | [common state] | object | ... | item | item | ...
//   __0_N.distcp     item | item | ...
//   .metadata        and of torch_dist: common.pt, metadata.json
//
// An item is a file of torch.save with one tensor; see torch_dist_reader.h for what refers to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/value.h"
#include "ckpt_convert/formats/torch_dist/dist_name.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"
#include "ckpt_convert/formats/zip/zip_layout.h"
#include "ckpt_convert/tensor/dtype.h"
#include "ckpt_convert/tensor/shape.h"
#include "ckpt_convert/tensor/shared.h"

namespace ckpt {

// A chunk of a tensor, to be stored as one item.
struct TorchDistItem {
    DistName name;
    DType dtype = DType::f32;
    SharedShape global_shape;
    SharedShape chunk_offsets;
    SharedShape chunk_sizes;
};

// Any value without tensors: a number, a text, a list. What many entries share is stored once.
struct TorchDistObject {
    using Value = std::function<Result<pickle::Value*>(TorchFilePlan& file)>;

    DistName name;
    std::shared_ptr<const Value> value;
};

// A tensor without axes whose value is known: the step of an optimizer. Equal ones are stored once.
struct TorchDistScalar {
    DistName name;
    float value = 0;
};

struct TorchDistContent {
    std::vector<TorchDistItem> items;  // in the order of the files
    // Names of bytes entries that all stand for None: "decoder.layers.mlp.linear_fc1._extra_state/shard_0_4".
    std::vector<DistName> extra_states;
    std::vector<TorchDistObject> objects;
    std::vector<TorchDistScalar> scalars;
    // Builds the common state, without tensors; called once for each of the two places that it is written to. Empty: this is
    // a plain checkpoint, without Megatron's files and with the keys of each name.
    std::function<Result<pickle::Value*>(TorchFilePlan& file)> common_state;
    // A .distcp file is not made larger than this by a further item; one item may be.
    std::uint64_t max_file_bytes = 0;
};

struct TorchDistFile {
    std::string path;  // relative to the directory of the checkpoint
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> items;    // TorchDistContent::items, in the order of the file; empty for other files
    std::vector<std::uint64_t> offsets;  // of each item's payload, absolute
    // Everything but the payloads, given the CRC-32 of each. Needs nothing of the TorchDistContent any more.
    std::function<std::vector<FileChunk>(const std::vector<std::uint32_t>& crc32)> chunks;
};

// Most items of one .distcp file, which bounds what `chunks` returns to some 20 MB.
inline constexpr std::size_t kMaxTorchDistFileItems = 16384;

// The file that makes the directory a checkpoint, .metadata or metadata.json, is the last. Types that PyTorch lacks are
// `unsupported`; chunks that do not make up their tensors, and names given twice, are `internal`.
Result<std::vector<TorchDistFile>> plan_torch_dist(TorchDistContent content);

}  // namespace ckpt
