#include "ckpt_convert/formats/torch_dist/read_ahead_file.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace ckpt {
namespace {

constexpr std::uint64_t kReadAheadBytes = 16u << 10;
// Larger reads are not kept: pickles of common states, at most.
constexpr std::uint64_t kMaxKeptBytes = 256u << 10;

}  // namespace

Status ReadAheadFile::read_at(std::uint64_t offset, base::MutableByteSpan out) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const Block& block = blocks_[i];
        if (offset < block.offset || offset - block.offset > block.data.size() ||
            out.size() > block.data.size() - (offset - block.offset)) {
            continue;
        }
        std::memcpy(out.data(), block.data.data() + (offset - block.offset), out.size());
        newest_ = i;
        return {};
    }
    std::uint64_t size = file_.size();
    if (out.size() > kMaxKeptBytes || offset > size || out.size() > size - offset) return file_.read_at(offset, out);

    newest_ = 1 - newest_;
    Block& block = blocks_[newest_];
    block.data.clear();  // not to be believed when the read fails
    std::string data(std::min<std::uint64_t>(out.size() + kReadAheadBytes, size - offset), '\0');
    TRY(file_.read_at(offset, std::as_writable_bytes(std::span(data))));
    std::memcpy(out.data(), data.data(), out.size());
    block.offset = offset;
    block.data = std::move(data);
    return {};
}

}  // namespace ckpt
