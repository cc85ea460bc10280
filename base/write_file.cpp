#include "base/write_file.h"

#include <algorithm>

#include "base/format.h"
#include "base/random.h"

namespace base {
namespace {

constexpr std::string_view kUnfinished = ".unfinished";
constexpr std::size_t kDigits = 16;

Path unfinished_path(const Path& path, std::string_view token) {
    std::string name = format(".{}.{}{}", file_name(path), token, kUnfinished);
    const Path directory = parent(path);
    return directory == "." && !path.starts_with("./") ? name : join(directory, name);
}

// Of the file of this name, by any run.
bool is_unfinished(std::string_view name, std::string_view file) {
    const std::string start = format(".{}.", file);
    if (name.size() != start.size() + kDigits + kUnfinished.size()) return false;
    const std::string_view digits = name.substr(start.size(), kDigits);
    return name.starts_with(start) && name.ends_with(kUnfinished) &&
           digits.find_first_not_of("0123456789abcdef") == digits.npos;
}

Status write_and_rename(FileSystem& fs, const Path& path, const TextSource& text, FileMode mode, std::string_view token,
                        const std::function<Status()>& check = nullptr) {
    const Path unfinished = unfinished_path(path, token);
    TRY_ASSIGN(auto file, fs.create(unfinished, mode.bits));
    auto written = [&]() -> Status {
        TRY(write_text(*file, text));
        if (mode.exactly) TRY(file->set_mode(mode.bits));
        TRY(file->sync());
        TRY(file->close());
        if (check) TRY(check());
        return fs.rename(unfinished, path);
    }();
    // The first error is the one to report, whatever becomes of the clean-up.
    if (!written) static_cast<void>(fs.remove(unfinished).has_value());
    return written;
}

}  // namespace

Status write_text(WritableFile& file, const TextSource& text) {
    constexpr std::size_t kChunkBytes = 1 << 20;
    Status parts;
    std::uint64_t offset = 0;
    std::string chunk;
    const auto write = [&](std::string_view bytes) {
        if (parts) parts = file.write_at(offset, as_bytes(bytes));
        offset += bytes.size();
    };
    const auto write_chunk = [&] {
        write(chunk);
        chunk.clear();
    };
    text([&](std::string_view part) {
        // A large part is not copied.
        const bool is_large = part.size() >= kChunkBytes;
        if (!is_large) chunk += part;
        if (is_large || chunk.size() >= kChunkBytes) write_chunk();
        if (is_large) write(part);
    });
    write_chunk();
    return parts;
}

TextSource whole_text(std::string_view text) {
    return [text](const TextSink& out) { out(text); };
}

Status write_file(FileSystem& fs, const Path& path, std::string_view content, std::uint32_t mode) {
    return write_file(fs, path, whole_text(content), mode);
}

Status write_file(FileSystem& fs, const Path& path, const TextSource& text, std::uint32_t mode) {
    TRY(remove_unfinished(fs, path));
    TRY_ASSIGN(const std::string token, random_digits(kDigits / 2));
    return write_and_rename(fs, path, text, {mode, false}, token);
}

Status write_file_of(FileSystem& fs, const Path& path, std::string_view content, FileMode mode,
                     const std::string& token, const std::function<Status()>& check) {
    return write_and_rename(fs, path, whole_text(content), mode, token, check);
}

Status remove_unfinished_of(FileSystem& fs, const Path& path, const std::string& token) {
    const Path unfinished = unfinished_path(path, token);
    return fs.exists(unfinished) ? fs.remove(unfinished) : Status{};
}

Status remove_unfinished(FileSystem& fs, const Path& path) {
    const auto entries = fs.list(parent(path));
    if (!entries) return {};  // one that cannot be read may be written to
    for (const DirectoryEntry& entry : *entries) {
        if (entry.kind != FileKind::regular || !is_unfinished(entry.name, file_name(path))) continue;
        TRY_ASSIGN(const auto file, fs.lock(join(directory_below(path), entry.name)));
        if (file != nullptr) TRY(file->remove());  // else its writer lives
    }
    return {};
}

}  // namespace base
