#include "migrator/source/source_file.h"

#include "base/format.h"
#include "base/number_text.h"
#include "migrator/source/text_codec.h"

namespace migrator {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kFallbackEncoding = "iso-8859-1";

// Formats that declare no encoding and whose tools do not care: every byte is a character then, and comes back.
bool may_be_any_bytes(FileType type) {
    return type == FileType::cuda || type == FileType::cpp || type == FileType::shell || type == FileType::script ||
           type == FileType::dockerfile || type == FileType::makefile || type == FileType::requirements;
}

bool has_utf16_mark(std::string_view bytes) { return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"); }

// Where a byte is, for people: "byte 12 (line 2)".
base::Message place(std::string_view bytes, std::size_t offset) {
    const base::LineIndex lines(bytes);
    return {"byte {byte} (line {line})",
            {{"byte", std::to_string(offset)}, {"line", std::to_string(lines.position(offset).line)}}};
}

// Decides the encoding; the result is a problem, or empty.
base::Message choose_encoding(SourceFile& file, std::string_view content) {
    if (file.type != FileType::python) return {};
    const auto cookie = find_coding_cookie(content);
    if (!cookie) return {};
    const auto encoding = canonical_encoding(*cookie);
    if (!encoding) return {"the encoding '{name}' of the coding cookie is not known", {{"name", *cookie}}};
    if (file.encoding.bom && *encoding != "utf-8") {
        return {"the file starts with a UTF-8 byte order mark, but its coding cookie says '{name}'",
                {{"name", *cookie}}};
    }
    file.encoding.name = *encoding;
    file.encoding.declared = true;
    return {};
}

// The offset inside "byte N", which decode's errors name.
base::Message undecodable(const SourceFile& file, std::string_view content, const base::Error& error) {
    if (error.where.empty()) return error.message;
    const std::string_view digits = std::string_view(error.where).substr(error.where.find(' ') + 1);
    const std::size_t offset = base::number_in<std::size_t>(digits).value_or(0);
    const bool lacks_cookie = file.type == FileType::python && !file.encoding.declared;
    return {lacks_cookie ? "not valid {encoding} at {place}, and there is no coding cookie"
                         : "not valid {encoding} at {place}",
            {{"encoding", file.encoding.name}, {"place", place(content, offset)}}};
}

// Fills the text; the result is a problem, or empty.
base::Message decode_content(SourceFile& file, std::string_view content) {
    if (has_utf16_mark(content)) return "UTF-16 text; save the file as UTF-8";
    if (const std::size_t nul = content.find('\0'); nul != std::string_view::npos) {
        return {"contains a NUL byte at {place}", {{"place", place(content, nul)}}};
    }
    if (base::Message problem = choose_encoding(file, content); !problem.empty()) return problem;

    auto text = decode(content, file.encoding.name);
    if (!text && may_be_any_bytes(file.type) && !file.encoding.bom) {
        file.encoding.name = kFallbackEncoding;
        text = decode(content, file.encoding.name);
    }
    if (!text) return undecodable(file, content, text.error());
    if (file.encoding.name != "utf-8") {
        const auto again = encode_text(*text, file.encoding.name);
        if (!again || *again != content) {
            return {"some characters have two forms in {encoding}, so the file could not be written back unchanged",
                    {{"encoding", file.encoding.name}}};
        }
    }
    file.text = std::move(*text);
    return {};
}

}  // namespace

SourceFile make_source_file(base::Path path, FileType type, std::string bytes, std::uint32_t mode) {
    SourceFile file;
    file.path = std::move(path);
    file.type = type;
    file.mode = mode;
    if (type != FileType::compiled) {
        std::string_view content = bytes;
        file.encoding.bom = content.starts_with(kUtf8Mark);
        if (file.encoding.bom) content.remove_prefix(kUtf8Mark.size());
        if (base::Message problem = decode_content(file, content); !problem.empty()) file.problem = std::move(problem);
    }
    if (file.text != bytes) file.raw = std::move(bytes);
    return file;
}

base::Result<std::string> encode(const SourceFile& file, std::string_view text) {
    if (text == file.text && !file.problem) return file.bytes();
    auto bytes = encode_text(text, file.encoding.name);
    if (!bytes) return bytes;
    if (file.encoding.bom) bytes->insert(0, kUtf8Mark);
    return bytes;
}

}  // namespace migrator
