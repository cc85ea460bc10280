// FileRounds: the Python files of a project, looked at again and again while names are followed from one to the next.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "migrator/project/project.h"

namespace migrator {

class FileRounds {
public:
    using Filter = std::function<bool(std::size_t file, std::string_view text)>;
    using Work = std::function<void(std::size_t file, const ParsedText& parsed, const MatchContext& context)>;

    FileRounds(base::FileSystem& fs, int threads, const Knowledge& knowledge, const Project& project);

    // All that pass the filter, on several threads.
    base::Status visit(const Filter& filter, const Work& work);

    // Hashes of the names that a file has to do with (see Bindings::shared_name_hashes); empty until it was visited.
    const std::vector<std::uint32_t>& names(std::size_t file) const { return names_[file]; }

private:
    void look_at_kept(std::size_t number, ParsedFile& kept, const Work& work);
    void look_at(std::size_t number, ParsedFile& parsed, const Work& work);

    base::FileSystem& fs_;
    int threads_;
    const Knowledge& knowledge_;
    const Project& project_;
    std::vector<std::vector<std::uint32_t>> names_;
    std::atomic<std::size_t> kept_ = 0;  // bytes of trees and bindings
};

// Whether a word of the text is one of these.
bool mentions(std::string_view text, const std::unordered_set<std::string_view>& words);
// The same of hashes: `names` as FileRounds::names gives them.
bool has_any(const std::vector<std::uint32_t>& names, const std::vector<std::uint32_t>& wanted);

}  // namespace migrator
