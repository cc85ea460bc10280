// The directory of a zip archive: what is read lies in the file, and an archive of the same members is read back.
#include <algorithm>
#include <set>

#include "base/zip_reader.h"
#include "ckpt_convert/formats/zip/zip_layout.h"
#include "tests/fuzz/support/fuzz.h"

namespace {

constexpr std::uint64_t kMostBytes = 1 << 20;

void check_places(std::vector<base::ZipMember> members, std::uint64_t file_bytes) {
    std::set<std::string> names;
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
    std::uint64_t end = 0;
    for (const base::ZipMember& member : members) {
        fuzz::require(names.insert(member.name).second, "names are unique");
        fuzz::require(member.offset >= end, "members do not overlap");
        fuzz::require(member.offset <= file_bytes && member.bytes <= file_bytes - member.offset, "members lie inside");
        end = member.offset + member.bytes;
    }
}

// The archive that our writer makes of members of these names and sizes, without payload.
void check_written(const std::vector<base::ZipMember>& members) {
    ckpt::ZipLayout layout;
    std::vector<std::uint32_t> sums;
    for (const base::ZipMember& member : members) {
        layout.add(member.name, member.bytes);
        sums.push_back(member.crc32);
    }
    std::string archive(layout.file_bytes(), '\0');
    for (const ckpt::FileChunk& chunk : layout.headers(sums)) {
        fuzz::require(chunk.offset + chunk.data.size() <= archive.size(), "headers lie inside");
        archive.replace(chunk.offset, chunk.data.size(), chunk.data);
    }
    const auto again = base::read_zip_directory(*fuzz::file_of(archive));
    fuzz::require(again.has_value(), "what the writer makes is read");
    fuzz::require(again->size() == members.size(), "every member is read back");
    for (std::size_t i = 0; i < members.size(); ++i) {
        const base::ZipMember& member = (*again)[i];
        fuzz::require(
            member.name == members[i].name && member.bytes == members[i].bytes && member.crc32 == members[i].crc32,
            "a member is read back as it was written");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto members = base::read_zip_directory(*fuzz::file_of(fuzz::text_of(data, size)));
    if (!members) return 0;
    check_places(*members, size);
    if (!members->empty() && size < kMostBytes) check_written(*members);
    return 0;
}
