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

bool is_unfinished(std::string_view name) {
    if (!name.starts_with('.') || !name.ends_with(kUnfinished)) return false;
    name.remove_suffix(kUnfinished.size());
    if (name.size() < kDigits + 2 || name[name.size() - kDigits - 1] != '.') return false;
    const std::string_view digits = name.substr(name.size() - kDigits);
    return digits.find_first_not_of("0123456789abcdef") == digits.npos;
}

Status write_text(WritableFile& file, const TextSource& text) {
    Status parts;
    std::uint64_t offset = 0;
    text([&](std::string_view part) {
        if (parts) parts = file.write_at(offset, as_bytes(part));
        offset += part.size();
    });
    return parts;
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

TextSource whole(std::string_view content) {
    return [content](const TextSink& out) { out(content); };
}

}  // namespace

Status write_file(FileSystem& fs, const Path& path, std::string_view content, std::uint32_t mode) {
    return write_file(fs, path, whole(content), mode);
}

Status write_file(FileSystem& fs, const Path& path, const TextSource& text, std::uint32_t mode) {
    TRY_ASSIGN(const std::string token, random_digits(kDigits / 2));
    return write_and_rename(fs, path, text, {mode, false}, token);
}

Status write_file_of(FileSystem& fs, const Path& path, std::string_view content, FileMode mode,
                     const std::string& token, const std::function<Status()>& check) {
    return write_and_rename(fs, path, whole(content), mode, token, check);
}

Status remove_unfinished_of(FileSystem& fs, const Path& path, const std::string& token) {
    const Path unfinished = unfinished_path(path, token);
    return fs.exists(unfinished) ? fs.remove(unfinished) : Status{};
}

Result<std::vector<std::string>> remove_unfinished(FileSystem& fs, const Path& directory) {
    std::vector<std::string> out;
    TRY_ASSIGN(const auto entries, fs.list(directory));
    for (const DirectoryEntry& entry : entries) {
        if (entry.kind != FileKind::regular || !is_unfinished(entry.name)) continue;
        TRY_ASSIGN(const auto file, fs.lock(join(directory, entry.name)));
        if (file == nullptr) continue;  // its writer lives
        TRY(file->remove());
        out.push_back(entry.name);
    }
    return out;
}

}  // namespace base
