#include "base/byte_reader.h"

#include <cstring>

#include "base/format.h"

namespace base {

Result<ByteSpan> ByteReader::take(std::size_t count) {
    if (count > remaining()) {
        return error(base::format("the data ends {} bytes early: {} bytes are needed here, {} are left",
                                  count - remaining(), count, remaining()));
    }
    ByteSpan taken = bytes_.subspan(position_, count);
    position_ += count;
    return taken;
}

Result<std::string_view> ByteReader::take_text(std::size_t count) {
    TRY_ASSIGN(ByteSpan bytes, take(count));
    return as_text(bytes);
}

Result<std::string_view> ByteReader::take_until(char terminator) {
    std::string_view rest = as_text(bytes_.subspan(position_));
    std::size_t end = rest.find(terminator);
    if (end == std::string_view::npos) return error("a text field has no end");
    position_ += end + 1;
    return rest.substr(0, end);
}

Status ByteReader::skip(std::size_t count) {
    TRY(take(count));
    return {};
}

template <class T>
Result<T> ByteReader::little_endian() {
    TRY_ASSIGN(ByteSpan bytes, take(sizeof(T)));
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value = static_cast<T>(value | (static_cast<T>(std::to_integer<T>(bytes[i])) << (8 * i)));
    }
    return value;
}

Result<std::uint8_t> ByteReader::u8() { return little_endian<std::uint8_t>(); }
Result<std::uint16_t> ByteReader::u16() { return little_endian<std::uint16_t>(); }
Result<std::uint32_t> ByteReader::u32() { return little_endian<std::uint32_t>(); }
Result<std::uint64_t> ByteReader::u64() { return little_endian<std::uint64_t>(); }

std::string ByteReader::where() const { return base::format("{}: byte {}", name_, base_offset_ + position_); }

tl::unexpected<Error> ByteReader::error(std::string message) const {
    return fail(ErrorKind::bad_input, std::move(message), where());
}

}  // namespace base
