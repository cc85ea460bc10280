// The fixed parts of zip records that the reader and the writer share (names as in PKWARE's APPNOTE).
#pragma once

#include <cstdint>

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

inline constexpr std::uint16_t kExtraZip64 = 0x0001;
inline constexpr std::uint16_t kExtraPadding = 0x4246;  // "FB", as PyTorch pads

}  // namespace base::zip
