#include "base/git_directory.h"

namespace base {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 20;  // as git takes them

}  // namespace

std::optional<std::string> first_line(FileSystem& fs, const Path& path) {
    const auto text = read_file(fs, path, kMaxFileBytes);
    if (!text) return std::nullopt;
    return text->substr(0, text->find_first_of("\r\n"));
}

std::optional<Path> git_directory(FileSystem& fs, const Path& tree) {
    constexpr std::string_view kElsewhere = "gitdir: ";
    const Path at = join(tree, ".git");
    const auto info = fs.info(at);
    if (!info) return std::nullopt;
    if (info->kind == FileKind::directory) return at;
    const auto line = first_line(fs, at);
    if (!line || !line->starts_with(kElsewhere)) return std::nullopt;
    const Path named = line->substr(kElsewhere.size());
    return named.starts_with('/') ? named : join(tree, named);
}

Path git_common_directory(FileSystem& fs, const Path& directory) {
    const auto common = first_line(fs, join(directory, "commondir"));
    if (!common) return directory;
    return common->starts_with('/') ? *common : join(directory, *common);
}

}  // namespace base
