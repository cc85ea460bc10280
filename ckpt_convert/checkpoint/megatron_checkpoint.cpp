#include "ckpt_convert/checkpoint/megatron_checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/checkpoint/python_args.h"
#include "ckpt_convert/checkpoint/torch_dist_checkpoint.h"
#include "ckpt_convert/formats/torch_dist/dist_backend.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"

namespace ckpt {
namespace {

struct RankName {
    int tp = 0;
    std::vector<int> suffixes;  // PP rank or EP rank, or both

    bool operator<(const RankName& other) const { return std::tie(suffixes, tp) < std::tie(other.suffixes, other.tp); }
};

std::optional<RankName> parse_rank_name(std::string_view name) {
    constexpr std::string_view kPrefix = "mp_rank_";
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    std::vector<int> numbers;
    while (!name.empty()) {
        std::string_view digits = name.substr(0, name.find('_'));
        int value = 0;
        auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
        numbers.push_back(value);
        name.remove_prefix(std::min(digits.size() + 1, name.size()));
    }
    if (numbers.empty() || numbers.size() > 3) return std::nullopt;
    return RankName{numbers.front(), {numbers.begin() + 1, numbers.end()}};
}

bool holds_ranks(base::FileSystem& fs, const Path& directory) {
    auto entries = fs.list(directory);
    return entries && std::any_of(entries->begin(), entries->end(),
                                  [](const auto& entry) { return parse_rank_name(entry.name).has_value(); });
}

// One of its two files is enough: the reader says which of them is missing.
bool holds_torch_dist(base::FileSystem& fs, const Path& directory) {
    return fs.exists(base::join(directory, std::string(kDistBackendFile))) ||
           fs.exists(base::join(directory, ".metadata"));
}

// Where NeMo has them, beside a directory with its own description of the model.
constexpr const char* kWeightsDir = "weights";

struct Location {
    Path directory;
    std::string iteration;
};

Result<Location> find_iteration(base::FileSystem& fs, const Path& directory) {
    Path tracker = base::join(directory, kTrackerFile);
    if (!fs.exists(tracker)) {
        if (holds_ranks(fs, directory) || holds_torch_dist(fs, directory))
            return Location{directory, std::string(base::file_name(directory))};
        const Path inner = base::join(directory, kWeightsDir);
        if (fs.exists(base::join(inner, std::string(kDistBackendFile))))
            return Location{inner, std::string(base::file_name(directory))};
        return base::fail(
            ErrorKind::bad_input,
            base::format("no Megatron checkpoint here: neither {} nor mp_rank_* directories", kTrackerFile), directory);
    }
    TRY_ASSIGN(std::string content, base::read_file(fs, tracker, 4096));
    std::string iteration(base::trimmed(content));
    std::string name = iteration;
    if (iteration != "release") {
        std::uint64_t number = 0;
        auto [end, code] = std::from_chars(iteration.data(), iteration.data() + iteration.size(), number);
        if (iteration.empty() || code != std::errc() || end != iteration.data() + iteration.size()) {
            return base::fail(ErrorKind::bad_input,
                              base::format("\"{}\" is neither an iteration number nor \"release\"", iteration),
                              tracker);
        }
        name = base::format("iter_{:07}", number);
    }
    Path found = base::join(directory, name);
    if (!fs.exists(found)) {
        return base::fail(ErrorKind::bad_input,
                          base::format("the directory {} is missing, although {} names it", name, kTrackerFile),
                          directory);
    }
    return Location{found, iteration};
}

// Until the spring of 2023 a distributed optimizer had directories of its own, one for each data-parallel rank.
bool holds_optimizer_alone(base::FileSystem& fs, const Path& rank) {
    return fs.exists(base::join(rank, kOldOptimizerFile)) && !fs.exists(base::join(rank, kRankFile)) &&
           !fs.exists(base::join(rank, kOldRankFile));
}

// The numbers in the names of the rank directories, sorted by the last ones first.
Result<std::vector<RankName>> find_rank_names(base::FileSystem& fs, MegatronCheckpoint& checkpoint) {
    const Path& directory = checkpoint.directory;
    TRY_ASSIGN(auto entries, fs.list(directory));
    std::vector<RankName> names;
    for (const auto& entry : entries) {
        auto name = parse_rank_name(entry.name);
        if (!name) continue;
        if (holds_optimizer_alone(fs, base::join(directory, entry.name))) {
            checkpoint.has_optimizer = true;
            continue;
        }
        if (!names.empty() && names.front().suffixes.size() != name->suffixes.size()) {
            return base::fail(ErrorKind::bad_input,
                              "rank directories of two kinds are mixed (with and without a pipeline rank)", directory);
        }
        names.push_back(std::move(*name));
    }
    if (names.empty()) return base::fail(ErrorKind::bad_input, "no mp_rank_* directories here", directory);
    std::sort(names.begin(), names.end());
    return names;
}

std::string directory_name(const RankName& name) {
    auto suffix = [&](std::size_t i) {
        return i < name.suffixes.size() ? std::optional(name.suffixes[i]) : std::nullopt;
    };
    return rank_directory(name.tp, suffix(0), suffix(1));
}

std::int64_t saved_size(const Json& args, std::string_view name) {
    const Json* found = args.find(name);
    return found == nullptr || found->integer() == nullptr ? 1 : *found->integer();
}

// Which of the directories' numbers are TP, PP and EP. One suffix is the PP rank, or the EP rank without PP: that is in the
// arguments only.
void set_ranks(MegatronCheckpoint& checkpoint, const std::vector<RankName>& names) {
    std::size_t suffixes = names.front().suffixes.size();
    bool experts = saved_size(checkpoint.args, "expert_model_parallel_size") > 1 &&
                   saved_size(checkpoint.args, "pipeline_model_parallel_size") == 1;
    bool has_pp = suffixes == 2 || (suffixes == 1 && !experts);
    checkpoint.tp = checkpoint.pp = checkpoint.ep = 0;
    for (const RankName& name : names) {
        MegatronRank rank;
        rank.tp = name.tp;
        if (has_pp) rank.pp = name.suffixes.front();
        if (suffixes == 2 || (suffixes == 1 && !has_pp)) rank.ep = name.suffixes.back();
        checkpoint.tp = std::max(checkpoint.tp, rank.tp + 1);
        checkpoint.pp = std::max(checkpoint.pp, rank.pp + 1);
        checkpoint.ep = std::max(checkpoint.ep, rank.ep + 1);
        checkpoint.ranks.push_back(rank);
    }
    std::sort(checkpoint.ranks.begin(), checkpoint.ranks.end(), [](const MegatronRank& a, const MegatronRank& b) {
        return std::tie(a.pp, a.ep, a.tp) < std::tie(b.pp, b.ep, b.tp);
    });
}

// Every stage must have every TP rank, and the same EP ranks with it. Which pairs of these there are depends on how the
// experts are split; without EP it is all TP ranks.
Status check_grid(MegatronCheckpoint& checkpoint, std::size_t suffixes) {
    std::set<std::pair<int, int>> pairs;
    for (const auto& rank : checkpoint.ranks) pairs.emplace(rank.ep, rank.tp);
    for (int tp = 0; tp < checkpoint.tp && checkpoint.ep == 1; ++tp) pairs.emplace(0, tp);
    std::size_t at = 0;
    for (int pp = 0; pp < checkpoint.pp; ++pp) {
        for (auto [ep, tp] : pairs) {
            const MegatronRank* rank = at < checkpoint.ranks.size() ? &checkpoint.ranks[at++] : nullptr;
            if (rank != nullptr && rank->tp == tp && rank->pp == pp && rank->ep == ep) continue;
            bool has_ep = suffixes == 2 || checkpoint.ep > 1, has_pp = suffixes > (has_ep ? 1u : 0u);
            return base::fail(ErrorKind::bad_input,
                              base::format("rank {} is missing; the others make a grid of TP {} x PP {}{}",
                                           rank_directory(tp, has_pp ? std::optional(pp) : std::nullopt,
                                                          has_ep ? std::optional(ep) : std::nullopt),
                                           checkpoint.tp, checkpoint.pp,
                                           checkpoint.ep > 1 ? base::format(" x EP {}", checkpoint.ep) : ""),
                              checkpoint.directory);
        }
    }
    return {};
}

Status check_args(const MegatronCheckpoint& checkpoint) {
    const std::pair<const char*, int> expected[] = {{"tensor_model_parallel_size", checkpoint.tp},
                                                    {"pipeline_model_parallel_size", checkpoint.pp},
                                                    {"expert_model_parallel_size", checkpoint.ep}};
    for (const auto& [name, found] : expected) {
        const Json* saved = checkpoint.args.find(name);
        if (saved == nullptr || saved->integer() == nullptr || *saved->integer() == found) continue;
        return base::fail(ErrorKind::bad_input,
                          base::format("the saved arguments say {} = {}, but there are rank directories for {}", name,
                                       *saved->integer(), found),
                          checkpoint.directory);
    }
    return {};
}

// A dict whose tensors are being added: what their names begin with, and the number of the next item.
struct OpenDict {
    std::string front;
    pickle::Ref dict = nullptr;
    std::size_t next = 0;
};

// Adds the tensors of one chunk of a model, in their order. Where dicts stand in each other, as in legacy checkpoints, the keys on the
// way are joined by dots.
Status add_chunk(TensorIndex& index, const TorchFile& file, pickle::Ref model, const std::string& key,
                 std::uint32_t number) {
    if (pickle::mapping_items(model) == nullptr) {
        return base::fail(ErrorKind::bad_input, base::format("\"{}\" must be a dict of tensors", key),
                          index.files[number]->path());
    }
    std::vector<OpenDict> open{{key + "/", model}};
    std::set<pickle::Ref> seen{model};  // a pickle may name one value many times, and in itself
    while (!open.empty()) {
        OpenDict& inner = open.back();
        const auto& items = *pickle::mapping_items(inner.dict);
        if (inner.next == items.size()) {
            open.pop_back();
            continue;
        }
        const auto& [name, value] = items[inner.next++];
        const auto* text = name->as<std::string>();
        TRY_ASSIGN(auto tensor, file.tensor(value));
        // Transformer Engine keeps "_extra_state" entries beside the weights; they are no tensors of the model.
        if (text == nullptr || text->ends_with("_extra_state")) continue;
        TRY(check_way(inner.front.size() + text->size(), index.files[number]->path()));
        if (tensor)
            index.tensors.push_back({inner.front + *text, tensor->dtype, std::move(tensor->shape), number,
                                     tensor->file_offset, std::move(tensor->strides), tensor->contiguous});
        else if (pickle::mapping_items(value) != nullptr && seen.insert(value).second)
            open.push_back({inner.front + *text + ".", value});
    }
    return {};
}

struct RankFile {
    std::shared_ptr<base::ReadableFile> file;
    TorchFile content;
};

Result<RankFile> open_rank(base::FileSystem& fs, const Path& directory, const RankName& name) {
    const Path rank = base::join(directory, directory_name(name)), old = base::join(rank, kOldRankFile);
    const Path path = fs.exists(old) ? old : base::join(rank, kRankFile);
    TRY_ASSIGN(std::shared_ptr<base::ReadableFile> file, fs.open(path));
    TRY(reject_placeholder(*file));
    TRY_ASSIGN(TorchFile content, TorchFile::read(*file));
    return RankFile{std::move(file), std::move(content)};
}

Result<std::optional<double>> version_of(const RankFile& opened) {
    const pickle::Ref version = pickle::find(opened.content.root(), "checkpoint_version");
    if (version == nullptr) return std::optional<double>();
    if (const auto* real = version->as<double>(); real != nullptr && !std::isnan(*real)) return std::optional(*real);
    if (const auto* integer = version->as<std::int64_t>()) return std::optional(static_cast<double>(*integer));
    return base::fail(ErrorKind::bad_input, "its checkpoint_version is not a number", opened.file->path());
}

Status add_rank(MegatronCheckpoint& checkpoint, const RankFile& opened, MegatronRank& rank) {
    const TorchFile& torch_file = opened.content;
    TRY_ASSIGN(const auto version, version_of(opened));
    if (checkpoint.index.files.empty()) checkpoint.version = version;
    if (version != checkpoint.version)
        return base::fail(ErrorKind::bad_input, "its checkpoint_version is not the one of the other rank files",
                          opened.file->path());
    checkpoint.has_optimizer |= pickle::find(torch_file.root(), "optimizer") != nullptr;
    rank.file = static_cast<std::uint32_t>(checkpoint.index.files.size());
    checkpoint.index.files.push_back(opened.file);
    if (pickle::Ref model = pickle::find(torch_file.root(), "model")) {
        return add_chunk(checkpoint.index, torch_file, model, "model", rank.file);
    }
    rank.chunks = 0;
    while (pickle::Ref model = pickle::find(torch_file.root(), chunk_key(true, rank.chunks))) {
        checkpoint.virtual_stages = true;
        TRY(add_chunk(checkpoint.index, torch_file, model, chunk_key(true, rank.chunks), rank.file));
        ++rank.chunks;
    }
    if (rank.chunks > 0) return {};
    return base::fail(ErrorKind::bad_input,
                      "the file has neither \"model\" nor \"model0\"; is it a Megatron checkpoint?",
                      opened.file->path());
}

// The directories' names, the arguments of the first, then all files in the order of the ranks.
Status read_rank_files(base::FileSystem& fs, MegatronCheckpoint& checkpoint) {
    TRY_ASSIGN(auto names, find_rank_names(fs, checkpoint));
    TRY_ASSIGN(RankFile first, open_rank(fs, checkpoint.directory, names.front()));
    pickle::Ref args = pickle::find(first.content.root(), "args");
    checkpoint.args = args == nullptr ? Json(Json::Object{}, 0) : args_to_json(args);
    set_ranks(checkpoint, names);
    TRY(check_grid(checkpoint, names.front().suffixes.size()));
    // Sorted by name or by rank, the order is the same: the number of the stage comes first.
    TRY(add_rank(checkpoint, first, checkpoint.ranks.front()));
    for (std::size_t i = 1; i < names.size(); ++i) {
        TRY_ASSIGN(RankFile opened, open_rank(fs, checkpoint.directory, names[i]));
        TRY(add_rank(checkpoint, opened, checkpoint.ranks[i]));
    }
    return {};
}

}  // namespace

std::string rank_directory(int tp, std::optional<int> pp, std::optional<int> ep) {
    std::string out = base::format("mp_rank_{:02}", tp);
    for (const auto& number : {pp, ep}) out += number ? base::format("_{:03}", *number) : "";
    return out;
}

std::string chunk_key(bool virtual_stages, std::uint32_t chunk) {
    return virtual_stages ? base::format("model{}", chunk) : "model";
}

TensorKey split_key(std::string_view indexed_name) {
    std::size_t slash = indexed_name.find('/');
    return {indexed_name.substr(0, slash), indexed_name.substr(slash + 1)};
}

bool is_megatron_checkpoint(base::FileSystem& fs, const Path& directory) {
    // The files of torch_dist have names that other files may have beside weights of Hugging Face.
    return fs.exists(base::join(directory, kTrackerFile)) || holds_ranks(fs, directory) ||
           fs.exists(base::join(base::join(directory, kWeightsDir), std::string(kDistBackendFile))) ||
           (holds_torch_dist(fs, directory) && !is_hf_checkpoint(fs, directory));
}

bool holds_megatron_weights(base::FileSystem& fs, const Path& directory) {
    auto location = find_iteration(fs, directory);
    if (!location) return false;
    const Path& found = location->directory;
    // A file .metadata alone is of torch.distributed.checkpoint.
    return holds_ranks(fs, found) || fs.exists(base::join(found, std::string(kDistBackendFile))) ||
           fs.exists(base::join(found, std::string(kDistCommonFile)));
}

Result<MegatronCheckpoint> open_megatron_checkpoint(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(Location location, find_iteration(fs, directory));
    MegatronCheckpoint checkpoint;
    checkpoint.directory = location.directory;
    checkpoint.iteration = location.iteration;
    if (holds_torch_dist(fs, location.directory)) {
        TRY(read_torch_dist_weights(fs, checkpoint));
        return checkpoint;
    }
    TRY(read_rank_files(fs, checkpoint));
    for (const MegatronRank& rank : checkpoint.ranks) {
        if (rank.chunks == checkpoint.ranks[0].chunks) continue;
        return base::fail(ErrorKind::bad_input,
                          base::format("the rank files disagree on the number of virtual pipeline stages: {} and {}",
                                       checkpoint.ranks[0].chunks, rank.chunks),
                          checkpoint.directory);
    }
    TRY(check_args(checkpoint));
    return checkpoint;
}

}  // namespace ckpt
