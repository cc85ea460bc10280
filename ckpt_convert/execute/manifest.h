// Manifest: every file that a conversion wrote, with its size and checksum, beside the weights.
//
//   SAVE_DIR/conversion_manifest.json
//
// The checksum is CRC-32: that of a whole file follows from those of its parts, which are written in any order. It finds
// damage, not forgery.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "ckpt_convert/base_names.h"

namespace ckpt {

// No name that transformers, vLLM, PEFT, Megatron or MindSpeed-LLM looks for.
inline constexpr const char* kManifestFile = "conversion_manifest.json";

struct ManifestFile {
    std::string path;  // relative to the output directory
    std::uint64_t bytes = 0;
    std::uint32_t crc32 = 0;
};

struct Manifest {
    std::string tool;        // "ckpt_convert 0.1.0"
    std::string conversion;  // 16 digits, which are others when anything about the output is
    std::string from;        // "Hugging Face"
    std::string to;          // "Megatron TP 2 x PP 2 for MindSpeed-LLM"
    std::string family;
    std::vector<ManifestFile> files;
};

// Of a file with this content.
ManifestFile manifest_entry(std::string path, std::string_view content);

// The same text whatever the order of the files.
std::string manifest_text(const Manifest& manifest);
void write_manifest(const Manifest& manifest, base::JsonWriter& json);  // the object alone
// Fails with bad_input when it is none.
Result<Manifest> read_manifest(base::FileSystem& fs, const Path& path);
Result<Manifest> manifest_of(const JsonDocument& document, const Json& json);

// One entry of it.
void write_manifest_file(const ManifestFile& file, base::JsonWriter& json);
Result<ManifestFile> manifest_file_of(const JsonDocument& document, const Json& json);

}  // namespace ckpt
