#include "ckpt_convert/checkpoint/hf_checkpoint.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/format.h"
#include "ckpt_convert/formats/broken_download.h"

namespace ckpt {
namespace {

using Entries = std::vector<base::DirectoryEntry>;

// The stems under which transformers looks for weights, in its order of preference.
struct WeightName {
    const char* stem;
    const char* extension;
};
constexpr WeightName kWeightNames[] = {{"model", ".safetensors"}, {"pytorch_model", ".bin"}};

// "model-00002-of-00007.safetensors" -> 2 of 7.
struct ShardNumber {
    int number = 0;
    int count = 0;
};

std::optional<int> to_int(std::string_view digits) {
    int value = 0;
    auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc() || end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
    return value;
}

std::optional<ShardNumber> shard_number(std::string_view file, const WeightName& name) {
    std::string prefix = std::string(name.stem) + "-";
    if (!file.starts_with(prefix) || !file.ends_with(name.extension)) return std::nullopt;
    file.remove_prefix(prefix.size());
    file.remove_suffix(std::string_view(name.extension).size());
    std::size_t of = file.find("-of-");
    if (of == std::string_view::npos) return std::nullopt;
    auto number = to_int(file.substr(0, of));
    auto count = to_int(file.substr(of + 4));
    if (!number || !count) return std::nullopt;
    return ShardNumber{*number, *count};
}

struct WeightMap {
    Path path;
    std::vector<std::pair<std::string, std::string>> entries;  // tensor, file
};

Result<WeightMap> read_weight_map(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(std::string text, base::read_file(fs, path));
    TRY(refuse_broken_download(text, path));
    TRY_ASSIGN(JsonDocument document, base::parse_json(text, path));
    const Json* map = document.root.find("weight_map");
    if (map == nullptr || map->object() == nullptr || map->object()->empty()) {
        return base::fail(ErrorKind::bad_input, "the index has no \"weight_map\"; fetch it again", path);
    }
    WeightMap out{path, {}};
    for (const auto& [tensor, file] : *map->object()) {
        if (file.string() == nullptr || file.string()->empty() || file.string()->find('/') != std::string::npos) {
            return base::fail(ErrorKind::bad_input,
                              base::format("\"{}\" must name a file in the same directory", tensor),
                              document.where(file));
        }
        out.entries.emplace_back(tensor, *file.string());
    }
    return out;
}

// Endings of files that a download leaves while it is not finished.
constexpr std::string_view kUnfinished[] = {".incomplete", ".part", ".aria2", ".crdownload", ".tmp", "._____temp"};

// What is wrong with the weight files, all of it, so that one more download repairs them.
class FileProblems {
public:
    explicit FileProblems(Path directory) : directory_(std::move(directory)) {}

    void add(base::Error error) { errors_.push_back(std::move(error)); }

    // Fails with the one problem, or with the list of them.
    Status result(base::FileSystem& fs, std::size_t files) const {
        if (errors_.empty()) return {};
        base::Error error = errors_.front();
        if (errors_.size() > 1) {
            error.message = base::format("{} of {} weight files must be fetched again", errors_.size(), files);
            for (std::size_t i = 0; i < errors_.size() && i < kShown; ++i)
                error.message += base::format("{} {}", i == 0 ? ":" : ";", line(errors_[i]));
            if (errors_.size() > kShown) error.message += base::format("; and {} more", errors_.size() - kShown);
            error.where = directory_;
        }
        if (auto unfinished = unfinished_file(fs))
            error.message += base::format(". {} is what an unfinished download leaves", *unfinished);
        return tl::unexpected<base::Error>(std::move(error));
    }

private:
    static constexpr std::size_t kShown = 10;

    static std::string line(const base::Error& error) {
        return base::format("{}: {}", base::file_name(error.where), error.message);
    }

    std::optional<std::string> unfinished_file(base::FileSystem& fs) const {
        auto entries = fs.list(directory_);
        if (!entries) return std::nullopt;
        for (const auto& entry : *entries) {
            if (is_unfinished_download(entry.name)) return entry.name;
        }
        return std::nullopt;
    }

    Path directory_;
    std::vector<base::Error> errors_;
};

// The files of a shard set without an index, by their numbers.
Result<std::vector<std::string>> numbered_shards(const Entries& entries, const Path& directory,
                                                 const WeightName& name) {
    std::vector<std::string> found;
    int count = 0;
    for (const auto& entry : entries) {
        auto shard = shard_number(entry.name, name);
        if (!shard) continue;
        if (count != 0 && shard->count != count) {
            return base::fail(ErrorKind::bad_input,
                              base::format("weight files of two sets are mixed: \"-of-{:05}\" and \"-of-{:05}\"", count,
                                           shard->count),
                              directory);
        }
        count = shard->count;
        found.push_back(entry.name);
    }
    if (found.empty()) return found;
    std::vector<std::string> expected;
    for (int i = 1; i <= count; ++i)
        expected.push_back(base::format("{}-{:05}-of-{:05}{}", name.stem, i, count, name.extension));
    return expected;
}

Status check_against_map(const TensorIndex& index, const WeightMap& map) {
    std::unordered_map<std::string_view, std::string_view> file_of;
    for (const auto& tensor : index.tensors) file_of[tensor.name] = base::file_name(index.files[tensor.file]->path());
    for (const auto& [tensor, file] : map.entries) {
        auto found = file_of.find(tensor);
        if (found == file_of.end() || found->second != file) {
            return base::fail(
                ErrorKind::bad_input,
                base::format("the index puts tensor \"{}\" into {}, but it is {}; index and shards are of "
                             "different downloads, fetch them again",
                             tensor, file,
                             found == file_of.end() ? "in none of the files" : "in " + std::string(found->second)),
                map.path);
        }
    }
    return {};
}

Status reject_duplicates(const TensorIndex& index) {
    std::unordered_map<std::string_view, std::uint32_t> seen;
    for (const auto& tensor : index.tensors) {
        auto [it, fresh] = seen.emplace(tensor.name, tensor.file);
        if (fresh) continue;
        return base::fail(ErrorKind::bad_input,
                          base::format("tensor \"{}\" is also in {}: a tensor may be in one file only", tensor.name,
                                       base::file_name(index.files[it->second]->path())),
                          index.files[tensor.file]->path());
    }
    return {};
}

// A file that lies there under a number of the same set, and that the index does not name, would be left out unseen.
Status require_all_named(const Entries& entries, const WeightName& name, const std::set<std::string>& named,
                         const Path& index) {
    std::set<int> counts;
    for (const std::string& file : named) {
        if (const auto shard = shard_number(file, name)) counts.insert(shard->count);
    }
    for (const auto& entry : entries) {
        const auto shard = shard_number(entry.name, name);
        if (!shard || !counts.contains(shard->count) || named.contains(entry.name)) continue;
        return base::fail(
            ErrorKind::bad_input,
            base::format("{} is of the same set, but the index names no tensor in it; index and shards are "
                         "of different downloads, fetch them again",
                         entry.name),
            index);
    }
    return {};
}

struct WeightFiles {
    std::vector<std::string> names;
    std::string promised_by;  // what says that these are the files: the index, or the name of one of them
    std::optional<WeightMap> map;
};

// An empty list of names when there are no weights of this kind.
Result<WeightFiles> find_weight_files(base::FileSystem& fs, const Path& directory, const Entries& entries,
                                      const WeightName& name) {
    Path index = base::join(directory, std::string(name.stem) + name.extension + ".index.json");
    WeightFiles out;
    if (fs.exists(index)) {
        TRY_ASSIGN(out.map, read_weight_map(fs, index));
        std::set<std::string> files;
        for (const auto& entry : out.map->entries) files.insert(entry.second);
        TRY(require_all_named(entries, name, files, index));
        out.names.assign(files.begin(), files.end());
        out.promised_by = base::file_name(index);
        return out;
    }
    std::string single = std::string(name.stem) + name.extension;
    if (fs.exists(base::join(directory, single))) {
        out.names = {single};
        return out;
    }
    TRY_ASSIGN(out.names, numbered_shards(entries, directory, name));
    if (!out.names.empty()) out.promised_by = base::format("the number in {}", out.names.back());
    return out;
}

// Reads the headers of all weight files.
Result<TensorIndex> read_headers(base::FileSystem& fs, const Path& directory, const WeightFiles& files) {
    TensorIndex index;
    FileProblems problems(directory);
    for (const auto& file : files.names) {
        Path path = base::join(directory, file);
        if (!fs.exists(path)) {
            problems.add(
                {ErrorKind::bad_input, base::format("missing, although {} names it", files.promised_by), path, {}});
        } else if (auto added = add_weight_file(index, fs, path); !added) {
            problems.add(added.error());
        }
    }
    TRY(problems.result(fs, files.names.size()));
    return index;
}

}  // namespace

bool is_unfinished_download(std::string_view file) {
    return std::any_of(std::begin(kUnfinished), std::end(kUnfinished),
                       [&](std::string_view ending) { return file.ends_with(ending); });
}

bool is_hf_checkpoint(base::FileSystem& fs, const Path& directory) {
    auto entries = fs.list(directory);
    if (!entries) return false;
    return std::any_of(entries->begin(), entries->end(), [](const auto& entry) {
        for (const auto& name : kWeightNames) {
            std::string single = std::string(name.stem) + name.extension;
            if (entry.name == single || entry.name == single + ".index.json" || shard_number(entry.name, name))
                return true;
        }
        return false;
    });
}

Result<TensorIndex> open_hf_weights(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(auto entries, fs.list(directory));
    for (const auto& name : kWeightNames) {
        TRY_ASSIGN(WeightFiles files, find_weight_files(fs, directory, entries, name));
        if (files.names.empty()) continue;
        TRY_ASSIGN(TensorIndex index, read_headers(fs, directory, files));
        TRY(reject_duplicates(index));
        if (files.map) TRY(check_against_map(index, *files.map));
        return index;
    }
    return base::fail(
        ErrorKind::bad_input,
        entries.empty() ? "the directory is empty"
                        : "no weights here: model.safetensors, pytorch_model.bin or their numbered shards are expected",
        directory);
}

Result<JsonDocument> read_hf_config(base::FileSystem& fs, const Path& directory) {
    Path path = base::join(directory, "config.json");
    if (!fs.exists(path)) {
        return base::fail(ErrorKind::bad_input, "config.json is missing; it belongs to every Hugging Face checkpoint",
                          directory);
    }
    TRY_ASSIGN(std::string text, base::read_file(fs, path, 64u << 20));
    TRY(refuse_broken_download(text, path));
    TRY_ASSIGN(JsonDocument config, base::parse_json(text, path, base::kPythonJson));
    if (config.root.object() == nullptr)
        return base::fail(ErrorKind::bad_input, "config.json must hold an object", path);
    return config;
}

Result<HfCheckpoint> open_hf_checkpoint(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(TensorIndex index, open_hf_weights(fs, directory));
    TRY_ASSIGN(JsonDocument config, read_hf_config(fs, directory));
    return HfCheckpoint{directory, std::move(config), std::move(index)};
}

}  // namespace ckpt
