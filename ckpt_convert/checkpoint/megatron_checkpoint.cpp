#include "ckpt_convert/checkpoint/megatron_checkpoint.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/checkpoint/python_args.h"
#include "ckpt_convert/checkpoint/torch_dist_checkpoint.h"
#include "ckpt_convert/formats/torch_dist/dist_backend.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Path;
using base::Result;
using base::Status;

struct RankName {
    int tp = 0;
    std::vector<int> suffixes;  // PP rank, or PP and EP rank
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

struct Location {
    Path directory;
    std::string iteration;
};

Result<Location> find_iteration(base::FileSystem& fs, const Path& directory) {
    Path tracker = base::join(directory, kTrackerFile);
    if (!fs.exists(tracker)) {
        if (holds_ranks(fs, directory) || holds_torch_dist(fs, directory))
            return Location{directory, std::string(base::file_name(directory))};
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

// Which of the directories' numbers are TP and PP; expert-parallel checkpoints have one number more.
Result<std::vector<MegatronRank>> find_ranks(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(auto entries, fs.list(directory));
    std::vector<MegatronRank> ranks;
    std::optional<std::size_t> suffixes;
    for (const auto& entry : entries) {
        auto rank = parse_rank_name(entry.name);
        if (!rank) continue;
        if (suffixes && *suffixes != rank->suffixes.size()) {
            return base::fail(ErrorKind::bad_input,
                              "rank directories of two kinds are mixed (with and without a pipeline rank)", directory);
        }
        suffixes = rank->suffixes.size();
        ranks.push_back({rank->tp, rank->suffixes.empty() ? 0 : rank->suffixes[0], 0, 1});
    }
    if (ranks.empty()) return base::fail(ErrorKind::bad_input, "no mp_rank_* directories here", directory);
    if (*suffixes > 1) {
        return base::fail(ErrorKind::unsupported, "expert-parallel checkpoints (mp_rank_TT_PPP_EEE) cannot be read",
                          directory);
    }
    std::sort(ranks.begin(), ranks.end(),
              [](const auto& a, const auto& b) { return std::tie(a.pp, a.tp) < std::tie(b.pp, b.tp); });
    return ranks;
}

Status check_grid(MegatronCheckpoint& checkpoint) {
    checkpoint.tp = 0;
    checkpoint.pp = 0;
    for (const auto& rank : checkpoint.ranks) {
        checkpoint.tp = std::max(checkpoint.tp, rank.tp + 1);
        checkpoint.pp = std::max(checkpoint.pp, rank.pp + 1);
    }
    std::size_t at = 0;
    for (int pp = 0; pp < checkpoint.pp; ++pp) {
        for (int tp = 0; tp < checkpoint.tp; ++tp, ++at) {
            if (at < checkpoint.ranks.size() && checkpoint.ranks[at].tp == tp && checkpoint.ranks[at].pp == pp)
                continue;
            return base::fail(ErrorKind::bad_input,
                              base::format("rank {} is missing; the others make a grid of TP {} x PP {}",
                                           rank_directory(tp, pp, checkpoint.pp > 1), checkpoint.tp, checkpoint.pp),
                              checkpoint.directory);
        }
    }
    return {};
}

Status check_args(const MegatronCheckpoint& checkpoint) {
    const std::pair<const char*, int> expected[] = {{"tensor_model_parallel_size", checkpoint.tp},
                                                    {"pipeline_model_parallel_size", checkpoint.pp}};
    for (const auto& [name, found] : expected) {
        const base::Json* saved = checkpoint.args.find(name);
        if (saved == nullptr || saved->integer() == nullptr || *saved->integer() == found) continue;
        return base::fail(ErrorKind::bad_input,
                          base::format("the saved arguments say {} = {}, but there are rank directories for {}", name,
                                       *saved->integer(), found),
                          checkpoint.directory);
    }
    return {};
}

Status add_chunk(TensorIndex& index, const TorchFile& file, pickle::Ref model, const std::string& key,
                 std::uint32_t number) {
    const auto* items = pickle::mapping_items(model);
    if (items == nullptr) {
        return base::fail(ErrorKind::bad_input, base::format("\"{}\" must be a dict of tensors", key),
                          index.files[number]->path());
    }
    for (const auto& [name, value] : *items) {
        const auto* text = name->as<std::string>();
        TRY_ASSIGN(auto tensor, file.tensor(value));
        // Transformer Engine keeps "_extra_state" entries beside the weights; they are no tensors of the model.
        if (text == nullptr || !tensor || text->ends_with("_extra_state")) continue;
        index.tensors.push_back({key + "/" + *text, tensor->dtype, std::move(tensor->shape), number,
                                 tensor->file_offset, std::move(tensor->strides), tensor->contiguous});
    }
    return {};
}

Status add_rank(MegatronCheckpoint& checkpoint, base::FileSystem& fs, MegatronRank& rank, bool has_pp) {
    Path path = base::join(base::join(checkpoint.directory, rank_directory(rank.tp, rank.pp, has_pp)), kRankFile);
    TRY_ASSIGN(std::shared_ptr<base::ReadableFile> file, fs.open(path));
    TRY(reject_placeholder(*file));
    rank.file = static_cast<std::uint32_t>(checkpoint.index.files.size());
    checkpoint.index.files.push_back(file);
    TRY_ASSIGN(TorchFile torch_file, TorchFile::read(*file));

    if (rank.file == 0) {
        pickle::Ref args = pickle::find(torch_file.root(), "args");
        checkpoint.args = args == nullptr ? base::Json(base::Json::Object{}, 0) : args_to_json(args);
    }
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
                      "the file has neither \"model\" nor \"model0\"; is it a Megatron checkpoint?", path);
}

}  // namespace

std::string rank_directory(int tp, int pp, bool has_pp) {
    return has_pp ? base::format("mp_rank_{:02}_{:03}", tp, pp) : base::format("mp_rank_{:02}", tp);
}

std::string chunk_key(bool virtual_stages, std::uint32_t chunk) {
    return virtual_stages ? base::format("model{}", chunk) : "model";
}

TensorKey split_key(std::string_view indexed_name) {
    std::size_t slash = indexed_name.find('/');
    return {indexed_name.substr(0, slash), indexed_name.substr(slash + 1)};
}

bool is_megatron_checkpoint(base::FileSystem& fs, const Path& directory) {
    return fs.exists(base::join(directory, kTrackerFile)) || holds_ranks(fs, directory) ||
           holds_torch_dist(fs, directory);
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
    TRY_ASSIGN(checkpoint.ranks, find_ranks(fs, location.directory));
    TRY(check_grid(checkpoint));
    TRY_ASSIGN(auto entries, fs.list(location.directory));
    bool has_pp = std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
        auto rank = parse_rank_name(entry.name);
        return rank && !rank->suffixes.empty();
    });
    for (MegatronRank& rank : checkpoint.ranks) TRY(add_rank(checkpoint, fs, rank, has_pp));
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
