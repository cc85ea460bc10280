// Reads pickles of protocols 0 to 5 into inert values.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "base/result.h"
#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

// Budgets against hostile input; each is checked before the memory is used.
struct Limits {
    std::uint64_t max_opcodes = 200'000'000;
    std::uint64_t max_values = 50'000'000;
    std::uint64_t max_memo = 50'000'000;
    std::uint64_t max_stack = 10'000'000;
    std::uint64_t max_long_bytes = 1024;
};

// Decides whether a pickle may name a global at all. Names it does not accept are an `unsupported` error.
using GlobalFilter = std::function<bool(std::string_view module, std::string_view name)>;

// The globals that PyTorch checkpoints are made of: tensors, storages, dtypes, containers, Namespace, numpy arrays.
bool is_checkpoint_global(std::string_view module, std::string_view name);

// Reads one pickle; `reader` is left behind its STOP, so that several can follow each other.
base::Result<Ref> read(base::ByteReader& reader, Arena& arena, const GlobalFilter& accept = is_checkpoint_global,
                       const Limits& limits = {});

}  // namespace ckpt::pickle
