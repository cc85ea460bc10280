#include "ckpt_convert/execute/manifest.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "ckpt_convert/formats/zip/crc32.h"

base::Result<ckpt::Crc32> base::InJson<ckpt::Crc32>::read(const JsonPlace& at) {
    TRY_ASSIGN(const std::string digits, read_json<std::string>(at));
    ckpt::Crc32 out;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out.value, 16);
    if (code != std::errc() || end != digits.data() + digits.size() || digits.size() != 8)
        return at.error("\"crc32\" must be 8 hexadecimal digits");
    return out;
}
void base::InJson<ckpt::Crc32>::write(JsonWriter& out, ckpt::Crc32 sum) { out.string(format("{:08x}", sum.value)); }

namespace ckpt {
namespace {

constexpr std::uint64_t kMaxManifestBytes = 256u << 20;  // room for a million files

}  // namespace

ManifestFile manifest_entry(std::string path, std::string_view content) {
    return {std::move(path), content.size(), {crc32(base::as_bytes(content))}};
}

std::string manifest_text(Manifest manifest) {
    std::sort(manifest.files.begin(), manifest.files.end(),
              [](const ManifestFile& a, const ManifestFile& b) { return a.path < b.path; });
    base::JsonWriter json(1);
    base::InJson<Manifest>::write(json, manifest);
    return std::move(json).take() + "\n";
}

Result<Manifest> read_manifest(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(const std::string text, base::read_file(fs, path, kMaxManifestBytes));
    TRY_ASSIGN(const JsonDocument document, base::parse_json(text, path));
    return read_note<Manifest>(document);
}

}  // namespace ckpt
