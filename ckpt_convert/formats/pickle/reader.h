// Reads pickles of protocols 0 to 5 into inert values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

// Budgets against hostile input; each is checked before the memory is used.
struct Limits {
    std::uint64_t max_opcodes = 200'000'000;
    std::uint64_t max_values = 20'000'000;  // about 100 bytes each
    std::uint64_t max_memo = 50'000'000;
    std::uint64_t max_stack = 10'000'000;
    std::uint64_t max_long_bytes = 1024;
};

// Longest module or attribute path that a pickle may name.
inline constexpr std::size_t kMaxGlobalNameBytes = 500;

// Decides whether a pickle may name a global at all. Names it does not accept are an `unsupported` error.
using GlobalFilter = std::function<bool(std::string_view module, std::string_view name)>;

// The globals that PyTorch checkpoints are made of: tensors, storages, dtypes, containers, Namespace, numpy arrays.
bool is_checkpoint_global(std::string_view module, std::string_view name);

// Reads one pickle; `reader` is left behind its STOP, so that several can follow each other. Damage is bad_input; what
// is refused on principle (unknown globals, calls of anything but a global, extension codes) is `unsupported`.
// Linear in the pickle's size, without recursion; a value used many times is one value of the arena.
Result<Ref> read(base::ByteReader& reader, Arena& arena, const GlobalFilter& accept = is_checkpoint_global,
                 const Limits& limits = {});

}  // namespace ckpt::pickle
