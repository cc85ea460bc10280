// RunSums: the checksum of each target's payload, from runs that are written in any order.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ckpt_convert/execute/tile_copier.h"

namespace ckpt {

// Neighbouring runs become one, so that only what is between gaps is kept.
class RunSums {
public:
    explicit RunSums(std::size_t targets) : runs_(targets) {}

    void add(const WrittenRun& run);
    // Of one target of `bytes` bytes, when all its runs have been added. Between them are zeros.
    std::uint32_t sum(std::uint32_t target, std::uint64_t bytes) const;

private:
    struct Run {
        std::uint64_t end = 0;
        std::uint32_t crc32 = 0;
    };
    std::vector<std::map<std::uint64_t, Run>> runs_;  // of each target, by begin
};

}  // namespace ckpt
