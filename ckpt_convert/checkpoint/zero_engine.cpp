#include "ckpt_convert/checkpoint/zero_engine.h"

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "base/format.h"
#include "ckpt_convert/checkpoint/flat_runs.h"
#include "ckpt_convert/checkpoint/master_copies.h"
#include "ckpt_convert/checkpoint/zero_vectors.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kAliasBytes = 1 << 20;  // at once

class EngineReader {
public:
    EngineReader(base::FileSystem& fs, ZeroFiles& files, const EngineFiles& engine, OpenedFile model,
                 const Path& directory)
        : fs_(fs), files_(files), engine_(engine), first_(std::move(model)) {
        out_.directory = directory;
    }

    Result<ShardedCheckpoint> read() {
        TRY(open());
        if (!engine_.optimizers.empty()) TRY(read_optimizer());
        return read_rest();
    }

    Result<ShardedCheckpoint> read_with(std::vector<TorchDistTensor> weights) {
        TRY(open());
        for (TorchDistTensor& weight : weights) TRY(add(std::move(weight)));
        return read_rest();
    }

private:
    Status open() {
        const pickle::Ref world = pickle::find(first_.content->root(), "dp_world_size");
        const auto* told = world == nullptr ? nullptr : world->as<std::int64_t>();
        TRY(check_optimizer_files(engine_, told == nullptr || *told < 0 ? 0 : static_cast<std::uint64_t>(*told),
                                  out_.directory));
        out_.ranks = engine_.optimizers.size();
        out_.has_optimizer = !engine_.optimizers.empty() || engine_.has_expert_optimizer;
        out_.format = "DeepSpeed without ZeRO";
        if (engine_.has_expert_optimizer)
            out_.states_refused =
                "the optimizer of experts without ZeRO numbers the parameters of each rank, and nothing says which "
                "they "
                "are; --optimizer drop converts the weights alone";
        return read_aliases();
    }

    Result<ShardedCheckpoint> read_rest() {
        TRY(read_frozen());
        TRY(read_module());
        for (const std::string& name : engine_.experts) TRY(read_expert(name));
        return std::move(out_);
    }

    tl::unexpected<base::Error> bad(std::string message, const std::string& file) const {
        return files_.bad(std::move(message), file);
    }

    Path model_path() const { return files_.path(first_.name); }

    // Of names that share their tensor one is owned by the optimizer.
    Status read_aliases() {
        const pickle::Ref shared = pickle::find(first_.content->root(), "shared_params");
        const auto* items = shared == nullptr ? nullptr : pickle::mapping_items(shared);
        if (items == nullptr) return {};
        for (const auto& [alias, owner] : *items) {
            const auto *name = alias->as<std::string>(), *of = owner->as<std::string>();
            if (name == nullptr) continue;
            if (of != nullptr) TRY(compare_alias(*name, *of));
            known_.insert(*name);
        }
        return {};
    }

    // In the module both names have their values, mostly the same bytes.
    Status compare_alias(const std::string& alias, const std::string& owner) const {
        const pickle::Ref module = pickle::find(first_.content->root(), "module");
        const pickle::Ref one = module == nullptr ? nullptr : pickle::find(module, alias);
        const pickle::Ref other = module == nullptr ? nullptr : pickle::find(module, owner);
        if (one == nullptr || other == nullptr) return {};
        TRY_ASSIGN(const auto a, first_.content->tensor(one));
        TRY_ASSIGN(const auto b, first_.content->tensor(other));
        if (!a || !b || (a->file_offset == b->file_offset && a->shape == b->shape)) return {};
        bool same = a->shape == b->shape && a->dtype == b->dtype && a->contiguous && b->contiguous;
        const std::uint64_t bytes = checked_bytes(a->shape, a->dtype).value_or(0);
        TRY_ASSIGN(const auto file, fs_.open(model_path()));
        std::vector<std::byte> mine, its;
        for (std::uint64_t at = 0; at < bytes && same; at += mine.size()) {
            mine.resize(std::min<std::uint64_t>(bytes - at, kAliasBytes));
            its.resize(mine.size());
            TRY(file->read_at(a->file_offset + at, mine));
            TRY(file->read_at(b->file_offset + at, its));
            same = mine == its;
        }
        if (same) return {};
        return bad(
            base::format("{} has other values than {}, with which it shares them; is the file damaged?", alias, owner),
            first_.name);
    }

    Status read_optimizer() {
        TRY_ASSIGN(const auto groups, optimizer_shapes());
        TRY_ASSIGN(ZeroVectors vectors, read_zero_vectors(files_, groups, engine_.optimizers, expert_order(first_)));
        out_.format = vectors.by_parameter ? "DeepSpeed ZeRO 3" : "DeepSpeed ZeRO 1 or 2";
        out_.content.tensors = std::move(vectors.tensors);
        for (std::size_t i = 0; i < vectors.weights; ++i) TRY(know(out_.content.tensors[i], i));
        out_.steps = std::move(vectors.steps);
        out_.groups.groups = std::move(vectors.groups);
        out_.groups.owners = std::move(vectors.owners);
        return {};
    }

    // An engine that shares the optimizer of bf16 without ZeRO saves no shapes.
    Result<std::vector<NamedShapes>> optimizer_shapes() {
        const pickle::Ref shapes = pickle::find(first_.content->root(), "param_shapes");
        const pickle::Ref module = pickle::find(first_.content->root(), "module");
        const auto* items = module == nullptr ? nullptr : pickle::mapping_items(module);
        if (items == nullptr || shapes == nullptr || shapes->as<pickle::None>() == nullptr)
            return zero_shapes(shapes, model_path());
        std::unordered_map<std::string, Shape> known;
        for (const auto& [key, value] : *items) {
            const auto* name = key->as<std::string>();
            TRY_ASSIGN(const auto tensor, first_.content->tensor(value));
            if (name != nullptr && tensor) known.emplace(*name, tensor->shape);
        }
        return shapes_of_fragments(files_, engine_.optimizers, [&](const std::string& name) {
            const auto shape = known.find(name);
            return shape == known.end() ? std::nullopt : std::optional(shape->second);
        });
    }

    // Of weights that are not trained, with ZeRO 3 each rank has a share in its own file.
    Status read_frozen() {
        const pickle::Ref shapes = pickle::find(first_.content->root(), "frozen_param_shapes");
        if (shapes == nullptr || pickle::mapping_items(shapes) == nullptr || engine_.models.size() < 2) return {};
        TRY_ASSIGN(const auto groups, zero_shapes(shapes, model_path()));
        std::vector<TorchDistTensor> frozen;
        for (const auto& [name, shape] : groups.front()) frozen.push_back({name, DType::f32, shape, {}});
        std::vector<std::vector<FlatShare>> shares(frozen.size());
        for (std::size_t rank = 0; rank < engine_.models.size(); ++rank) {
            TRY_ASSIGN(const OpenedFile file, files_.open(engine_.models[rank]));
            const pickle::Ref parts = pickle::find(file.content->root(), "frozen_param_fragments");
            for (std::size_t i = 0; i < frozen.size(); ++i) {
                TorchDistTensor& tensor = frozen[i];
                const pickle::Ref part = parts == nullptr ? nullptr : pickle::find(parts, tensor.fqn);
                if (part == nullptr) return bad(base::format("it has no share of {}", tensor.fqn), file.name);
                TRY_ASSIGN(const auto vector, file.content->tensor(part));
                if (!vector || vector->shape.size() != 1)
                    return bad(base::format("the share of {} is not a vector", tensor.fqn), file.name);
                if (rank == 0) tensor.dtype = vector->dtype;
                if (tensor.dtype != vector->dtype)
                    return bad(base::format("the shares of {} have different types", tensor.fqn), file.name);
                TRY_ASSIGN(const FlatShare share, files_.share(file, *vector));
                shares[i].push_back(share);
            }
        }
        for (std::size_t i = 0; i < frozen.size(); ++i) {
            auto place = place_alone(frozen[i].shape, frozen[i].dtype, std::move(shares[i]));
            if (!place) return bad(base::format("the shares of {} do not make it up", frozen[i].fqn), first_.name);
            frozen[i].flat = std::move(*place);
            TRY(add(std::move(frozen[i])));
        }
        return {};
    }

    // What the optimizer does not have: buffers, weights that are not trained, all weights without ZeRO.
    Status read_module() {
        const pickle::Ref module = pickle::find(first_.content->root(), "module");
        const auto* items = module == nullptr ? nullptr : pickle::mapping_items(module);
        if (items == nullptr)
            return base::fail(
                ErrorKind::unsupported,
                "it has no module: it is of a pipeline of DeepSpeed, whose weights are in files of layers; is the copy "
                "complete?",
                model_path());
        return read_tensors(first_, *items);
    }

    Status read_expert(const std::string& name) {
        TRY_ASSIGN(const OpenedFile file, files_.open(name));
        const auto* items = pickle::mapping_items(file.content->root());
        if (items == nullptr) return bad("it holds no dict of the tensors of an expert", name);
        return read_tensors(file, *items);
    }

    Status read_tensors(const OpenedFile& file, const std::vector<std::pair<pickle::Ref, pickle::Ref>>& items) {
        for (const auto& [key, value] : items) {
            const auto* name = key->as<std::string>();
            TRY_ASSIGN(auto tensor, file.content->tensor(value));
            if (name == nullptr || !tensor) continue;
            if (const auto master = masters_.find(*name); master != masters_.end())
                TRY(MasterCopies(fs_, files_).check(out_.content.tensors[master->second], file, *tensor));
            if (known_.contains(*name)) continue;
            if (tensor->shape == Shape{0} && engine_.models.size() + engine_.optimizers.size() > 2 && is_of_third())
                return bad(base::format("{} is in neither a flat group nor this file", *name), file.name);
            TorchDistTensor whole{*name, tensor->dtype, tensor->shape, {}};
            whole.chunks.push_back({Shape(tensor->shape.size(), 0), tensor->shape, files_.number(file.name),
                                    tensor->file_offset, std::move(tensor->strides), tensor->contiguous});
            TRY(add(std::move(whole)));
        }
        return {};
    }

    // Its model files are by data parallel rank.
    bool is_of_third() const { return first_.name.find("zero_pp_rank_") != std::string::npos; }

    Status add(TorchDistTensor tensor) {
        TRY(know(tensor, out_.content.tensors.size()));
        out_.content.tensors.push_back(std::move(tensor));
        return {};
    }

    // A weight, and its number in the content.
    Status know(TorchDistTensor& tensor, std::size_t number) {
        if (!known_.insert(tensor.fqn).second) return bad(base::format("{} is there twice", tensor.fqn), first_.name);
        masters_.emplace(tensor.fqn, number);
        tensor.path = {"module", tensor.fqn};
        return {};
    }

    base::FileSystem& fs_;
    ZeroFiles& files_;
    const EngineFiles& engine_;
    OpenedFile first_;  // of the model
    ShardedCheckpoint out_;
    std::unordered_set<std::string> known_;                 // names that are read, or stand for others
    std::unordered_map<std::string, std::size_t> masters_;  // tensors by name
};

}  // namespace

Result<ShardedCheckpoint> read_zero_engine(base::FileSystem& fs, ZeroFiles& files, const EngineFiles& engine,
                                           OpenedFile model, const Path& directory) {
    return EngineReader(fs, files, engine, std::move(model), directory).read();
}

Result<ShardedCheckpoint> read_zero_module(base::FileSystem& fs, ZeroFiles& files, const EngineFiles& engine,
                                           OpenedFile model, std::vector<TorchDistTensor> weights,
                                           const Path& directory) {
    return EngineReader(fs, files, engine, std::move(model), directory).read_with(std::move(weights));
}

}  // namespace ckpt
