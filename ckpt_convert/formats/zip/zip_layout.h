// ZipLayout: where every byte of a stored zip archive will be, known before a payload byte is written.
//
//   local header + padding | payload (64-byte aligned) | ... | central directory | zip64 end | end
//
// Sizes are known from the start and checksums at the end, so headers are written last, into the gaps left for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"

namespace ckpt {

// A piece of the file other than payload.
struct FileChunk {
    std::uint64_t offset = 0;
    std::string data;
};

class ZipLayout {
public:
    // Adds a member behind the last one; returns the offset of its payload. Names are unique, not empty and shorter
    // than 65535 bytes, the archive below 2^63 bytes (CHECKed but for the uniqueness).
    std::uint64_t add(std::string_view name, std::uint64_t bytes);

    void reserve(std::size_t members) { members_.reserve(members); }

    std::size_t member_count() const { return members_.size(); }
    std::uint64_t payload_offset(std::size_t member) const { return members_[member].payload_offset; }
    // Size of the whole archive, directory included.
    std::uint64_t file_bytes() const;
    // Local headers and directory, given the CRC-32 of each member's payload in the order added.
    std::vector<FileChunk> headers(const std::vector<std::uint32_t>& crc32) const;

private:
    struct Member {
        std::uint64_t header_offset = 0;
        std::uint64_t payload_offset = 0;
        std::uint64_t bytes = 0;
        std::uint64_t name_end = 0;  // in `names_`, where the next one's begins
    };
    std::string_view name_of(std::size_t member) const;
    std::string local_header(std::size_t number, std::uint32_t crc32) const;
    std::string directory_header(std::size_t number, std::uint32_t crc32) const;
    std::string end_records() const;

    std::vector<Member> members_;
    std::string names_;                  // of the members, one behind the other
    std::uint64_t end_ = 0;              // of the last payload; the directory begins here
    std::uint64_t directory_bytes_ = 0;  // without the end records
};

}  // namespace ckpt
