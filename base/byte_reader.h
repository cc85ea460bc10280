// ByteReader: a bounded cursor over untrusted bytes. Little-endian; every read is checked against the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace base {

using ByteSpan = std::span<const std::byte>;
using MutableByteSpan = std::span<std::byte>;

inline ByteSpan as_bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }
inline std::string_view as_text(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

class ByteReader {
public:
    // `name` is the file (and record) that error messages speak of; `base_offset` is where `bytes` starts in it.
    ByteReader(ByteSpan bytes, std::string name, std::uint64_t base_offset = 0)
        : bytes_(bytes), name_(std::move(name)), base_offset_(base_offset) {}

    std::size_t position() const { return position_; }
    std::size_t remaining() const { return bytes_.size() - position_; }
    bool at_end() const { return remaining() == 0; }

    // Fails with bad_input when fewer than `count` bytes remain. The view lives as long as the bytes do.
    Result<ByteSpan> take(std::size_t count);
    Result<std::string_view> take_text(std::size_t count);
    // The bytes up to, and without, the next `terminator`, which is consumed.
    Result<std::string_view> take_until(char terminator);
    Status skip(std::size_t count);

    Result<std::uint8_t> u8();
    Result<std::uint16_t> u16();
    Result<std::uint32_t> u32();
    Result<std::uint64_t> u64();

    // "file: byte N" for messages.
    std::string where() const;
    tl::unexpected<Error> error(std::string message) const;

private:
    template <class T>
    Result<T> little_endian();

    ByteSpan bytes_;
    std::string name_;
    std::uint64_t base_offset_ = 0;
    std::size_t position_ = 0;
};

}  // namespace base
