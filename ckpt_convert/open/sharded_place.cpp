#include <algorithm>

#include "base/format.h"
#include "base/number_text.h"
#include "base/text.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/checkpoint/mindspore_checkpoint.h"
#include "ckpt_convert/mapping/model_mapping.h"
#include "ckpt_convert/open/sharded_source.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kMaxTrackerBytes = 4096;

using Numbers = std::vector<std::uint64_t>;

// The numbers in a name that fits "epoch_*_step_*"; nullopt when it does not, or a "*" is no number.
std::optional<Numbers> numbers_in(std::string_view pattern, std::string_view name) {
    Numbers out;
    for (std::size_t star = pattern.find('*'); star != pattern.npos; star = pattern.find('*')) {
        if (!name.starts_with(pattern.substr(0, star))) return std::nullopt;
        name.remove_prefix(star);
        pattern.remove_prefix(star + 1);
        const auto number =
            base::number_in<std::uint64_t>(name.substr(0, std::min(name.find_first_not_of("0123456789"), name.size())));
        if (!number) return std::nullopt;
        name.remove_prefix(std::min(name.find_first_not_of("0123456789"), name.size()));
        out.push_back(*number);
    }
    return name == pattern ? std::optional(out) : std::nullopt;
}

// The word in a tracker: "1200", "release", "global_step3".
std::optional<std::string> tracked(base::FileSystem& fs, const DistributedNames& names, const Path& directory) {
    for (const std::string& tracker : names.trackers) {
        const Path path = base::join(directory, tracker);
        if (!fs.exists(path)) continue;
        if (auto text = base::read_file(fs, path, kMaxTrackerBytes)) return std::string(base::trimmed(*text));
    }
    return std::nullopt;
}

bool is_tracked(std::string_view word, const std::string& name, const Numbers& numbers) {
    const auto wanted = base::number_in<std::uint64_t>(word);
    return name == word || (wanted && !numbers.empty() && numbers.back() == *wanted);
}

// The directory below `directory` with this path and shards in it: the one that `word` names, else the highest number.
std::optional<Path> place_in(base::FileSystem& fs, const Path& directory, std::string_view place,
                             const std::optional<std::string>& word) {
    if (place.empty()) return is_sharded_checkpoint(fs, directory) ? std::optional(directory) : std::nullopt;
    const std::size_t slash = std::min(place.find('/'), place.size());
    const std::string_view part = place.substr(0, slash);
    const auto entries = fs.list(directory);
    if (!entries) return std::nullopt;
    std::vector<std::pair<Numbers, std::string>> found;
    for (const auto& entry : *entries) {
        auto numbers = numbers_in(part, entry.name);
        if (!numbers || (word && !numbers->empty() && !is_tracked(*word, entry.name, *numbers))) continue;
        found.emplace_back(std::move(*numbers), entry.name);
    }
    std::sort(found.rbegin(), found.rend());
    for (const auto& [numbers, name] : found) {
        const Path inner = base::join(directory, name);
        if (auto place_found = place_in(fs, inner, place.substr(std::min(slash + 1, place.size())), std::nullopt))
            return place_found;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Path> find_optimizer(base::FileSystem& fs, const DistributedNames& names, const Path& directory) {
    const std::string_view name = base::file_name(directory);
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    for (const std::string& place : names.optimizers) {
        std::string path = place;
        if (const std::size_t star = path.find('*'); star != path.npos) path.replace(star, 1, name.substr(digits));
        Path candidate = base::join(directory, path);
        if (is_sharded_checkpoint(fs, candidate)) return candidate;
    }
    return std::nullopt;
}

std::optional<Path> sharded_below(base::FileSystem& fs, const DistributedNames& names, const Path& directory) {
    const auto word = tracked(fs, names, directory);
    // A directory that the tracker names is taken whatever it is called.
    if (word && !word->empty() && word->find('/') == word->npos && *word != "..") {
        const Path named = base::join(directory, *word);
        if (is_sharded_checkpoint(fs, named)) return named;
    }
    for (const std::string& place : names.places) {
        if (auto found = place_in(fs, directory, place, word)) return found;
    }
    return std::nullopt;
}

Result<std::optional<Path>> find_sharded(base::FileSystem& fs, const DistributedNames& names, const Path& directory) {
    if (is_mindspore_checkpoint(fs, directory)) return std::optional(directory);
    if (is_hf_checkpoint(fs, directory) || holds_megatron_weights(fs, directory)) return std::optional<Path>();
    if (is_sharded_checkpoint(fs, directory)) return std::optional(directory);
    if (auto found = sharded_below(fs, names, directory)) return found;
    const auto word = tracked(fs, names, directory);
    for (const std::string& place : names.places) {
        if (!word || !place_in(fs, directory, place, std::nullopt)) continue;
        return base::fail(ErrorKind::bad_input,
                          base::format("the save {} is missing, which the tracker names; name the directory of another "
                                       "save itself",
                                       quoted_name(*word)),
                          directory);
    }
    return std::optional<Path>();
}

}  // namespace ckpt
