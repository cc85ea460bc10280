// The fixed parts of zip records that the reader and the writer share (names as in PKWARE's APPNOTE).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace base::zip {

inline constexpr std::uint32_t kLocalHeader = 0x04034b50;
inline constexpr std::uint32_t kDirectoryHeader = 0x02014b50;
inline constexpr std::uint32_t kZip64End = 0x06064b50;
inline constexpr std::uint32_t kZip64Locator = 0x07064b50;
inline constexpr std::uint32_t kEnd = 0x06054b50;

inline constexpr std::uint64_t kLocalHeaderBytes = 30;
inline constexpr std::uint64_t kDirectoryHeaderBytes = 46;
inline constexpr std::uint64_t kZip64EndBytes = 56;
inline constexpr std::uint64_t kZip64LocatorBytes = 20;
inline constexpr std::uint64_t kEndBytes = 22;

// A field with this value has its real one in a zip64 record.
inline constexpr std::uint16_t kSaturated16 = 0xFFFF;
inline constexpr std::uint32_t kSaturated32 = 0xFFFFFFFF;

inline constexpr std::uint16_t kFlagEncrypted = 1u << 0;
inline constexpr std::uint16_t kFlagMaskedHeaders = 1u << 13;
inline constexpr std::uint16_t kFlagUtf8 = 1u << 11;

inline constexpr std::uint16_t kVersionPlain = 20;  // 2.0: no zip64 records
inline constexpr std::uint16_t kStored = 0;
// 1980-01-01 00:00, the earliest date there is: equal input gives equal bytes.
inline constexpr std::uint16_t kTime = 0;
inline constexpr std::uint16_t kDate = 0x0021;

inline constexpr std::uint16_t kExtraZip64 = 0x0001;
inline constexpr std::uint16_t kExtraPadding = 0x4246;  // "FB", as PyTorch pads

// Little-endian fields one after the other.
class Fields {
public:
    Fields& u16(std::uint64_t value) { return put(value, 2); }
    Fields& u32(std::uint64_t value) { return put(value, 4); }
    Fields& u64(std::uint64_t value) { return put(value, 8); }
    Fields& text(std::string_view text) {
        out_ += text;
        return *this;
    }
    // The value if it fits, else the mark that it is in the zip64 record.
    Fields& u16_or_saturated(std::uint64_t value) { return u16(std::min<std::uint64_t>(value, kSaturated16)); }
    Fields& u32_or_saturated(std::uint64_t value) { return u32(std::min<std::uint64_t>(value, kSaturated32)); }
    std::string take() && { return std::move(out_); }

private:
    Fields& put(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) out_ += static_cast<char>(value >> (8 * i) & 0xFF);
        return *this;
    }
    std::string out_;
};

}  // namespace base::zip
