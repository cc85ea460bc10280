// Reads the directory of a zip archive as PyTorch writes it: stored members only, every range checked.
//
//   local header + name + extra | payload | ... | directory | [zip64 end | zip64 locator] | end + comment
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_system.h"

namespace base {

struct ZipMember {
    std::string name;          // with the archive prefix
    std::uint64_t offset = 0;  // of the payload, absolute in the file
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0;  // 0 may mean "not computed": PyTorch can be told not to
};

// Largest directory read: room for about 900,000 members with the names that PyTorch gives.
inline constexpr std::uint64_t kMaxZipDirectoryBytes = 64u << 20;

// The members in directory order. Refuses, as bad_input: no end record, compressed or encrypted members, duplicate or
// unsafe names, ranges that overlap or leave the file, local headers that disagree with the directory.
// `begin`, `bytes`: the part of the file that is the archive (a torch_dist item lies inside a larger file).
Result<std::vector<ZipMember>> read_zip_directory(ReadableFile& file, std::uint64_t begin, std::uint64_t bytes);
Result<std::vector<ZipMember>> read_zip_directory(ReadableFile& file);

}  // namespace base
