#include "ckpt_convert/formats/zip/zip_layout.h"

#include <algorithm>

#include "base/check.h"
#include "base/checked_math.h"
#include "base/zip_records.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kTorchAlignment = 64;
constexpr std::uint64_t kExtraHeaderBytes = 4;
constexpr std::uint64_t kLocalZip64Bytes = kExtraHeaderBytes + 16;

using base::zip::Fields;
using base::zip::kDate;
using base::zip::kStored;
using base::zip::kTime;
using base::zip::kVersionPlain;

constexpr std::uint16_t kVersionZip64 = 45;

bool needs_zip64(std::uint64_t value) { return value >= base::zip::kSaturated32; }

std::uint64_t zip64_directory_bytes(bool big, bool far) {
    return big || far ? kExtraHeaderBytes + (big ? 16 : 0) + (far ? 8 : 0) : 0;
}

// From the local header to the payload, padding included.
std::uint64_t padding_bytes(std::uint64_t header_offset, std::size_t name_bytes, bool big) {
    std::uint64_t start =
        header_offset + base::zip::kLocalHeaderBytes + name_bytes + (big ? kLocalZip64Bytes : 0) + kExtraHeaderBytes;
    return (kTorchAlignment - start % kTorchAlignment) % kTorchAlignment;
}

}  // namespace

std::uint64_t ZipLayout::add(std::string_view name, std::uint64_t bytes) {
    CHECK(!name.empty() && name.size() < base::zip::kSaturated16);
    bool big = needs_zip64(bytes);
    std::uint64_t padding = padding_bytes(end_, name.size(), big);
    std::uint64_t payload =
        end_ + base::zip::kLocalHeaderBytes + name.size() + (big ? kLocalZip64Bytes : 0) + kExtraHeaderBytes + padding;
    auto end = base::checked_add(payload, bytes);
    // Headers and directory fit easily into what is kept free here.
    CHECK(end.has_value() && *end <= static_cast<std::uint64_t>(INT64_MAX));
    directory_bytes_ += base::zip::kDirectoryHeaderBytes + name.size() + zip64_directory_bytes(big, needs_zip64(end_));
    names_ += name;
    members_.push_back({end_, payload, bytes, names_.size()});
    end_ = *end;
    return payload;
}

std::uint64_t ZipLayout::file_bytes() const {
    return end_ + directory_bytes_ + base::zip::kZip64EndBytes + base::zip::kZip64LocatorBytes + base::zip::kEndBytes;
}

std::string_view ZipLayout::name_of(std::size_t member) const {
    const std::uint64_t begin = member == 0 ? 0 : members_[member - 1].name_end;
    return std::string_view(names_).substr(begin, members_[member].name_end - begin);
}

std::string ZipLayout::local_header(std::size_t number, std::uint32_t crc32) const {
    const Member& member = members_[number];
    const std::string_view name = name_of(number);
    bool big = needs_zip64(member.bytes);
    std::uint64_t padding = padding_bytes(member.header_offset, name.size(), big);
    Fields out;
    out.u32(base::zip::kLocalHeader)
        .u16(big ? kVersionZip64 : kVersionPlain)
        .u16(base::zip::kFlagUtf8)
        .u16(kStored)
        .u16(kTime)
        .u16(kDate);
    out.u32(crc32).u32_or_saturated(member.bytes).u32_or_saturated(member.bytes);
    out.u16(name.size()).u16((big ? kLocalZip64Bytes : 0) + kExtraHeaderBytes + padding).text(name);
    if (big) out.u16(base::zip::kExtraZip64).u16(16).u64(member.bytes).u64(member.bytes);
    out.u16(base::zip::kExtraPadding).u16(padding).text(std::string(padding, 'Z'));
    return std::move(out).take();
}

std::string ZipLayout::directory_header(std::size_t number, std::uint32_t crc32) const {
    const Member& member = members_[number];
    const std::string_view name = name_of(number);
    bool big = needs_zip64(member.bytes);
    bool far = needs_zip64(member.header_offset);
    std::uint16_t version = big || far ? kVersionZip64 : kVersionPlain;
    std::uint64_t extra = zip64_directory_bytes(big, far);
    Fields out;
    // "Made by" has 0 (no Unix permissions) in its upper byte, so that extracted files are readable.
    out.u32(base::zip::kDirectoryHeader)
        .u16(version)
        .u16(version)
        .u16(base::zip::kFlagUtf8)
        .u16(kStored)
        .u16(kTime)
        .u16(kDate);
    out.u32(crc32).u32_or_saturated(member.bytes).u32_or_saturated(member.bytes);
    out.u16(name.size()).u16(extra).u16(0).u16(0).u16(0).u32(0);  // no comment, disk 0, no attributes
    out.u32_or_saturated(member.header_offset).text(name);
    if (extra > 0) out.u16(base::zip::kExtraZip64).u16(extra - kExtraHeaderBytes);
    if (big) out.u64(member.bytes).u64(member.bytes);
    if (far) out.u64(member.header_offset);
    return std::move(out).take();
}

std::string ZipLayout::end_records() const {
    std::uint64_t count = members_.size();
    Fields out;
    // The zip64 end is always there, as in PyTorch's own files: one form for all sizes.
    out.u32(base::zip::kZip64End)
        .u64(base::zip::kZip64EndBytes - 12)
        .u16(kVersionZip64)
        .u16(kVersionZip64)
        .u32(0)
        .u32(0);
    out.u64(count).u64(count).u64(directory_bytes_).u64(end_);
    out.u32(base::zip::kZip64Locator).u32(0).u64(end_ + directory_bytes_).u32(1);
    out.u32(base::zip::kEnd).u16(0).u16(0).u16_or_saturated(count).u16_or_saturated(count);
    out.u32_or_saturated(directory_bytes_).u32_or_saturated(end_).u16(0);
    return std::move(out).take();
}

std::vector<FileChunk> ZipLayout::headers(const std::vector<std::uint32_t>& crc32) const {
    CHECK(crc32.size() == members_.size());
    std::vector<FileChunk> chunks;
    chunks.reserve(members_.size() + 1);
    std::string directory;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        chunks.push_back({members_[i].header_offset, local_header(i, crc32[i])});
        directory += directory_header(i, crc32[i]);
    }
    CHECK(directory.size() == directory_bytes_);
    chunks.push_back({end_, directory + end_records()});
    return chunks;
}

}  // namespace ckpt
