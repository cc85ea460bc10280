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

#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// No name that transformers, vLLM, PEFT, Megatron or MindSpeed-LLM looks for.
inline constexpr const char* kManifestFile = "conversion_manifest.json";

// 8 hexadecimal digits in JSON.
struct Crc32 {
    std::uint32_t value = 0;
};

struct ManifestFile {
    std::string path;  // relative to the output directory
    std::uint64_t bytes = 0;
    Crc32 crc32{};
};
constexpr auto record_of(const ManifestFile*) {
    using base::field;
    return base::record("manifest_file", "a file of an output",
                        field("path", &ManifestFile::path, "relative to the output directory").always(),
                        field("bytes", &ManifestFile::bytes, "its size").always(),
                        field("crc32", &ManifestFile::crc32, "its CRC-32").always());
}

struct Manifest {
    std::string tool;        // "ckpt_convert 0.1.0"
    std::string conversion;  // 16 digits, which are others when anything about the output is
    std::string from;        // "Hugging Face"
    std::string to;          // "Megatron TP 2 x PP 2 for MindSpeed-LLM"
    std::string family;
    std::vector<ManifestFile> files;
    SchemaName<"conversion-manifest/1"> schema{};
};
constexpr auto record_of(const Manifest*) {
    using base::field;
    return base::record(
        "manifest", "what a conversion wrote", field("schema", &Manifest::schema, "what the file is").always(),
        field("tool", &Manifest::tool, "program and version").always(),
        field("conversion", &Manifest::conversion, "other digits for any other output").always(),
        field("from", &Manifest::from, "what was converted").always(), field("to", &Manifest::to, "into what").always(),
        field("family", &Manifest::family, "of models").always(),
        field("files", &Manifest::files, "without this one").always());
}

// Of a file with this content.
ManifestFile manifest_entry(std::string path, std::string_view content);

// The same text whatever the order of the files.
std::string manifest_text(Manifest manifest);
// Fails with bad_input when it is none.
Result<Manifest> read_manifest(base::FileSystem& fs, const Path& path);

// What a run notes for the next one, which may be of a later version.
template <class T>
Result<T> read_note(const JsonDocument& document) {
    return base::read_json<T>({document, document.root, {}, ErrorKind::bad_input, true});
}

}  // namespace ckpt

template <>
struct base::InJson<ckpt::Crc32> {
    static Result<ckpt::Crc32> read(const JsonPlace& at);
    static void write(JsonWriter& out, ckpt::Crc32 sum);
};
