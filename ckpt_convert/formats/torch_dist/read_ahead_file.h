// ReadAheadFile: a file read in many small pieces at two places, the start and the end of a torch_dist item.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "ckpt_convert/base_names.h"

namespace ckpt {

// Keeps what was read last, with some bytes more: the items of a file lie behind each other, so that the end of one is
// read with the start of the next, and small items many at a time. Unlike other files not thread-safe.
class ReadAheadFile : public base::ReadableFile {
public:
    explicit ReadAheadFile(base::ReadableFile& file) : file_(file) {}

    std::uint64_t size() const override { return file_.size(); }
    const Path& path() const override { return file_.path(); }
    Status read_at(std::uint64_t offset, base::MutableByteSpan out) override;
    void drop_cache(std::uint64_t offset, std::uint64_t bytes) override { file_.drop_cache(offset, bytes); }

private:
    struct Block {
        std::uint64_t offset = 0;
        std::string data;
    };

    base::ReadableFile& file_;
    std::array<Block, 2> blocks_;
    std::size_t newest_ = 0;
};

}  // namespace ckpt
