// SourceFile: one file of the project as bytes, and as UTF-8 text when it has one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/message.h"
#include "base/text_position.h"

namespace migrator {

enum class FileType {
    python,
    cython,
    notebook,
    shell,
    script,  // of another shell or runner of commands: it is read like one of a shell, and only reported
    dockerfile,
    makefile,
    requirements,
    yaml,
    json,
    toml,
    setup_cfg,
    ini,
    cmake,
    protobuf,  // messages as text: settings of inference servers
    cuda,
    cpp,
    compiled,  // bytes, not text
    other
};
std::string_view name(FileType type);  // "python", ... as reports print it
bool is_code(FileType type);           // everything but settings, requirements and what is compiled
constexpr bool is_python_code(FileType type) { return type == FileType::python || type == FileType::notebook; }
inline constexpr auto kAllFileTypes = [] {
    using enum FileType;
    return std::to_array({python, cython, notebook, shell, script, dockerfile, makefile, requirements, yaml, json, toml,
                          setup_cfg, ini, cmake, protobuf, cuda, cpp, compiled, other});
}();

// How the bytes of a text file became UTF-8 text. Edits are made on the text; `encode` takes them back to bytes.
struct TextEncoding {
    std::string name = "utf-8";  // normalised PEP 263 name; "utf-8" without a cookie
    bool bom = false;            // a UTF-8 byte order mark, not part of the text
    bool declared = false;       // by a coding cookie
};

struct SourceFile {
    base::Path path;  // relative to the project root, '/' separated
    FileType type = FileType::other;
    std::uint32_t mode = 0644;
    TextEncoding encoding;
    std::string text;  // UTF-8; empty when `problem` is set, and of compiled files
    std::string raw;   // the bytes of the file when they are others than those of the text; else empty
    // Why the text cannot be analysed ("not valid utf-8 at byte 12, no coding cookie", "contains a NUL byte" ...).
    std::optional<base::Message> problem;

    const std::string& bytes() const { return raw.empty() ? text : raw; }
};

// Decodes by BOM, PEP 263 cookie (Python) or UTF-8; sources whose tools ignore encodings (C++, CUDA, shell, Dockerfile,
// requirements) as iso-8859-1 when they are not UTF-8. Never fails: an undecodable file gets a `problem`.
SourceFile make_source_file(base::Path path, FileType type, std::string bytes, std::uint32_t mode = 0644);

// The bytes of `text`, which was made from `file.text` by edits: unedited parts keep their original bytes exactly.
// Fails (unsupported) when a new character has no form in the file's encoding.
base::Result<std::string> encode(const SourceFile& file, std::string_view text);

}  // namespace migrator
