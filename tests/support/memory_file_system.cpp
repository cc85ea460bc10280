#include "tests/support/memory_file_system.h"

#include <cstring>

#include <doctest/doctest.h>

#include "base/format.h"
#include "base/text.h"

namespace test {
namespace {

using base::Error;
using base::ErrorKind;
using base::FileKind;
using base::Path;
using base::Result;
using base::Status;

// Without "." and "..", which may lead through any directory.
Path normal(const Path& path) {
    std::vector<std::string_view> parts;
    for (std::string_view part : base::split(path, '/')) {
        if (part == "..") {
            if (!parts.empty()) parts.pop_back();
        } else if (part != ".") {
            parts.push_back(part);
        }
    }
    Path out = (path.starts_with('/') ? "/" : "") + base::joined(parts, "/");
    return out.empty() ? "." : out;
}

class MemoryReadable : public base::ReadableFile {
public:
    MemoryReadable(std::shared_ptr<MemoryFileSystem::Node> node, Path path)
        : node_(std::move(node)), path_(std::move(path)) {}
    std::uint64_t size() const override { return node_->content.size(); }
    const Path& path() const override { return path_; }
    Status read_at(std::uint64_t offset, base::MutableByteSpan out) override {
        if (offset + out.size() > node_->content.size())
            return base::fail(ErrorKind::bad_input, "the file ends early", path_);
        std::memcpy(out.data(), node_->content.data() + offset, out.size());
        return {};
    }
    void drop_cache(std::uint64_t, std::uint64_t) override {}

private:
    std::shared_ptr<MemoryFileSystem::Node> node_;
    Path path_;
};

class MemoryWritable : public base::WritableFile {
public:
    MemoryWritable(std::shared_ptr<MemoryFileSystem::Node> node, Path path)
        : node_(std::move(node)), path_(std::move(path)) {}
    const Path& path() const override { return path_; }
    Status write_at(std::uint64_t offset, base::ByteSpan data) override {
        std::lock_guard lock(mutex_);
        if (node_->content.size() < offset + data.size()) node_->content.resize(offset + data.size());
        std::memcpy(node_->content.data() + offset, data.data(), data.size());
        return {};
    }
    Status allocate(std::uint64_t bytes) override {
        std::lock_guard lock(mutex_);
        if (node_->content.size() < bytes) node_->content.resize(bytes);
        return {};
    }
    void write_behind(std::uint64_t, std::uint64_t) override {}
    Status sync() override { return {}; }
    Status set_mode(std::uint32_t mode) override {
        node_->mode = mode;
        return {};
    }
    Result<base::FileInfo> info() override {
        return base::FileInfo{node_->kind, node_->content.size(), node_->mode, node_->inode, 1, node_->modified};
    }
    Status close() override { return {}; }

private:
    std::shared_ptr<MemoryFileSystem::Node> node_;
    Path path_;
    std::mutex mutex_;
};

// Paths below a directory, none through a link.
class BeneathMemory : public base::FileSystem {
public:
    BeneathMemory(base::FileSystem& fs, Path root) : fs_(fs), root_(std::move(root)) {}

    Result<std::unique_ptr<base::ReadableFile>> open(const Path& path) override {
        TRY(check(path, true));
        return fs_.open(at(path));
    }
    Result<std::unique_ptr<base::WritableFile>> create(const Path& path, std::uint32_t mode) override {
        TRY(check(path));
        return fs_.create(at(path), mode);
    }
    Result<std::unique_ptr<base::LockedFile>> lock(const Path& path) override {
        TRY(check(path, true));
        return fs_.lock(at(path));
    }
    Result<base::FileInfo> info(const Path& path) override { return link_info(path); }
    Result<base::FileInfo> link_info(const Path& path) override {
        TRY(check(path));
        return fs_.link_info(at(path));
    }
    Result<std::optional<base::FileInfo>> look(const Path& path) override {
        TRY(check(path));
        return fs_.look(at(path));
    }
    Result<std::vector<base::DirectoryEntry>> list(const Path& path) override {
        TRY(check(path, true));
        return fs_.list(at(path));
    }
    Result<Path> read_link(const Path& path) override {
        TRY(check(path));
        return fs_.read_link(at(path));
    }
    Status make_link(const Path& target, const Path& link) override {
        TRY(check(link));
        return fs_.make_link(target, at(link));
    }
    Status make_directory(const Path& path) override {
        TRY(check(path));
        return fs_.make_directory(at(path));
    }
    Status make_directories(const Path& path) override {
        TRY(check(path, true));
        return fs_.make_directories(at(path));
    }
    Status rename(const Path& from, const Path& to) override {
        TRY(check(from));
        TRY(check(to));
        return fs_.rename(at(from), at(to));
    }
    Status move(const Path& from, const Path& to) override {
        TRY(check(from));
        TRY(check(to));
        return fs_.move(at(from), at(to));
    }
    Status remove(const Path& path) override {
        TRY(check(path));
        return fs_.remove(at(path));
    }
    Status set_attributes(const Path& path, std::uint32_t mode, std::int64_t modified) override {
        TRY(check(path, true));
        return fs_.set_attributes(at(path), mode, modified);
    }
    Result<Path> real_path(const Path& path) override { return fs_.real_path(at(path)); }
    Status sync_directory(const Path& path) override { return fs_.sync_directory(at(path)); }
    Result<std::uint64_t> free_bytes(const Path& path) override { return fs_.free_bytes(at(path)); }
    Result<std::unique_ptr<base::FileSystem>> beneath(const Path& directory) override {
        TRY(check(directory, true));
        return std::make_unique<BeneathMemory>(fs_, at(directory));
    }

private:
    Path at(const Path& path) const { return path == "." ? root_ : root_ == "." ? path : base::join(root_, path); }

    // `last`: the last part must be no link either.
    Status check(const Path& path, bool last = false) {
        if (path == ".") return {};
        if (!base::stays_below(path))
            return base::fail(ErrorKind::bad_input, "the path leads out of the directory that it is in", at(path));
        for (std::size_t end = path.find('/'); end != Path::npos || last; end = path.find('/', end + 1)) {
            const auto info = fs_.link_info(at(path.substr(0, end)));
            if (info && info->kind == FileKind::symlink)
                return base::fail(ErrorKind::bad_input, "this is a link, and links are not followed here", at(path));
            if (end == Path::npos) break;
        }
        return {};
    }

    base::FileSystem& fs_;
    Path root_;
};

tl::unexpected<Error> missing(const Path& path) {
    return base::fail(ErrorKind::bad_input, "cannot open: No such file or directory", path);
}

}  // namespace

class MemoryLocked : public base::LockedFile {
public:
    MemoryLocked(MemoryFileSystem& fs, Path path, std::shared_ptr<MemoryFileSystem::Node> node)
        : fs_(fs), path_(std::move(path)), node_(std::move(node)) {}
    ~MemoryLocked() override { fs_.locked_.erase(path_); }
    const std::string& content() const override { return node_->content; }
    Status append(std::string_view text) override {
        node_->content += text;
        if (fs_.appends_to_failure_ == 0 || --fs_.appends_to_failure_ > 0) return {};
        return base::fail(ErrorKind::write_failed, "cannot sync: Input/output error", path_);
    }
    Status truncate(std::uint64_t bytes) override {
        node_->content.resize(bytes);
        return {};
    }
    Status remove() override { return fs_.remove(path_); }

private:
    MemoryFileSystem& fs_;
    Path path_;
    std::shared_ptr<MemoryFileSystem::Node> node_;
};

void MemoryFileSystem::add(const Path& path, std::string content, std::uint32_t mode) {
    REQUIRE(make_directories(base::parent(path)));
    nodes_[normal(path)] = std::make_shared<Node>(Node{FileKind::regular, std::move(content), mode, next_inode_++});
}

std::string MemoryFileSystem::content(const Path& path) {
    auto node = find(path, true);
    REQUIRE_MESSAGE(node != nullptr, path);
    return node->content;
}

std::vector<Path> MemoryFileSystem::files() const {
    std::vector<Path> out;
    for (const auto& [path, node] : nodes_) {
        if (node->kind != FileKind::directory) out.push_back(path);
    }
    return out;
}

std::shared_ptr<MemoryFileSystem::Node> MemoryFileSystem::find(const Path& path, bool follow) {
    Path at = normal(path);
    for (int hops = 0; hops < 8; ++hops) {
        auto it = nodes_.find(at);
        if (it == nodes_.end())
            return at == "." || at == "/" || at.empty() ? std::make_shared<Node>(Node{FileKind::directory, "", 0755, 0})
                                                        : nullptr;
        if (it->second->kind != FileKind::symlink || !follow) return it->second;
        const std::string& target = it->second->content;
        at = normal(target.starts_with("/") ? target : base::join(base::parent(at), target));
    }
    return nullptr;
}

Result<std::unique_ptr<base::ReadableFile>> MemoryFileSystem::open(const Path& path) {
    auto node = find(path, true);
    if (node == nullptr) return missing(path);
    if (node->kind == FileKind::directory)
        return base::fail(ErrorKind::bad_input, "this is a directory, a file is needed", path);
    return std::make_unique<MemoryReadable>(node, path);
}

Result<std::unique_ptr<base::WritableFile>> MemoryFileSystem::create(const Path& path, std::uint32_t mode) {
    auto directory = find(base::parent(path), true);
    if (directory == nullptr || directory->kind != FileKind::directory) {
        return base::fail(ErrorKind::write_failed, "cannot create: No such file or directory", path);
    }
    if (find(path, false) != nullptr) return base::fail(ErrorKind::write_failed, "cannot create: File exists", path);
    auto node = std::make_shared<Node>(Node{FileKind::regular, "", mode, next_inode_++});
    nodes_[normal(path)] = node;
    return std::make_unique<MemoryWritable>(node, path);
}

Result<std::unique_ptr<base::LockedFile>> MemoryFileSystem::lock(const Path& path) {
    if (find(path, false) == nullptr) TRY(create(path, 0644));
    if (!locked_.insert(normal(path)).second) return std::unique_ptr<base::LockedFile>();
    return std::make_unique<MemoryLocked>(*this, normal(path), find(path, false));
}

Result<base::FileInfo> MemoryFileSystem::info(const Path& path) {
    auto node = find(path, true);
    if (node == nullptr) return missing(path);
    return base::FileInfo{node->kind, node->content.size(), node->mode, node->inode, 1, node->modified};
}

Result<base::FileInfo> MemoryFileSystem::link_info(const Path& path) {
    auto node = find(path, false);
    if (node == nullptr) return missing(path);
    return base::FileInfo{node->kind, node->content.size(), node->mode, node->inode, 1, node->modified};
}

Result<std::optional<base::FileInfo>> MemoryFileSystem::look(const Path& path) {
    if (find(path, false) == nullptr) return std::optional<base::FileInfo>();
    return link_info(path);
}

Result<std::vector<base::DirectoryEntry>> MemoryFileSystem::list(const Path& directory) {
    auto node = find(directory, true);
    if (node == nullptr || node->kind != FileKind::directory) return missing(directory);
    Path prefix = normal(directory) == "." ? "" : normal(directory) == "/" ? "/" : normal(directory) + "/";
    std::vector<base::DirectoryEntry> out;
    for (const auto& [path, child] : nodes_) {
        if (path.size() > prefix.size() && path.starts_with(prefix) && path.find('/', prefix.size()) == Path::npos) {
            out.push_back({path.substr(prefix.size()), child->kind});
        }
    }
    return out;
}

Result<Path> MemoryFileSystem::read_link(const Path& path) {
    auto node = find(path, false);
    if (node == nullptr || node->kind != FileKind::symlink) return missing(path);
    return node->content;
}

Status MemoryFileSystem::make_link(const Path& target, const Path& link) {
    if (nodes_.contains(normal(link))) return base::fail(base::ErrorKind::write_failed, "the name is taken", link);
    nodes_[normal(link)] = std::make_shared<Node>(Node{FileKind::symlink, target, 0777, next_inode_++});
    return {};
}

Status MemoryFileSystem::make_directory(const Path& path) {
    if (find(path, false) != nullptr)
        return base::fail(ErrorKind::write_failed, "cannot create the directory: File exists", path);
    return make_directories(path);
}

Status MemoryFileSystem::make_directories(const Path& path) {
    for (Path at = normal(path); at != "." && at != "/" && !at.empty(); at = base::parent(at)) {
        auto node = find(at, true);
        if (node != nullptr && node->kind != FileKind::directory) {
            return base::fail(ErrorKind::write_failed, "cannot create the directory: something else has this name", at);
        }
        if (node == nullptr) nodes_[at] = std::make_shared<Node>(Node{FileKind::directory, "", 0755, next_inode_++});
    }
    return {};
}

Status MemoryFileSystem::rename(const Path& from, const Path& to) {
    Path source = normal(from);
    if (!nodes_.contains(source))
        return base::fail(ErrorKind::write_failed, "cannot rename: No such file or directory", from);
    std::map<Path, std::shared_ptr<Node>> moved;
    for (const auto& [path, node] : nodes_) {
        if (path == source || path.starts_with(source + "/")) moved[normal(to) + path.substr(source.size())] = node;
    }
    std::erase_if(nodes_,
                  [&](const auto& item) { return item.first == source || item.first.starts_with(source + "/"); });
    for (auto& [path, node] : moved) nodes_[path] = node;
    return {};
}

Status MemoryFileSystem::move(const Path& from, const Path& to) {
    if (find(to, false) != nullptr) return base::fail(ErrorKind::write_failed, "cannot rename: File exists", to);
    return rename(from, to);
}

Status MemoryFileSystem::remove(const Path& path) {
    const Path inside = normal(path) + "/";
    if (const auto next = nodes_.lower_bound(inside); next != nodes_.end() && next->first.starts_with(inside))
        return base::fail(ErrorKind::write_failed, "cannot remove: Directory not empty", path);
    if (nodes_.erase(normal(path)) == 0)
        return base::fail(ErrorKind::write_failed, "cannot remove: No such file or directory", path);
    return {};
}

Status MemoryFileSystem::set_attributes(const Path& path, std::uint32_t mode, std::int64_t modified) {
    auto node = find(path, true);
    if (node == nullptr) return missing(path);
    node->mode = mode;
    node->modified = modified;
    return {};
}

// Directories are not links here, so that only the last part of a path can be one.
Result<Path> MemoryFileSystem::real_path(const Path& path) {
    auto node = find(path, true);
    for (const auto& [name, known] : nodes_) {
        if (known == node) return name;
    }
    return missing(path);
}

Status MemoryFileSystem::sync_directory(const Path&) { return {}; }
Result<std::uint64_t> MemoryFileSystem::free_bytes(const Path&) { return std::uint64_t{1} << 40; }
Result<std::unique_ptr<base::FileSystem>> MemoryFileSystem::beneath(const Path& directory) {
    return std::make_unique<BeneathMemory>(*this, normal(directory));
}

}  // namespace test
