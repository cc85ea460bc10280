#include "base/zip_reader.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "base/checked_math.h"
#include "base/format.h"
#include "base/quoted_name.h"
#include "base/utf8.h"
#include "base/zip_records.h"

namespace base {
namespace {

// The end record and the longest comment.
constexpr std::uint64_t kSearchBytes = zip::kEndBytes + 65535;

// Where the directory is, relative to the archive's start.
struct DirectoryPlace {
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;
    std::uint64_t end_record = 0;  // position of the first end record, zip64 or plain
};

struct ZipEntry {
    ZipMember member;  // the payload's offset is not known yet
    std::uint64_t header_offset = 0;
};

class DirectoryReader {
public:
    DirectoryReader(ReadableFile& file, std::uint64_t begin, std::uint64_t bytes)
        : file_(file), begin_(begin), bytes_(bytes) {}

    Result<std::vector<ZipMember>> read() {
        TRY_ASSIGN(std::uint64_t end_at, find_end());
        TRY_ASSIGN(DirectoryPlace place, read_end(end_at));
        TRY_ASSIGN(std::vector<ZipEntry> entries, read_directory(place));
        TRY(locate_payloads(entries, place));
        TRY(check_overlaps(entries));
        std::vector<ZipMember> members;
        members.reserve(entries.size());
        for (ZipEntry& entry : entries) members.push_back(std::move(entry.member));
        return members;
    }

private:
    Result<std::uint64_t> find_end();
    Result<DirectoryPlace> read_end(std::uint64_t end_at);
    Result<DirectoryPlace> read_zip64_end(std::uint64_t locator_at);
    Result<std::vector<ZipEntry>> read_directory(const DirectoryPlace& place);
    Result<ZipEntry> read_entry(ByteReader& reader, std::uint64_t offset);
    Status read_zip64_extra(std::string_view extra, std::uint64_t offset, std::uint64_t& size, std::uint64_t& stored,
                            std::uint64_t& header_offset);
    Status check_name(const std::string& name, std::uint64_t offset);
    Status locate_payloads(std::vector<ZipEntry>& entries, const DirectoryPlace& place);
    Status check_overlaps(const std::vector<ZipEntry>& entries);

    // `offset`: relative to the archive, as are all positions in its records.
    Result<std::string> bytes_at(std::uint64_t offset, std::uint64_t count) {
        std::string out(count, '\0');
        TRY(file_.read_at(begin_ + offset, std::as_writable_bytes(std::span(out))));
        return out;
    }
    tl::unexpected<Error> bad(std::uint64_t offset, std::string message) const {
        return fail(ErrorKind::bad_input, std::move(message), format("{}: byte {}", file_.path(), begin_ + offset));
    }

    ReadableFile& file_;
    std::uint64_t begin_;
    std::uint64_t bytes_;
};

ByteReader reader_of(const std::string& bytes, const Path& name) { return ByteReader(as_bytes(bytes), name); }

Result<std::uint64_t> DirectoryReader::find_end() {
    if (begin_ > file_.size() || bytes_ > file_.size() - begin_) {
        return bad(0, format("the archive of {} bytes does not lie inside the file of {}", bytes_, file_.size()));
    }
    // Nearly always the end record is the end, without a comment; else the search starts over with more bytes.
    std::uint64_t count = std::min(bytes_, zip::kEndBytes);
    TRY_ASSIGN(std::string tail, bytes_at(bytes_ - count, count));
    bool at_end =
        tail.size() == zip::kEndBytes && tail.starts_with("PK\x05\x06") && tail.ends_with(std::string(2, '\0'));
    if (!at_end) {
        count = std::min(bytes_, kSearchBytes);
        TRY_ASSIGN(tail, bytes_at(bytes_ - count, count));
    }
    for (std::uint64_t at = count; at-- > 0;) {
        if (count - at < zip::kEndBytes || tail.compare(at, 4, "PK\x05\x06") != 0) continue;
        // A true end record's comment reaches exactly to the end of the archive.
        std::uint64_t comment = static_cast<unsigned char>(tail[at + 20]) | static_cast<unsigned char>(tail[at + 21])
                                                                                << 8;
        if (at + zip::kEndBytes + comment == count) return bytes_ - count + at;
    }
    return bad(bytes_, "no zip end record: this is not a zip archive, or its end is missing; was the file cut off?");
}

Result<DirectoryPlace> DirectoryReader::read_end(std::uint64_t end_at) {
    TRY_ASSIGN(std::string bytes, bytes_at(end_at, zip::kEndBytes));
    ByteReader reader = reader_of(bytes, file_.path());
    TRY(reader.skip(4));
    TRY_ASSIGN(std::uint16_t disk, reader.u16());
    TRY_ASSIGN(std::uint16_t directory_disk, reader.u16());
    TRY_ASSIGN(std::uint16_t entries_here, reader.u16());
    TRY_ASSIGN(std::uint16_t entries, reader.u16());
    TRY_ASSIGN(std::uint32_t directory_bytes, reader.u32());
    TRY_ASSIGN(std::uint32_t directory_offset, reader.u32());
    if (disk != 0 || directory_disk != 0 || entries_here != entries)
        return bad(end_at, "archives of several parts are not read");

    DirectoryPlace place{entries, directory_bytes, directory_offset, end_at};
    bool saturated =
        entries == zip::kSaturated16 || directory_bytes == zip::kSaturated32 || directory_offset == zip::kSaturated32;
    std::string locator;
    if (end_at >= zip::kZip64LocatorBytes) {
        TRY_ASSIGN(locator, bytes_at(end_at - zip::kZip64LocatorBytes, 4));
    }
    if (locator == "PK\x06\x07") {
        TRY_ASSIGN(DirectoryPlace large, read_zip64_end(end_at - zip::kZip64LocatorBytes));
        // Two readers must not see two archives: where the plain record says something, it says the same.
        if ((entries != zip::kSaturated16 && entries != large.entries) ||
            (directory_bytes != zip::kSaturated32 && directory_bytes != large.bytes) ||
            (directory_offset != zip::kSaturated32 && directory_offset != large.offset)) {
            return bad(end_at, "the zip end record and the zip64 end record disagree");
        }
        place = large;
    } else if (saturated) {
        return bad(end_at, "the zip64 end record is missing");
    }
    if (place.offset > place.end_record || place.bytes > place.end_record - place.offset) {
        return bad(end_at, format("the directory, {} bytes at byte {}, does not end before its end record", place.bytes,
                                  place.offset));
    }
    if (place.bytes > kMaxZipDirectoryBytes) {
        return bad(end_at,
                   format("the directory has {} bytes, the largest allowed is {}", place.bytes, kMaxZipDirectoryBytes));
    }
    if (place.entries > place.bytes / zip::kDirectoryHeaderBytes) {
        return bad(end_at, format("{} members do not fit into a directory of {} bytes", place.entries, place.bytes));
    }
    return place;
}

Result<DirectoryPlace> DirectoryReader::read_zip64_end(std::uint64_t locator_at) {
    TRY_ASSIGN(std::string locator_bytes, bytes_at(locator_at, zip::kZip64LocatorBytes));
    ByteReader locator = reader_of(locator_bytes, file_.path());
    TRY(locator.skip(4));
    TRY_ASSIGN(std::uint32_t disk, locator.u32());
    TRY_ASSIGN(std::uint64_t end_at, locator.u64());
    TRY_ASSIGN(std::uint32_t disks, locator.u32());
    if (disk != 0 || disks > 1) return bad(locator_at, "archives of several parts are not read");
    if (locator_at < zip::kZip64EndBytes || end_at > locator_at - zip::kZip64EndBytes) {
        return bad(locator_at, format("the zip64 locator points to byte {}, where no zip64 end record can be", end_at));
    }
    TRY_ASSIGN(std::string bytes, bytes_at(end_at, zip::kZip64EndBytes));
    ByteReader reader = reader_of(bytes, file_.path());
    TRY_ASSIGN(std::uint32_t signature, reader.u32());
    TRY_ASSIGN(std::uint64_t rest, reader.u64());
    if (signature != zip::kZip64End || rest != locator_at - end_at - 12) {
        return bad(end_at, "the zip64 locator does not point to a zip64 end record that ends at the locator");
    }
    TRY(reader.skip(4));
    TRY_ASSIGN(std::uint32_t this_disk, reader.u32());
    TRY_ASSIGN(std::uint32_t directory_disk, reader.u32());
    DirectoryPlace place;
    TRY_ASSIGN(std::uint64_t entries_here, reader.u64());
    TRY_ASSIGN(place.entries, reader.u64());
    TRY_ASSIGN(place.bytes, reader.u64());
    TRY_ASSIGN(place.offset, reader.u64());
    if (this_disk != 0 || directory_disk != 0 || entries_here != place.entries)
        return bad(end_at, "archives of several parts are not read");
    place.end_record = end_at;
    return place;
}

Result<std::vector<ZipEntry>> DirectoryReader::read_directory(const DirectoryPlace& place) {
    TRY_ASSIGN(std::string bytes, bytes_at(place.offset, place.bytes));
    ByteReader reader(as_bytes(bytes), file_.path() + " (zip directory)", begin_ + place.offset);
    std::vector<ZipEntry> entries;
    entries.reserve(place.entries);  // bounded by the directory's size
    for (std::uint64_t i = 0; i < place.entries; ++i) {
        TRY_ASSIGN(ZipEntry entry, read_entry(reader, place.offset + reader.position()));
        entries.push_back(std::move(entry));
    }
    if (!reader.at_end()) {
        return bad(place.offset + reader.position(),
                   format("{} bytes are left in the directory after its last member", reader.remaining()));
    }
    std::unordered_set<std::string_view> names;
    names.reserve(entries.size());
    for (const ZipEntry& entry : entries) {
        if (!names.insert(entry.member.name).second) {
            return bad(place.offset, format("two members are named {}", quoted_name(entry.member.name)));
        }
    }
    return entries;
}

Result<ZipEntry> DirectoryReader::read_entry(ByteReader& reader, std::uint64_t offset) {
    TRY_ASSIGN(std::uint32_t signature, reader.u32());
    if (signature != zip::kDirectoryHeader) return bad(offset, "a member of the directory has no valid signature");
    TRY(reader.skip(4));  // versions
    TRY_ASSIGN(std::uint16_t flags, reader.u16());
    TRY_ASSIGN(std::uint16_t method, reader.u16());
    TRY(reader.skip(4));  // time and date
    ZipEntry entry;
    TRY_ASSIGN(entry.member.crc32, reader.u32());
    TRY_ASSIGN(std::uint64_t stored, reader.u32());
    TRY_ASSIGN(std::uint64_t size, reader.u32());
    TRY_ASSIGN(std::uint16_t name_bytes, reader.u16());
    TRY_ASSIGN(std::uint16_t extra_bytes, reader.u16());
    TRY_ASSIGN(std::uint16_t comment_bytes, reader.u16());
    TRY_ASSIGN(std::uint16_t disk, reader.u16());
    TRY(reader.skip(6));  // attributes
    TRY_ASSIGN(entry.header_offset, reader.u32());
    TRY_ASSIGN(entry.member.name, reader.take_text(name_bytes));
    TRY_ASSIGN(std::string_view extra, reader.take_text(extra_bytes));
    TRY(reader.skip(comment_bytes));

    TRY(check_name(entry.member.name, offset));
    if ((flags & (zip::kFlagEncrypted | zip::kFlagMaskedHeaders)) != 0) {
        return bad(offset, format("member {} is encrypted", quoted_name(entry.member.name)));
    }
    if (method != 0) {
        return bad(offset, format("member {} is compressed (method {}); checkpoints are stored without compression: "
                                  "unpack the archive and pack it with \"zip -0\"",
                                  quoted_name(entry.member.name), method));
    }
    TRY(read_zip64_extra(extra, offset, size, stored, entry.header_offset));
    if (disk != 0) return bad(offset, "archives of several parts are not read");
    if (stored != size) {
        return bad(offset, format("member {} has {} bytes stored, but {} unpacked", quoted_name(entry.member.name),
                                  stored, size));
    }
    entry.member.bytes = size;
    return entry;
}

// Replaces those of the three values that are marked as too large for the header, in this order.
Status DirectoryReader::read_zip64_extra(std::string_view extra, std::uint64_t offset, std::uint64_t& size,
                                         std::uint64_t& stored, std::uint64_t& header_offset) {
    if (size != zip::kSaturated32 && stored != zip::kSaturated32 && header_offset != zip::kSaturated32) return {};
    ByteReader reader(as_bytes(extra), file_.path() + " (zip extra field)", begin_ + offset);
    while (!reader.at_end()) {
        TRY_ASSIGN(std::uint16_t id, reader.u16());
        TRY_ASSIGN(std::uint16_t bytes, reader.u16());
        TRY_ASSIGN(ByteSpan block, reader.take(bytes));
        if (id != zip::kExtraZip64) continue;
        ByteReader values(block, file_.path() + " (zip64 extra field)", begin_ + offset);
        for (std::uint64_t* value : {&size, &stored, &header_offset}) {
            if (*value != zip::kSaturated32) continue;
            TRY_ASSIGN(*value, values.u64());
        }
        return {};
    }
    return bad(offset, "a member has no zip64 field for sizes beyond 4 GB");
}

// Nothing is ever extracted; but a name that would be dangerous to others is no checkpoint's.
Status DirectoryReader::check_name(const std::string& name, std::uint64_t offset) {
    const char* problem = nullptr;
    if (name.empty()) problem = "is empty";
    if (name.starts_with('/')) problem = "is absolute";
    if (name.find('\0') != std::string::npos) problem = "has a NUL character";
    if (!is_valid_utf8(name)) problem = "is not valid UTF-8";
    if (("/" + name + "/").find("/../") != std::string::npos) problem = "has a \"..\"";
    if (problem != nullptr) return bad(offset, format("the member name {} {}", quoted_name(name), problem));
    return {};
}

// Follows every entry to its local header. Of that only the name, the flags and the length of the extra field count:
// PyTorch leaves its sizes 0.
Status DirectoryReader::locate_payloads(std::vector<ZipEntry>& entries, const DirectoryPlace& place) {
    for (ZipEntry& entry : entries) {
        const std::string& name = entry.member.name;
        std::uint64_t fixed = zip::kLocalHeaderBytes + name.size();
        std::uint64_t at = entry.header_offset;
        if (at > place.offset || fixed > place.offset - at) {
            return bad(place.offset,
                       format("member {}: its header at byte {} is not before the directory", quoted_name(name), at));
        }
        TRY_ASSIGN(std::string bytes, bytes_at(at, fixed));
        ByteReader reader = reader_of(bytes, file_.path());
        TRY_ASSIGN(std::uint32_t signature, reader.u32());
        TRY(reader.skip(2));
        TRY_ASSIGN(std::uint16_t flags, reader.u16());
        TRY_ASSIGN(std::uint16_t method, reader.u16());
        TRY(reader.skip(16));
        TRY_ASSIGN(std::uint16_t name_bytes, reader.u16());
        TRY_ASSIGN(std::uint16_t extra_bytes, reader.u16());
        TRY_ASSIGN(std::string_view local_name, reader.take_text(name.size()));
        if (signature != zip::kLocalHeader)
            return bad(at, format("member {}: there is no local header here", quoted_name(name)));
        if (name_bytes != name.size() || local_name != name || method != 0 || (flags & zip::kFlagEncrypted) != 0) {
            return bad(at, format("member {}: the local header here disagrees with the directory", quoted_name(name)));
        }
        std::uint64_t payload = at + fixed + extra_bytes;
        if (payload > place.offset || entry.member.bytes > place.offset - payload) {
            return bad(at, format("member {}: its {} bytes do not end before the directory", quoted_name(name),
                                  entry.member.bytes));
        }
        entry.member.offset = begin_ + payload;
    }
    return {};
}

Status DirectoryReader::check_overlaps(const std::vector<ZipEntry>& entries) {
    std::vector<const ZipEntry*> by_offset;
    for (const ZipEntry& entry : entries) by_offset.push_back(&entry);
    std::sort(by_offset.begin(), by_offset.end(), [](auto* a, auto* b) { return a->header_offset < b->header_offset; });
    for (std::size_t i = 1; i < by_offset.size(); ++i) {
        const ZipMember& before = by_offset[i - 1]->member;
        if (begin_ + by_offset[i]->header_offset < before.offset + before.bytes) {
            return bad(by_offset[i]->header_offset, format("the members {} and {} overlap", quoted_name(before.name),
                                                           quoted_name(by_offset[i]->member.name)));
        }
    }
    return {};
}

}  // namespace

Result<std::vector<ZipMember>> read_zip_directory(ReadableFile& file, std::uint64_t begin, std::uint64_t bytes) {
    return DirectoryReader(file, begin, bytes).read();
}

Result<std::vector<ZipMember>> read_zip_directory(ReadableFile& file) {
    return read_zip_directory(file, 0, file.size());
}

}  // namespace base
