#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "base/utf8.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/safetensors/header_parser.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"

namespace ckpt {
namespace {

tl::unexpected<base::Error> bad(const base::ReadableFile& file, std::uint64_t offset, std::string message) {
    return base::fail(ErrorKind::bad_input, std::move(message), base::format("{}: byte {}", file.path(), offset));
}

Result<std::string> read_header_text(base::ReadableFile& file) {
    std::uint64_t size = file.size();
    if (size < kSafetensorsLengthBytes) {
        return bad(file, size,
                   base::format("the file has {} bytes; a safetensors file begins with an 8-byte header length", size));
    }
    std::byte length_bytes[kSafetensorsLengthBytes];
    TRY(file.read_at(0, length_bytes));
    TRY_ASSIGN(std::uint64_t length, base::ByteReader(length_bytes, file.path()).u64());
    if (length > kMaxSafetensorsHeaderBytes) {
        return bad(file, 0,
                   base::format("the header claims {} bytes, the largest allowed is {}; is this a safetensors file?",
                                length, kMaxSafetensorsHeaderBytes));
    }
    if (length > size - kSafetensorsLengthBytes) {
        return bad(file, 0,
                   base::format("the header claims {} bytes, but the file has {}; was it cut off?", length, size));
    }
    std::string header(length, '\0');
    TRY(file.read_at(kSafetensorsLengthBytes, std::as_writable_bytes(std::span(header))));
    return header;
}

Status check_utf8(const base::ReadableFile& file, std::string_view header) {
    for (std::size_t at = 0; at < header.size();) {
        std::size_t length = base::utf8_sequence_length(header.substr(at, 4));
        if (length == 0) return bad(file, kSafetensorsLengthBytes + at, "the header is not valid UTF-8");
        at += length;
    }
    return {};
}

// The ranges must follow each other without a hole or an overlap up to the very end of the file: then nothing is hidden
// in it, and no two tensors share memory. Makes the offsets absolute.
Status check_tiling(const base::ReadableFile& file, std::uint64_t buffer, std::vector<SafetensorsEntry>& entries) {
    std::uint64_t available = file.size() - buffer;
    std::uint64_t covered = 0;
    const SafetensorsEntry* last = nullptr;
    for (SafetensorsEntry& entry : entries) {
        if (entry.offset > covered) {
            return bad(file, buffer + covered,
                       base::format("tensor {}: its data begin {} bytes after those before it; no hole is allowed",
                                    quoted_name(entry.name), entry.offset - covered));
        }
        if (entry.offset < covered) {
            return bad(file, buffer + entry.offset,
                       base::format("tensor {}: its data overlap those of tensor {}", quoted_name(entry.name),
                                    quoted_name(last->name)));
        }
        if (entry.bytes > available - covered) {
            return bad(file, file.size(),
                       base::format("tensor {}: its data end {} bytes past the end of the file; was it cut off?",
                                    quoted_name(entry.name), entry.bytes - (available - covered)));
        }
        entry.offset += buffer;
        covered += entry.bytes;
        last = &entry;
    }
    if (covered != available) {
        return bad(file, buffer + covered,
                   base::format("{} bytes follow the last tensor; the header and the data do not belong together",
                                available - covered));
    }
    return {};
}

}  // namespace

Result<SafetensorsHeader> read_safetensors_header(base::ReadableFile& file) {
    TRY_ASSIGN(std::string text, read_header_text(file));
    TRY(check_utf8(file, text));
    TRY_ASSIGN(SafetensorsHeader header, parse_safetensors_json(text, file.path()));
    // Empty tensors share their offset with the tensor behind them, so they must come first.
    std::stable_sort(header.entries.begin(), header.entries.end(), [](const auto& a, const auto& b) {
        return a.offset != b.offset ? a.offset < b.offset : a.bytes < b.bytes;
    });
    TRY(check_tiling(file, kSafetensorsLengthBytes + text.size(), header.entries));
    return header;
}

}  // namespace ckpt
