// What the tests of the formats share: files in memory, bytes from little pieces, expected failures.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "base/file_system.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "ckpt_convert/formats/zip/zip_layout.h"
#include "tests/support/memory_file_system.h"

namespace test {

inline std::unique_ptr<base::ReadableFile> open_bytes(std::string content) {
    MemoryFileSystem files;
    files.add("f", std::move(content));
    auto file = files.open("f");
    REQUIRE(file);
    return std::move(*file);
}

// A large file of zeros with some pieces in it, for limits that no test wants to hold in memory.
class SparseFile : public base::ReadableFile {
public:
    explicit SparseFile(std::uint64_t bytes) : bytes_(bytes) {}
    void put(std::uint64_t offset, std::string data) { pieces_[offset] = std::move(data); }
    std::uint64_t size() const override { return bytes_; }
    const base::Path& path() const override { return path_; }
    base::Status read_at(std::uint64_t offset, base::MutableByteSpan out) override {
        if (out.size() > bytes_ || offset > bytes_ - out.size())
            return base::fail(base::ErrorKind::bad_input, "the file ends early", path_);
        std::memset(out.data(), 0, out.size());
        for (const auto& [at, data] : pieces_) {
            std::uint64_t from = std::max(at, offset);
            std::uint64_t to = std::min(at + data.size(), offset + out.size());
            if (from < to) std::memcpy(out.data() + (from - offset), data.data() + (from - at), to - from);
        }
        return {};
    }
    void drop_cache(std::uint64_t, std::uint64_t) override {}

private:
    base::Path path_ = "f";
    std::uint64_t bytes_;
    std::map<std::uint64_t, std::string> pieces_;
};

inline std::string little_endian(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
    return out;
}

inline std::string from_hex(std::string_view hex) {
    std::string out;
    int digits = 0;
    for (char c : hex) {
        if (c == ' ' || c == '\n') continue;
        int value = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        if (digits++ % 2 == 0) {
            out += static_cast<char>(value << 4);
        } else {
            out.back() = static_cast<char>(out.back() | value);
        }
    }
    return out;
}

// A string literal with its NULs: bytes("\x00x").
template <std::size_t N>
std::string bytes(const char (&literal)[N]) {
    return std::string(literal, N - 1);
}

template <class Result>
void check_fails(const Result& result, base::ErrorKind kind, std::string_view part) {
    REQUIRE_FALSE(result.has_value());
    INFO(result.error().text());
    CHECK(base::exit_code(result.error().kind) == base::exit_code(kind));
    CHECK(result.error().text().find(part) != std::string::npos);
    CHECK(result.error().where.find('f') == 0);  // names the file
}

inline void place(std::string& file, std::uint64_t offset, std::string_view data) {
    if (file.size() < offset + data.size()) file.resize(offset + data.size());
    std::memcpy(file.data() + offset, data.data(), data.size());
}

// The whole file of a finished plan, with the payloads given by tensor number.
inline std::string assemble(const ckpt::TorchFilePlan& plan, const std::vector<std::string>& payloads) {
    std::string file(plan.file_bytes(), '\xEE');
    std::vector<std::uint32_t> crcs;
    for (std::size_t i = 0; i < payloads.size(); ++i) {
        REQUIRE(payloads[i].size() == plan.tensor_bytes(i));
        place(file, plan.tensor_offset(i), payloads[i]);
        crcs.push_back(ckpt::crc32(base::as_bytes(payloads[i])));
    }
    for (const auto& chunk : plan.chunks(crcs)) place(file, chunk.offset, chunk.data);
    REQUIRE(file.size() == plan.file_bytes());
    return file;
}

// A stored zip archive of the given members.
struct Record {
    std::string name;
    std::string content;
};
inline std::string zip_of(const std::vector<Record>& records) {
    ckpt::ZipLayout layout;
    std::string file;
    std::vector<std::uint32_t> crcs;
    for (const Record& record : records) {
        place(file, layout.add(record.name, record.content.size()), record.content);
        crcs.push_back(ckpt::crc32(base::as_bytes(record.content)));
    }
    file.resize(layout.file_bytes());
    for (const auto& chunk : layout.headers(crcs)) place(file, chunk.offset, chunk.data);
    return file;
}

}  // namespace test
