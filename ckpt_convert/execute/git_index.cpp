#include "ckpt_convert/execute/git_index.h"

#include "base/format.h"
#include "base/sha1.h"

namespace ckpt {
namespace {

constexpr std::string_view kMagic = "DIRC";
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kSumBytes = 20;
constexpr std::size_t kStatBytes = 40;
constexpr std::size_t kFlagBytes = 2;
constexpr std::size_t kEntryAlignment = 8;
constexpr unsigned kExtended = 0x40;  // in the first byte of the flags: two more bytes follow

std::string hexadecimal(std::string_view bytes) {
    std::string out;
    for (char byte : bytes) out += base::format("{:02x}", static_cast<unsigned char>(byte));
    return out;
}

std::uint32_t number_at(std::string_view index, std::size_t at) {
    return base::big_endian(reinterpret_cast<const std::uint8_t*>(index.data()) + at);
}

std::string sha1_of(std::string_view first, std::string_view second = {}) {
    base::Sha1 hash;
    hash.add(first);
    hash.add(second);
    return hash.finish_hex();
}

}  // namespace

std::map<std::string, std::string> read_git_index(std::string_view index) {
    std::map<std::string, std::string> out;
    if (index.size() < kHeaderBytes + kSumBytes || !index.starts_with(kMagic)) return out;
    std::string_view sum = index.substr(index.size() - kSumBytes);
    index.remove_suffix(kSumBytes);
    const std::uint32_t version = number_at(index, kMagic.size());
    if ((version != 2 && version != 3) || sha1_of(index) != hexadecimal(sum)) return out;
    std::size_t at = kHeaderBytes;
    for (std::uint32_t left = number_at(index, kMagic.size() + 4); left > 0; --left) {
        const std::size_t flags = at + kStatBytes + kSumBytes;
        if (flags + kFlagBytes >= index.size()) return {};
        const bool extended = (static_cast<unsigned char>(index[flags]) & kExtended) != 0;
        const std::size_t name = flags + kFlagBytes * (extended ? 2 : 1);
        const std::size_t end = index.find('\0', name);
        if (end == index.npos) return {};
        out.emplace(index.substr(name, end - name), hexadecimal(index.substr(at + kStatBytes, kSumBytes)));
        at += ((end - at) / kEntryAlignment + 1) * kEntryAlignment;
    }
    return out;
}

std::string git_blob_header(std::uint64_t bytes) {
    std::string out = base::format("blob {}", bytes);
    out += '\0';
    return out;
}

std::string lfs_pointer_sha1(const std::string& sha256, std::uint64_t bytes) {
    std::string pointer =
        base::format("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n", sha256, bytes);
    return sha1_of(git_blob_header(pointer.size()), pointer);
}

}  // namespace ckpt
