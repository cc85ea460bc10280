#include "base/data_store.h"

namespace base {

DataStore::DataStore() {
    for (const EmbeddedFile& file : embedded_files()) {
        files_[std::string(file.path)] = {file.content, std::string(file.path), true};
    }
}

Status DataStore::overlay(FileSystem& fs, const Path& directory, const std::string& prefix) {
    std::vector<std::pair<Path, std::string>> pending{{directory, prefix}};
    while (!pending.empty()) {
        auto [at, logical] = pending.back();
        pending.pop_back();
        TRY_ASSIGN(auto entries, fs.list(at));
        for (const auto& entry : entries) {
            Path path = join(at, entry.name);
            std::string name = logical + "/" + entry.name;
            TRY_ASSIGN(FileInfo info, fs.info(path));
            if (info.kind == FileKind::directory) {
                // A link to a directory could lead in a circle; files may be links.
                if (entry.kind != FileKind::symlink) pending.emplace_back(path, name);
                continue;
            }
            TRY(add(fs, path, name));
        }
    }
    return {};
}

Status DataStore::add(FileSystem& fs, const Path& path, const std::string& name) {
    TRY_ASSIGN(std::string content, read_file(fs, path));
    owned_.push_back(std::make_shared<const std::string>(std::move(content)));
    files_[name] = {*owned_.back(), path};
    return {};
}

std::vector<std::string> DataStore::list(std::string_view prefix, std::string_view suffix) const {
    std::vector<std::string> out;
    for (auto it = files_.lower_bound(prefix); it != files_.end() && it->first.starts_with(prefix); ++it) {
        if (it->first.ends_with(suffix)) out.push_back(it->first);
    }
    return out;
}

const std::string_view* DataStore::find(std::string_view path) const {
    auto it = files_.find(path);
    return it == files_.end() ? nullptr : &it->second.content;
}

std::string DataStore::origin(std::string_view path) const {
    auto it = files_.find(path);
    return it == files_.end() ? std::string(path) : it->second.origin;
}

bool DataStore::is_built_in(std::string_view path) const {
    auto it = files_.find(path);
    return it != files_.end() && it->second.is_built_in;
}

}  // namespace base
