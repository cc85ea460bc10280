#include "migrator/app/named_input.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/missing_path.h"
#include "base/text.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::fail;
using base::Path;

constexpr std::size_t kFirstBytes = 512;
constexpr std::size_t kTarMarkAt = 257;

// Also those of which only a program of their own knows more.
constexpr auto kArchives = std::to_array<std::string_view>(
    {".7z", ".bz2", ".egg", ".gz", ".rar", ".tar", ".tbz2", ".tgz", ".txz", ".whl", ".xz", ".zip", ".zst"});
constexpr auto kArchiveMarks = std::to_array<std::string_view>({"PK\x03\x04", "PK\x05\x06", "\x1f\x8b", "BZh",
                                                                "\xFD"
                                                                "7zXZ",
                                                                "7z\xBC\xAF\x27\x1C", "Rar!", "\x28\xB5\x2F\xFD"});
constexpr auto kWeights = std::to_array<std::string_view>(
    {".bin", ".ckpt", ".gguf", ".h5", ".msgpack", ".npy", ".npz", ".onnx", ".pdparams", ".pt", ".pth", ".safetensors"});

bool ends_with_any(std::string_view name, const auto& endings) {
    return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

// https://host/x, git@host:x, user@host:x.git
bool is_address(std::string_view path) {
    const std::size_t colon = path.find(':');
    if (colon == path.npos) return false;
    return path.substr(colon).starts_with("://") || path.substr(0, colon).find('@') != path.npos;
}

std::string first_bytes(base::FileSystem& fs, const Path& path) {
    auto opened = fs.open(path);
    if (!opened) return {};
    std::string out(std::min<std::uint64_t>(kFirstBytes, (*opened)->size()), '\0');
    return (*opened)->read_at(0, std::as_writable_bytes(std::span(out.data(), out.size()))) ? out : std::string();
}

bool is_archive(std::string_view name, std::string_view bytes) {
    const bool is_marked =
        std::ranges::any_of(kArchiveMarks, [&](std::string_view mark) { return bytes.starts_with(mark); });
    return ends_with_any(name, kArchives) || is_marked ||
           bytes.substr(std::min(bytes.size(), kTarMarkAt)).starts_with("ustar");
}

base::Status check_is_source(base::FileSystem& fs, const Path& path, const FoundFile& file) {
    if (file.kind == base::FileKind::other)
        return fail(ErrorKind::bad_input, "it is neither a file nor a directory; name the directory of the project",
                    path);
    if (file.type == FileType::other) {
        const std::string bytes = first_bytes(fs, path);
        if (ends_with_any(path, kWeights) || bytes.starts_with("GGUF"))
            return fail(
                ErrorKind::bad_input,
                "these are weights, not a project; `ckpt_convert inspect` shows what is in them, and ckpt_convert "
                "converts them",
                path);
        if (is_archive(path, bytes))
            return fail(ErrorKind::bad_input, "this is an archive; unpack it first and name the directory", path);
        return fail(ErrorKind::bad_input,
                    "files of this kind are not analysed; name the directory of the project, or a file of Python, a "
                    "notebook, a script of a shell, CUDA or requirements",
                    path);
    }
    if (!is_code(file.type) && file.type != FileType::requirements && file.type != FileType::compiled)
        return fail(ErrorKind::bad_input,
                    "a file of settings says nothing without its project; name the directory of the project", path);
    return {};
}

}  // namespace

base::Status check_is_there(base::FileSystem& fs, const Path& path) {
    if (fs.exists(path)) return {};
    if (is_address(path))
        return fail(ErrorKind::bad_input, "this is an address; clone it first with git clone, and name the directory",
                    path);
    return tl::unexpected(base::missing_path(fs, path));
}

base::Status check_is_project(base::FileSystem& fs, const Path& path, bool is_directory, const FileList& files) {
    if (!is_directory) return check_is_source(fs, path, files.files.front());
    const bool has_some =
        std::ranges::any_of(files.files, [](const FoundFile& file) { return file.type != FileType::other; }) ||
        std::ranges::any_of(files.left_out, [](const LeftOutPath& item) { return item.has_code; });
    if (has_some || !files.unreadable.empty()) return {};
    return fail(ErrorKind::bad_input,
                "no file here is of a kind that is analysed: Python, notebooks, shell, CUDA, requirements, settings; "
                "name the directory of the project",
                path);
}

}  // namespace migrator
