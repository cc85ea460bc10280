// RawZip: a zip archive of which every field can be wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/ckpt_convert/formats/format_test_support.h"

namespace test {

struct RawZipMember {
    std::string name;
    std::string content;
    std::uint16_t flags = 0x0800;
    std::uint16_t method = 0;
    std::optional<std::string> local_name = {};
    std::optional<std::uint16_t> local_flags = {};
    std::uint16_t local_method = 0;
    std::optional<std::uint64_t> stored = {};  // the compressed size in the directory
    std::optional<std::uint64_t> size = {};
    std::optional<std::uint64_t> header_offset = {};
    std::string extra = {};  // in the directory
    std::string local_extra = {};
    std::uint16_t disk = 0;
    bool descriptor = false;  // as PyTorch: sizes and checksum behind the data
};

struct RawZip {
    std::vector<RawZipMember> members;
    std::optional<std::uint64_t> entries = {};
    std::optional<std::uint64_t> directory_bytes = {};
    std::optional<std::uint64_t> directory_offset = {};
    std::string comment = {};
    std::uint16_t disk = 0;
    bool zip64 = false;
    std::uint64_t zip64_size = 44;
    std::uint64_t locator_shift = 0;
    std::uint32_t disks = 1;
    std::optional<std::uint64_t> plain_entries = {};  // in the end record, when zip64
    std::string behind_directory = {};
    std::string directory_rest = {};

    std::string bytes() const {
        std::string out, directory;
        for (const RawZipMember& member : members) {
            std::uint64_t header = member.header_offset.value_or(out.size());
            std::uint32_t crc = ckpt::crc32(base::as_bytes(member.content));
            std::uint64_t bytes = member.content.size();
            const std::string& name = member.local_name.value_or(member.name);
            std::string sizes = little_endian(crc, 4) + little_endian(bytes, 4) + little_endian(bytes, 4);
            auto local_flags =
                static_cast<std::uint16_t>(member.local_flags.value_or(member.flags) | (member.descriptor ? 8 : 0));
            out += "PK\x03\x04" + little_endian(0, 2) + little_endian(local_flags, 2) +
                   little_endian(member.local_method, 2) + little_endian(0, 4);
            out += (member.descriptor ? std::string(12, '\0') : sizes) + little_endian(name.size(), 2) +
                   little_endian(member.local_extra.size(), 2);
            out += name + member.local_extra + member.content;
            if (member.descriptor) out += "PK\x07\x08" + sizes;
            directory += "PK\x01\x02" + little_endian(0, 4) + little_endian(member.flags, 2) +
                         little_endian(member.method, 2) + little_endian(0, 4);
            directory += little_endian(crc, 4) + little_endian(member.stored.value_or(bytes), 4) +
                         little_endian(member.size.value_or(bytes), 4);
            directory += little_endian(member.name.size(), 2) + little_endian(member.extra.size(), 2) +
                         little_endian(0, 2) + little_endian(member.disk, 2);
            directory += little_endian(0, 6) + little_endian(header, 4) + member.name + member.extra;
        }
        directory += directory_rest;
        std::uint64_t count = entries.value_or(members.size());
        std::uint64_t offset = directory_offset.value_or(out.size());
        std::uint64_t size = directory_bytes.value_or(directory.size());
        out += directory + behind_directory;
        if (zip64) {
            std::uint64_t at = out.size();
            out += "PK\x06\x06" + little_endian(zip64_size, 8) + little_endian(45, 2) + little_endian(45, 2) +
                   little_endian(0, 8);
            out +=
                little_endian(count, 8) + little_endian(count, 8) + little_endian(size, 8) + little_endian(offset, 8);
            out += "PK\x06\x07" + little_endian(0, 4) + little_endian(at + locator_shift, 8) + little_endian(disks, 4);
        }
        std::uint64_t plain = plain_entries.value_or(count);
        out += "PK\x05\x06" + little_endian(disk, 2) + little_endian(disk, 2) + little_endian(plain, 2) +
               little_endian(plain, 2);
        return out + little_endian(size, 4) + little_endian(offset, 4) + little_endian(comment.size(), 2) + comment;
    }
};

}  // namespace test
