#include "base/compress.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include <libdeflate.h>

#include "base/check.h"
#include "base/format.h"

namespace base {

std::string gzip(std::string_view bytes) {
    constexpr int kLevel = 6;  // beyond it, much slower and hardly smaller
    const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
        libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
    if (compressor == nullptr) throw std::bad_alloc();
    std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
    out.resize(libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(), out.data(), out.size()));
    CHECK(!out.empty());
    out.shrink_to_fit();  // the room was for bytes that cannot be packed
    return out;
}

std::uint32_t crc32(std::uint32_t before, std::string_view bytes) {
    return libdeflate_crc32(before, bytes.data(), bytes.size());
}

Result<std::string> gunzip(std::string_view bytes, const std::string& name, std::uint64_t max_bytes) {
    constexpr std::uint64_t kFirstGuess = 8;  // how many times larger what is packed usually is
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    if (decompressor == nullptr) throw std::bad_alloc();
    std::string out;
    std::uint64_t room = std::min<std::uint64_t>(bytes.size() * kFirstGuess + 4096, max_bytes);
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t filled = out.size();
        out.resize(filled + room);
        std::size_t read = 0, written = 0;
        const libdeflate_result result = libdeflate_gzip_decompress_ex(
            decompressor.get(), bytes.data() + at, bytes.size() - at, out.data() + filled, room, &read, &written);
        out.resize(result == LIBDEFLATE_SUCCESS ? filled + written : filled);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE && filled + room < max_bytes) {
            room = std::min(room * 2, max_bytes - filled);
            continue;
        }
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
            return fail(ErrorKind::bad_input, format("more than {} bytes are packed in it", max_bytes), name);
        if (result != LIBDEFLATE_SUCCESS)
            return fail(ErrorKind::bad_input, "the gzip data is damaged or cut off", name);
        at += read;
        room = std::min(room, max_bytes - out.size());
    }
    return out;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i)
            group = (group << 8) | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
        for (std::size_t i = 0; i < 4; ++i) out += i <= count ? kDigits[(group >> (18 - 6 * i)) & 63] : '=';
    }
    return out;
}

}  // namespace base
