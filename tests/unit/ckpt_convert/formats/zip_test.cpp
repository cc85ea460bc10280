#include <doctest/doctest.h>

#include <functional>

#include "base/format.h"
#include "base/zip_reader.h"
#include "tests/unit/ckpt_convert/formats/raw_zip.h"

using base::ErrorKind;
using base::read_zip_directory;
using test::little_endian;
using test::RawZip;

namespace {

auto read_zip(const std::string& bytes) { return read_zip_directory(*test::open_bytes(bytes)); }
auto read_zip(const RawZip& archive) { return read_zip(archive.bytes()); }

RawZip two() { return {{{"a/x", "hello"}, {"a/y", "world!"}}}; }

}  // namespace

TEST_CASE("zip: what is laid out reads back, aligned and with its checksums") {
    std::string file = test::zip_of(
        {{"archive/data.pkl", "pickle"}, {"archive/data/0", std::string(1000, 'z')}, {"archive/empty", ""}});
    auto members = read_zip(file);
    REQUIRE(members);
    REQUIRE(members->size() == 3);
    CHECK((*members)[1].name == "archive/data/0");
    CHECK((*members)[1].bytes == 1000);
    CHECK((*members)[2].bytes == 0);
    for (const auto& member : *members) {
        CHECK(member.offset % 64 == 0);
        CHECK(member.crc32 == ckpt::crc32(base::as_bytes(file).subspan(member.offset, member.bytes)));
    }
}

TEST_CASE("zip: an exact archive of one member") {
    std::string file = test::zip_of({{"hf/data.pkl", "AB"}});
    std::string wanted = test::from_hex("504b0304 1400 0008 0000 0000 2100 6c794c30 02000000 02000000 0b00 1700") +
                         "hf/data.pkl" + test::from_hex("4642 1300") + std::string(19, 'Z') + "AB";
    wanted += test::from_hex(
                  "504b0102 1400 1400 0008 0000 0000 2100 6c794c30 02000000 02000000 0b00 0000 0000 0000 0000 00000000 "
                  "00000000") +
              "hf/data.pkl";
    wanted += test::from_hex(
        "504b0606 2c00000000000000 2d00 2d00 00000000 00000000 0100000000000000 0100000000000000 3900000000000000 "
        "4200000000000000");
    wanted += test::from_hex("504b0607 00000000 7b00000000000000 01000000");
    wanted += test::from_hex("504b0506 0000 0000 0100 0100 39000000 42000000 0000");
    wanted.replace(14, 4, little_endian(ckpt::crc32(base::as_bytes("AB")), 4));
    wanted.replace(66 + 16, 4, little_endian(ckpt::crc32(base::as_bytes("AB")), 4));
    CHECK(file == wanted);
    CHECK((*read_zip(file))[0].offset == 64);
}

TEST_CASE("zip: members and offsets beyond 4 GiB") {
    constexpr std::uint64_t kGiB = 1ull << 30;
    ckpt::ZipLayout layout;
    const std::uint64_t sizes[] = {10, 0xFFFFFFFE, 0xFFFFFFFF, 5 * kGiB, 0, 7};
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t size : sizes)
        offsets.push_back(layout.add(base::format("archive/data/{}", offsets.size()), size));
    test::SparseFile file(layout.file_bytes());
    for (auto& chunk : layout.headers({1, 2, 3, 4, 5, 6})) file.put(chunk.offset, chunk.data);
    auto members = read_zip_directory(file);
    REQUIRE(members);
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
        CHECK((*members)[i].bytes == sizes[i]);
        CHECK((*members)[i].offset == offsets[i]);
        CHECK((*members)[i].offset % 64 == 0);
        CHECK((*members)[i].crc32 == i + 1);
    }
    CHECK(offsets[5] > 13 * kGiB);
}

TEST_CASE("zip: more members than 16 bits count") {
    std::vector<test::Record> records;
    for (int i = 0; i < 70'000; ++i) records.push_back({base::format("archive/data/{}", i), ""});
    auto members = read_zip(test::zip_of(records));
    REQUIRE(members);
    CHECK(members->size() == 70'000);
    CHECK(members->back().name == "archive/data/69999");
}

TEST_CASE("zip: forms of other writers") {
    RawZip torch = two();
    torch.members[0].descriptor = torch.members[1].descriptor = true;
    torch.members[0].local_extra = test::from_hex("4642 0300 5a5a5a");
    torch.zip64 = true;
    auto members = read_zip(torch);
    REQUIRE(members);
    CHECK((*members)[0].offset == 30 + 3 + 7);
    CHECK((*members)[1].bytes == 6);

    RawZip plain = two();
    plain.comment = "a comment with a false end PK\x05\x06 in it";
    CHECK(read_zip(plain));
    plain.comment = std::string(65535, 'c');
    CHECK(read_zip(plain));
    RawZip folders{{{"a/", ""}, {"a/x", "1"}}};
    CHECK(read_zip(folders));
    RawZip nothing;
    CHECK(read_zip(nothing)->empty());
}

TEST_CASE("zip: a part of a larger file, with offsets of the larger file") {
    std::string archive = test::zip_of({{"archive/x", "content"}});
    auto file = test::open_bytes("before" + archive + "behind");
    auto members = read_zip_directory(*file, 6, archive.size());
    REQUIRE(members);
    CHECK((*members)[0].offset == 6 + 64);
    test::check_fails(read_zip_directory(*file, 6, archive.size() - 1), ErrorKind::bad_input, "no zip end record");
    test::check_fails(read_zip_directory(*file, 6, archive.size() + 1), ErrorKind::bad_input, "no zip end record");
    test::check_fails(read_zip_directory(*file, 6, archive.size() + 7), ErrorKind::bad_input,
                      "does not lie inside the file");
    test::check_fails(read_zip_directory(*file, UINT64_MAX, 2), ErrorKind::bad_input, "does not lie inside the file");
}

TEST_CASE("zip: bad archives by name") {
    struct Row {
        const char* name;
        std::function<void(RawZip&)> spoil;
        const char* message;
    };
    const Row rows[] = {
        {"deflated", [](RawZip& a) { a.members[1].method = 8; }, "member \"a/y\" is compressed (method 8)"},
        {"deflated_in_local_header", [](RawZip& a) { a.members[1].local_method = 8; },
         "member \"a/y\": the local header here disagrees"},
        {"encrypted", [](RawZip& a) { a.members[0].flags |= 1; }, "member \"a/x\" is encrypted"},
        {"masked_headers", [](RawZip& a) { a.members[0].flags |= 1u << 13; }, "member \"a/x\" is encrypted"},
        {"encrypted_in_local_header", [](RawZip& a) { a.members[0].local_flags = 1; }, "disagrees with the directory"},
        {"duplicate_names", [](RawZip& a) { a.members[1].name = "a/x"; }, "two members are named \"a/x\""},
        {"name_empty", [](RawZip& a) { a.members[0].name = ""; }, "the member name \"\" is empty"},
        {"name_absolute", [](RawZip& a) { a.members[0].name = "/etc"; }, "is absolute"},
        {"name_with_nul", [](RawZip& a) { a.members[0].name = test::bytes("a\0b"); }, "has a NUL character"},
        {"name_not_utf8", [](RawZip& a) { a.members[0].name = "a/\xFF"; }, "is not valid UTF-8"},
        {"name_with_dotdot", [](RawZip& a) { a.members[0].name = "a/../b"; }, "has a \"..\""},
        {"name_dotdot_at_end", [](RawZip& a) { a.members[0].name = "a/.."; }, "has a \"..\""},
        {"sizes_differ", [](RawZip& a) { a.members[0].stored = 4; }, "has 4 bytes stored, but 5 unpacked"},
        {"other_local_name", [](RawZip& a) { a.members[0].local_name = "a/z"; }, "disagrees with the directory"},
        {"longer_local_name", [](RawZip& a) { a.members[0].local_name = "a/xx"; }, "disagrees with the directory"},
        {"no_local_header", [](RawZip& a) { a.members[1].header_offset = 1; }, "there is no local header here"},
        {"header_behind_directory", [](RawZip& a) { a.members[1].header_offset = 4000; },
         "is not before the directory"},
        {"payload_into_directory", [](RawZip& a) { a.members[1].stored = a.members[1].size = 7; },
         "do not end before the directory"},
        {"payload_of_4_gb", [](RawZip& a) { a.members[1].stored = a.members[1].size = 0xFFFFFFFE; },
         "do not end before the directory"},
        {"overlap", [](RawZip& a) { a.members[0].stored = a.members[0].size = 10; },
         "the members \"a/x\" and \"a/y\" overlap"},
        {"same_header_twice",
         [](RawZip& a) {
             a.members[1].name = "a/y";
             a.members[0].name = "a/x";
             a.members[1].header_offset = 0;
             a.members[0].local_name = "a/y";
         },
         "disagrees with the directory"},
        {"zip64_extra_missing", [](RawZip& a) { a.members[0].size = 0xFFFFFFFF; }, "has no zip64 field"},
        {"zip64_extra_short",
         [](RawZip& a) {
             a.members[0].size = a.members[0].stored = 0xFFFFFFFF;
             a.members[0].extra = test::from_hex("0100 0800 0500000000000000");
         },
         "the data ends 8 bytes early"},
        {"extra_beyond_its_end",
         [](RawZip& a) {
             a.members[0].size = 0xFFFFFFFF;
             a.members[0].extra = test::from_hex("0100 FF00 05");
         },
         "the data ends"},
        {"zip64_size_of_2_64",
         [](RawZip& a) {
             a.members[0].size = a.members[0].stored = 0xFFFFFFFF;
             a.members[0].extra = test::from_hex("0100 1000 ffffffffffffffff ffffffffffffffff");
         },
         "do not end before the directory"},
        {"zip64_offset_of_2_64",
         [](RawZip& a) {
             a.members[0].header_offset = 0xFFFFFFFF;
             a.members[0].extra = test::from_hex("0100 0800 ffffffffffffffff");
         },
         "is not before the directory"},
        {"other_disk", [](RawZip& a) { a.disk = 1; }, "archives of several parts"},
        {"member_on_other_disk", [](RawZip& a) { a.members[0].disk = 1; }, "archives of several parts"},
        {"two_disks", [](RawZip& a) { a.zip64 = true, a.disks = 2; }, "archives of several parts"},
        {"too_many_entries", [](RawZip& a) { a.entries = 3; }, "3 members do not fit into a directory of"},
        {"too_few_entries", [](RawZip& a) { a.entries = 1; }, "49 bytes are left in the directory"},
        {"entry_without_signature", [](RawZip& a) { a.directory_rest = std::string(46, '\0'), a.entries = 3; },
         "no valid signature"},
        {"entry_cut_off", [](RawZip& a) { a.directory_bytes = 97; }, "the data ends 1 bytes early"},
        {"directory_too_long", [](RawZip& a) { a.directory_bytes = 99; }, "does not end before its end record"},
        {"directory_behind_end", [](RawZip& a) { a.directory_offset = 5000; }, "does not end before its end record"},
        {"directory_shifted", [](RawZip& a) { a.directory_offset = 1, a.directory_bytes = 98; }, "no valid signature"},
        {"zip64_end_missing", [](RawZip& a) { a.entries = 0xFFFF; }, "the zip64 end record is missing"},
        {"zip64_disagrees", [](RawZip& a) { a.zip64 = true, a.plain_entries = 1; }, "the zip64 end record disagree"},
        {"zip64_locator_wild", [](RawZip& a) { a.zip64 = true, a.locator_shift = 1ull << 40; },
         "where no zip64 end record can be"},
        {"zip64_locator_off", [](RawZip& a) { a.zip64 = true, a.locator_shift = UINT64_MAX; },
         "does not point to a zip64 end record"},
        {"zip64_end_too_long", [](RawZip& a) { a.zip64 = true, a.zip64_size = 45; },
         "does not point to a zip64 end record"},
        {"zip64_entries_of_2_64", [](RawZip& a) { a.zip64 = true, a.entries = UINT64_MAX, a.plain_entries = 0xFFFF; },
         "do not fit into a directory"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        RawZip archive = two();
        REQUIRE(read_zip(archive));
        row.spoil(archive);
        test::check_fails(read_zip(archive), ErrorKind::bad_input, row.message);
    }
}

TEST_CASE("zip: cut off or extended anywhere, it is refused") {
    std::string good = two().bytes();
    for (std::size_t length = 0; length < good.size(); ++length) CHECK_FALSE(read_zip(good.substr(0, length)));
    CHECK_FALSE(read_zip(good + "x"));
    test::check_fails(read_zip(std::string()), ErrorKind::bad_input, "no zip end record");
    RawZip archive = two();
    archive.comment = std::string(65535, 'c');
    test::check_fails(read_zip(archive.bytes() + "x"), ErrorKind::bad_input, "no zip end record");
}

TEST_CASE("zip: the largest directory on both sides of its limit") {
    auto with_directory_of = [](std::uint64_t bytes) {
        test::SparseFile file(bytes + 22);
        file.put(bytes, "PK\x05\x06" + little_endian(0, 4) + little_endian(1, 2) + little_endian(1, 2) +
                            little_endian(bytes, 4) + little_endian(0, 6));
        return read_zip_directory(file);
    };
    test::check_fails(with_directory_of(base::kMaxZipDirectoryBytes), ErrorKind::bad_input, "no valid signature");
    test::check_fails(with_directory_of(base::kMaxZipDirectoryBytes + 1), ErrorKind::bad_input,
                      "the largest allowed is 67108864");
}
