// The two containers of torch.save, opened: the value tree and where the storages lie.
#pragma once

#include <cstdint>
#include <memory>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/reader.h"
#include "ckpt_convert/formats/torch_file/storage_table.h"

namespace ckpt {

struct TorchArchive {
    std::unique_ptr<pickle::Arena> arena;
    pickle::Ref root = nullptr;
    StorageTable storages;  // references checked
};

// `begin`, `bytes`: the part of the file that is meant.
Result<TorchArchive> read_torch_zip(base::ReadableFile& file, std::uint64_t begin, std::uint64_t bytes,
                                    const pickle::GlobalFilter& accept);
Result<TorchArchive> read_torch_legacy(base::ReadableFile& file, std::uint64_t begin, std::uint64_t bytes,
                                       const pickle::GlobalFilter& accept);

}  // namespace ckpt
