// DataStore: the files under rules/ and templates/ that are compiled into the program, with an optional directory
// that adds to them or overrides them.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"

namespace base {

struct EmbeddedFile {
    std::string_view path;  // "rules/models/llama2.json"
    std::string_view content;
};

// Sorted by path; defined by the generated source of the build.
std::span<const EmbeddedFile> embedded_files();

class DataStore {
public:
    // The compiled-in files only.
    DataStore();

    // Adds every file below `directory` under `prefix` ("rules"); a file with a known path replaces it.
    Status overlay(FileSystem& fs, const Path& directory, const std::string& prefix);

    // Adds the file `path` of the disk under `name`, in place of one that is there.
    Status add(FileSystem& fs, const Path& path, const std::string& name);

    // Paths that start with `prefix` and end with `suffix`, sorted.
    std::vector<std::string> list(std::string_view prefix, std::string_view suffix = {}) const;
    // nullptr when there is no such file. The view lives as long as the store.
    const std::string_view* find(std::string_view path) const;
    // Where the file came from, for messages: its path, or the overlay's path on the disk.
    std::string origin(std::string_view path) const;
    // Whether the file is the compiled-in one.
    bool is_built_in(std::string_view path) const;

private:
    struct Entry {
        std::string_view content;
        std::string origin;
        bool is_built_in = false;
    };
    std::map<std::string, Entry, std::less<>> files_;
    std::vector<std::shared_ptr<const std::string>> owned_;
};

}  // namespace base
