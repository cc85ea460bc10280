#include "base/git_index.h"

#include <utility>
#include <vector>

#include "base/git_directory.h"
#include "base/human.h"
#include "base/text.h"

namespace base {
namespace {

constexpr std::uint64_t kMaxIndexBytes = std::uint64_t{128} << 20;
constexpr std::uint64_t kMaxSettingsBytes = std::uint64_t{1} << 20;

std::string lower_ascii(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    return out;
}

// [extensions] objectformat = sha256, in the settings of a repository.
GitHash hash_of(std::string_view settings) {
    GitHash out = GitHash::sha1;
    bool is_extensions = false;
    for (const std::string_view line : split(settings, '\n')) {
        if (line.starts_with('[')) {
            is_extensions = lower_ascii(line.substr(0, line.find(']'))) == "[extensions";
            continue;
        }
        const std::size_t equals = line.find('=');
        if (!is_extensions || equals == line.npos || lower_ascii(trimmed(line.substr(0, equals))) != "objectformat")
            continue;
        const std::string_view value = line.substr(equals + 1);
        out =
            trimmed(value.substr(0, value.find_first_of("#;")), " \t\"") == "sha256" ? GitHash::sha256 : GitHash::sha1;
    }
    return out;
}

}  // namespace

bool GitIndex::has(const Directory& in, std::string_view name, GitNames::Kind kind) const {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (!in.numbers[i]) continue;
        for (auto at = layers_[i].begin_of(*in.numbers[i], name); at != layers_[i].end(); ++at) {
            const GitNames::Node& node = layers_[i].nodes()[*at];
            if (node.parent != *in.numbers[i] || layers_[i].name(node) != name) break;
            if (node.kind == kind) return true;
        }
    }
    return false;
}

bool GitIndex::has_file(const Directory& in, std::string_view name) const {
    return has(in, name, GitNames::Kind::file);
}

bool GitIndex::has_submodule(const Directory& in, std::string_view name) const {
    return has(in, name, GitNames::Kind::submodule);
}

bool GitIndex::has_whole_directory(const Directory& in, std::string_view name) const {
    return has(in, name, GitNames::Kind::whole_directory);
}

std::optional<GitIndex::Directory> GitIndex::find(const Directory& in, std::string_view name) const {
    Directory out;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (!in.numbers[i]) continue;
        for (auto at = layers_[i].begin_of(*in.numbers[i], name); at != layers_[i].end(); ++at) {
            const GitNames::Node& node = layers_[i].nodes()[*at];
            if (node.parent != *in.numbers[i] || layers_[i].name(node) != name) break;
            if (node.kind == GitNames::Kind::directory) out.numbers[i] = *at;
        }
    }
    if (!out.numbers[0] && !out.numbers[1]) return std::nullopt;
    return out;
}

std::optional<GitIndex::Directory> GitIndex::find_path(std::string_view path) const {
    std::optional<Directory> out = kRoot;
    while (!path.empty() && out) {
        const std::size_t slash = path.find('/');
        out = find(*out, path.substr(0, slash));
        path = slash == path.npos ? std::string_view() : path.substr(slash + 1);
    }
    return out;
}

void GitIndex::for_each_file(const Directory& below,
                             const std::function<void(const Path& path, const std::string& object)>& call) const {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const GitNames& names = layers_[i];
        std::vector<std::pair<std::uint32_t, Path>> pending;
        if (below.numbers[i]) pending.emplace_back(*below.numbers[i], "");
        while (!pending.empty()) {
            const auto [directory, path] = std::move(pending.back());
            pending.pop_back();
            for (auto at = names.begin_of(directory, ""); at != names.end(); ++at) {
                const GitNames::Node& node = names.nodes()[*at];
                if (node.parent != directory) break;
                Path inner = join(path, names.name(node));
                if (node.kind == GitNames::Kind::directory) pending.emplace_back(*at, std::move(inner));
                else if (node.kind == GitNames::Kind::file) call(inner, hexadecimal(names.object(node, object_bytes_)));
            }
        }
    }
}

Result<std::optional<GitIndex>> read_git_index(FileSystem& fs, const Path& tree) {
    const auto directory = git_directory(fs, tree);
    const Path path = directory ? join(*directory, "index") : Path();
    if (!directory || !fs.exists(path)) return std::optional<GitIndex>();
    TRY_ASSIGN(const std::string index, read_file(fs, path, kMaxIndexBytes));
    const Path settings = join(git_common_directory(fs, *directory), "config");
    const GitHash hash = hash_of(read_file(fs, settings, kMaxSettingsBytes).value_or(""));
    auto parsed = GitIndex::parse(index, hash, [&](const std::string& name) {
        return read_file(fs, join(*directory, "sharedindex." + name), kMaxIndexBytes);
    });
    if (!parsed) return tl::unexpected<Error>(Error{parsed.error().kind, parsed.error().message, path, {}});
    return std::optional<GitIndex>(std::move(*parsed));
}

}  // namespace base
