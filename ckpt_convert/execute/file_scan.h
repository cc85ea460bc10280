// Reads a file once from its beginning to its end for everybody who wants a part of it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ckpt_convert/base_names.h"

namespace ckpt {

// Who wants the bytes from `begin` to `end`, in order. Parts end at multiples of kScanBytes, or with the range.
struct ScanRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::function<void(base::ByteSpan)> take;
};

inline constexpr std::uint64_t kScanBytes = 1ull << 20;

// Ranges may overlap and lie in the file. `progress` is told of every byte of the file.
Status scan_file(base::ReadableFile& file, std::vector<ScanRange> ranges,
                 const std::function<void(std::uint64_t bytes)>& progress);

}  // namespace ckpt
