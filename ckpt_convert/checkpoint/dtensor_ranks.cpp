#include "ckpt_convert/checkpoint/dtensor_ranks.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "ckpt_convert/checkpoint/zero_tables.h"
#include "ckpt_convert/formats/torch_dist/chunk_checks.h"
#include "ckpt_convert/formats/torch_file/dtensor.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kComparedBytes = 512;

struct RankFileName {
    std::uint64_t rank = 0;
    std::optional<std::uint64_t> world;
    std::string name;
};

// Takes a number from the front of the text.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take_text(std::string_view& text, std::string_view wanted) {
    if (!text.starts_with(wanted)) return false;
    text.remove_prefix(wanted.size());
    return true;
}

std::optional<RankFileName> parse_name(std::string_view file) {
    RankFileName out{0, std::nullopt, std::string(file)};
    std::string_view rest = file;
    const bool has_world = take_text(rest, "model_world_size_");
    if (has_world) {
        out.world = take_number(rest);
        if (!out.world || !take_text(rest, "_rank_")) return std::nullopt;
    } else if (!take_text(rest, "pytorch_model_fsdp_0_rank")) {
        return std::nullopt;
    }
    const auto rank = take_number(rest);
    if (!rank || rest != (has_world ? ".pt" : ".bin")) return std::nullopt;
    out.rank = *rank;
    return out;
}

// Of the same rank; "" where the format has none beside it.
std::string optimizer_file(const RankFileName& model) {
    return model.world ? base::format("optim_world_size_{}_rank_{}.pt", *model.world, model.rank) : "";
}

// The files by rank: each once, as many as the world has.
Result<std::vector<RankFileName>> rank_files(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(const auto entries, fs.list(directory));
    std::vector<RankFileName> out;
    for (const auto& entry : entries) {
        if (auto name = parse_name(entry.name)) out.push_back(std::move(*name));
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    const std::uint64_t world = out.empty() ? 0 : out.front().world.value_or(out.size());
    for (std::size_t i = 0; i < std::max<std::uint64_t>(world, out.size()); ++i) {
        if (i < out.size() && out[i].rank == i && out[i].world.value_or(world) == world) continue;
        return base::fail(ErrorKind::bad_input,
                          i < out.size() && out[i].world.value_or(world) != world
                              ? base::format("files of worlds of {} and {} ranks are mixed", world, *out[i].world)
                              : base::format("the file of rank {} of {} is missing; is the copy complete?", i, world),
                          directory);
    }
    return out;
}

class RankReader {
public:
    RankReader(base::FileSystem& fs, const Path& directory) : fs_(fs) { out_.directory = directory; }

    Status add(const RankFileName& name) {
        rank_ = name.rank;
        path_ = base::join(out_.directory, name.name);
        TRY_ASSIGN(const auto file, fs_.open(path_));
        TRY(reject_placeholder(*file));
        TRY_ASSIGN(const TorchFile content, TorchFile::read(*file, is_dtensor_global));
        const auto* items = pickle::mapping_items(content.root());
        if (items == nullptr) return base::fail(ErrorKind::bad_input, "the file holds no dict of tensors", path_);
        file_ = static_cast<std::uint32_t>(out_.content.files.size());
        out_.content.files.push_back(name.name);
        for (const auto& [key, value] : *items) {
            const auto* text = key->as<std::string>();
            if (text == nullptr) continue;
            TRY(add_value(*text, {"model", *text}, value, content));
            if (rank_ == 0) TRY(note_parameter(*text, value, content));
        }
        return add_optimizer(optimizer_file(name));
    }

    Result<ShardedCheckpoint> finish(std::uint64_t ranks) {
        out_.format = "a file of DTensors for each rank";
        out_.ranks = ranks;
        for (TorchDistTensor& tensor : out_.content.tensors) {
            drop_repeated_chunks(tensor);  // ranks beside the mesh of a tensor have what others have
            if (const auto problem = tiling_problem(tensor))
                return base::fail(ErrorKind::bad_input,
                                  base::format("{}: {}; is each file that of its own rank?", tensor.fqn, *problem),
                                  out_.directory);
        }
        TRY(check_copies());
        return std::move(out_);
    }

private:
    tl::unexpected<base::Error> bad(std::string_view name, std::string_view what) const {
        return base::fail(ErrorKind::bad_input, base::format("{}: {}", name, what), path_);
    }

    // The optimizer numbers what is cut for ranks, without second names for the same bytes.
    Status note_parameter(const std::string& name, pickle::Ref value, const TorchFile& content) {
        TRY_ASSIGN(const auto parts, parse_dtensor(value, path_));
        if (!parts) return {};
        TRY_ASSIGN(const auto local, content.tensor(parts->local));
        if (local && places_.insert(local->file_offset).second) parameters_.push_back(name);
        return {};
    }

    // The states of the rank, by the numbers of the parameters.
    Status add_optimizer(const std::string& name) {
        const Path path = base::join(out_.directory, name);
        if (name.empty() || !fs_.exists(path)) return {};
        out_.has_optimizer = true;
        path_ = path;
        TRY_ASSIGN(const auto file, fs_.open(path));
        TRY_ASSIGN(TorchFile read, TorchFile::read(*file, is_dtensor_global));
        const auto content = std::make_shared<const TorchFile>(std::move(read));
        const pickle::Ref states = pickle::find(content->root(), "state");
        const auto* items = states == nullptr ? nullptr : pickle::mapping_items(states);
        if (items == nullptr || items->size() != parameters_.size()) {
            out_.states_refused = base::format(
                "the optimizer numbers {} parameters, and the files have {} weights that it may mean; --optimizer drop "
                "leaves the "
                "state out",
                items == nullptr ? 0 : items->size(), parameters_.size());
            return {};
        }
        file_ = static_cast<std::uint32_t>(out_.content.files.size());
        out_.content.files.push_back(name);
        for (const auto& [key, state] : *items) {
            const auto* number = key->as<std::int64_t>();
            if (number == nullptr || *number < 0 || static_cast<std::size_t>(*number) >= parameters_.size())
                return bad(name, "it has a state of a parameter that is not there");
            TRY(add_state(parameters_[static_cast<std::size_t>(*number)], state, *content));
        }
        return rank_ == 0 ? add_groups(content) : Status();
    }

    Status add_state(const std::string& weight, pickle::Ref state, const TorchFile& content) {
        const auto* items = pickle::mapping_items(state);
        if (items == nullptr) return bad(weight, "its state is not a dict");
        for (const auto& [key, value] : *items) {
            const auto* what = key->as<std::string>();
            if (what == nullptr) continue;
            TRY_ASSIGN(const auto parts, parse_dtensor(value, path_));
            if (!parts) {
                TRY_ASSIGN(const auto plain, content.tensor(value));
                if (plain && !plain->shape.empty()) {
                    out_.states_refused =
                        "the states are pieces of the flat parameters of FSDP1, whose places are not told; --optimizer "
                        "drop leaves the state out";
                    return {};
                }
            }
            TRY(add_value(base::format("optimizer.state.{}.{}", weight, *what), {"optimizer", "state", weight, *what},
                          value, content));
        }
        return {};
    }

    Status add_groups(const std::shared_ptr<const TorchFile>& content) {
        std::vector<NamedShapes> by_number;
        for (const std::string& name : parameters_) by_number.push_back({{name, Shape()}});
        TRY_ASSIGN(out_.groups.groups, zero_groups(content->root(), by_number, path_));
        if (out_.groups.groups.size() > 1)
            out_.states_refused =
                "the optimizer numbers the parameters group by group, and nothing says which weights are in which; "
                "--optimizer drop leaves the state out";
        out_.groups.owners.push_back(content);
        return {};
    }

    Status add_value(const std::string& name, std::vector<std::string> keys, pickle::Ref value,
                     const TorchFile& content) {
        keys_ = std::move(keys);
        TRY_ASSIGN(const auto parts, parse_dtensor(value, path_));
        if (parts) return add_part(name, *parts, content);
        TRY_ASSIGN(auto tensor, content.tensor(value));
        if (!tensor) return {};
        Shape origin(tensor->shape.size(), 0);
        const Shape shape = tensor->shape;
        return add_chunk(name, shape, {origin, shape}, std::move(*tensor), rank_ == 0);
    }

    Status add_part(const std::string& name, const DTensor& parts, const TorchFile& content) {
        TRY_ASSIGN(auto local, content.tensor(parts.local));
        if (!local) return bad(name, "its part is not a tensor");
        std::vector<std::uint64_t> coordinate;
        if (parts.coordinate) {
            coordinate = *parts.coordinate;
        } else {
            std::uint64_t rank = rank_;
            coordinate.resize(parts.mesh.size());
            for (std::size_t i = parts.mesh.size(); i-- > 0; rank /= parts.mesh[i])
                coordinate[i] = rank % parts.mesh[i];
        }
        for (std::size_t i = 0; i < coordinate.size(); ++i) {
            if (coordinate[i] >= parts.mesh[i]) return bad(name, "its rank is not in the mesh");
        }
        RankBox box = box_of_rank(parts, coordinate);
        if (box.sizes != local->shape)
            return bad(name, base::format("rank {} has a part of shape {}, but its placement says {}", rank_,
                                          to_string(local->shape), to_string(box.sizes)));
        return add_chunk(name, parts.shape, std::move(box), std::move(*local), is_first_replica(parts, coordinate));
    }

    Status add_chunk(const std::string& name, const Shape& whole, RankBox box, TorchTensor local, bool is_first) {
        auto [found, is_new] = numbers_.try_emplace(name, out_.content.tensors.size());
        if (is_new) out_.content.tensors.push_back({name, local.dtype, whole, {}, keys_});
        TorchDistTensor& tensor = out_.content.tensors[found->second];
        if (tensor.dtype != local.dtype || tensor.shape != whole)
            return bad(name, base::format("rank {} has it as {} {}, others as {} {}", rank_, ckpt::name(local.dtype),
                                          to_string(whole), ckpt::name(tensor.dtype), to_string(tensor.shape)));
        const bool is_empty = checked_elements(box.sizes) == 0 && checked_elements(whole) != 0;
        if (is_empty) return {};
        TorchDistChunk chunk{std::move(box.offsets), std::move(box.sizes),     file_,
                             local.file_offset,      std::move(local.strides), local.contiguous};
        if (is_first) tensor.chunks.push_back(std::move(chunk));
        else copies_.emplace_back(found->second, std::move(chunk));
        return {};
    }

    // Ranks that hold the same box hold the same values; both ends of each copy are compared.
    Status check_copies() const {
        TRY_ASSIGN(const auto files, open_files(fs_, out_.directory, out_.content));
        for (const auto& held : copies_) {
            const TorchDistTensor& tensor = out_.content.tensors[held.first];
            const TorchDistChunk& copy = held.second;
            const auto first =
                std::find_if(tensor.chunks.begin(), tensor.chunks.end(), [&](const TorchDistChunk& chunk) {
                    return chunk.offsets == copy.offsets && chunk.sizes == copy.sizes;
                });
            if (first == tensor.chunks.end() || !first->contiguous || !copy.contiguous) continue;
            const std::uint64_t bytes = checked_bytes(copy.sizes, tensor.dtype).value_or(0);
            const std::uint64_t count = std::min(bytes, kComparedBytes);
            for (const std::uint64_t at : {std::uint64_t{0}, bytes - count}) {
                std::vector<std::byte> one(count), other(count);
                TRY(files[first->file]->read_at(first->file_offset + at, one));
                TRY(files[copy.file]->read_at(copy.file_offset + at, other));
                if (one != other)
                    return base::fail(
                        ErrorKind::bad_input,
                        base::format("{} and {} hold the same part of {} with different values; are the "
                                     "files of different saves?",
                                     out_.content.files[first->file], out_.content.files[copy.file], tensor.fqn),
                        out_.directory);
            }
        }
        return {};
    }

    base::FileSystem& fs_;
    ShardedCheckpoint out_;
    std::unordered_map<std::string, std::size_t> numbers_;
    std::vector<std::pair<std::size_t, TorchDistChunk>> copies_;  // by number of the tensor
    std::vector<std::string> parameters_;                         // in the order of the optimizer
    std::set<std::uint64_t> places_;                              // of these in the file of rank 0
    std::vector<std::string> keys_;                               // that lead to the value that is added
    Path path_;
    std::uint64_t rank_ = 0;
    std::uint32_t file_ = 0;
};

}  // namespace

bool is_dtensor_file(std::string_view file) { return parse_name(file).has_value(); }

Result<ShardedCheckpoint> open_dtensor_ranks(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(const auto names, rank_files(fs, directory));
    RankReader reader(fs, directory);
    for (const RankFileName& name : names) TRY(reader.add(name));
    TRY_ASSIGN(ShardedCheckpoint out, reader.finish(names.size()));
    out.has_optimizer =
        fs.exists(base::join(directory, "optim" + names.front().name.substr(std::string("model").size()))) ||
        fs.exists(base::join(directory, "optimizer_0_rank0.bin"));
    return out;
}

}  // namespace ckpt
