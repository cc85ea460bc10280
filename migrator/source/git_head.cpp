#include "migrator/source/git_head.h"

#include "base/git_directory.h"

namespace migrator {
namespace {

using base::Path;

constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 20;  // of packed-refs
constexpr std::string_view kRef = "ref: ";

bool is_hash(std::string_view text) {
    return (text.size() == 40 || text.size() == 64) && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string packed(base::FileSystem& fs, const Path& directory, std::string_view name) {
    const auto text = base::read_file(fs, base::join(directory, "packed-refs"), kMaxBytes);
    if (!text) return {};
    const std::size_t at = text->find(" " + std::string(name) + "\n");
    if (at == text->npos) return {};
    const std::size_t begin = text->rfind('\n', at);
    const std::string hash =
        text->substr(begin == text->npos ? 0 : begin + 1, at - (begin == text->npos ? 0 : begin + 1));
    return is_hash(hash) ? hash : "";
}

std::string commit_of(base::FileSystem& fs, const Path& directory) {
    const auto head = base::first_line(fs, base::join(directory, "HEAD"));
    if (!head) return {};
    if (is_hash(*head)) return *head;
    if (!head->starts_with(kRef)) return {};
    const std::string name = head->substr(kRef.size());
    if (!base::stays_below(name)) return {};
    // The branches of a worktree are those of its repository.
    const Path shared = base::git_common_directory(fs, directory);
    const auto hash = base::first_line(fs, base::join(shared, name));
    return hash && is_hash(*hash) ? *hash : packed(fs, shared, name);
}

}  // namespace

std::string git_head(base::FileSystem& fs, const Path& path) {
    const auto start = fs.real_path(path);
    if (!start) return {};
    for (Path tree = *start, last; tree != last && !tree.empty(); last = tree, tree = base::parent(tree)) {
        if (const auto directory = base::git_directory(fs, tree)) return commit_of(fs, *directory);
    }
    return {};
}

}  // namespace migrator
