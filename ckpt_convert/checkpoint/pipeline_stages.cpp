#include "ckpt_convert/checkpoint/pipeline_stages.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/master_copies.h"
#include "ckpt_convert/checkpoint/zero_vectors.h"
#include "ckpt_convert/formats/pickle/writer.h"

namespace ckpt {
namespace {

constexpr std::string_view kTied = "tied_modules.";

struct Layer {
    OpenedFile file;
    std::vector<std::pair<std::string, TorchTensor>> tensors;
    std::string front;  // of its names in the pipeline: "3.", "tied_modules.embed."
};

bool is_tied(const std::string& name) { return name.starts_with(kTied); }

// "tied_modules.embed.word.weight" -> "tied_modules.embed."
std::string_view front_of(std::string_view name) {
    const std::size_t dot = name.find('.', is_tied(std::string(name)) ? kTied.size() : 0);
    return name.substr(0, dot == name.npos ? 0 : dot + 1);
}

bool same_settings(const ShardedGroup& a, const ShardedGroup& b) {
    return std::equal(
        a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), [](const auto& one, const auto& other) {
            return one.first == other.first && pickle::try_write(one.second) == pickle::try_write(other.second);
        });
}

class StageReader {
public:
    StageReader(base::FileSystem& fs, ZeroFiles& files, const std::vector<PipelineStage>& stages, const Path& directory)
        : copies_(fs, files), files_(files), stages_(stages) {
        out_.format = "DeepSpeed pipeline";
        out_.directory = directory;
    }

    Result<ShardedCheckpoint> read(const std::map<std::uint64_t, std::string>& layers) {
        for (const auto& [number, name] : layers) TRY(open_layer(number, name));
        std::vector<std::vector<NamedShapes>> shapes;
        for (const PipelineStage& stage : stages_) {
            TRY_ASSIGN(shapes.emplace_back(), shapes_of(stage));
        }
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            if (stages_[i].files.optimizers.empty()) continue;
            TRY_ASSIGN(ZeroVectors vectors, read_zero_vectors(files_, shapes[i], stages_[i].files.optimizers,
                                                              expert_order(stages_[i].model)));
            TRY(add_stage(std::move(vectors), stages_[i].files.optimizers.front()));
        }
        for (Layer& layer : layers_) name_layer(layer);
        TRY(check_layers());
        for (Layer& layer : layers_) TRY(add_layer(layer));
        if (!out_.has_optimizer) refuse_plain_optimizer();
        return std::move(out_);
    }

private:
    Status open_layer(std::uint64_t number, const std::string& name) {
        Layer& layer = layers_.emplace_back();
        layer.front = base::format("{}.", number);
        TRY_ASSIGN(layer.file, files_.open(name));
        const auto* items = pickle::mapping_items(layer.file.content->root());
        if (items == nullptr) return files_.bad("it holds no dict of the tensors of a layer", name);
        for (const auto& [key, value] : *items) {
            const auto* inside = key->as<std::string>();
            TRY_ASSIGN(auto tensor, layer.file.content->tensor(value));
            if (inside != nullptr && tensor) layer.tensors.emplace_back(*inside, std::move(*tensor));
        }
        return {};
    }

    // Of the parameters in the optimizer of a stage, by flat group.
    Result<std::vector<NamedShapes>> shapes_of(const PipelineStage& stage) {
        if (stage.files.optimizers.empty()) return std::vector<NamedShapes>();
        const pickle::Ref world = pickle::find(stage.model.content->root(), "dp_world_size");
        const auto* told = world == nullptr ? nullptr : world->as<std::int64_t>();
        TRY(check_optimizer_files(stage.files, told == nullptr || *told < 0 ? 0 : static_cast<std::uint64_t>(*told),
                                  out_.directory));
        const pickle::Ref shapes = pickle::find(stage.model.content->root(), "param_shapes");
        // An engine that shares the optimizer of bf16 without ZeRO saves none.
        if (shapes == nullptr || shapes->as<pickle::None>() == nullptr)
            return zero_shapes(shapes, files_.path(stage.model.name));
        return shapes_of_fragments(files_, stage.files.optimizers,
                                   [this](const std::string& name) { return shape_of(name); });
    }

    // Of a parameter; the layers do not say which of them are shared.
    std::optional<Shape> shape_of(const std::string& name) const {
        const std::string_view front = front_of(name), inside = std::string_view(name).substr(front.size());
        for (const Layer& layer : layers_) {
            if (!is_tied(name) && layer.front != front) continue;
            for (const auto& [its, tensor] : layer.tensors) {
                if (its == inside) return tensor.shape;
            }
        }
        return std::nullopt;
    }

    Status add_stage(ZeroVectors vectors, const std::string& file) {
        out_.has_optimizer = true;
        std::set<std::string> again;  // of an earlier stage
        for (std::size_t i = 0; i < vectors.weights; ++i) {
            TorchDistTensor& weight = vectors.tensors[i];
            const auto known = masters_.find(weight.fqn);
            if (known == masters_.end()) {
                add(std::move(weight));
                continue;
            }
            TRY(compare(out_.content.tensors[known->second], weight, file));
            again.insert(weight.fqn);
            for (const char* moment : {"exp_avg", "exp_avg_sq"}) again.insert(state_of_weight(weight, moment).fqn);
        }
        for (std::size_t i = vectors.weights; i < vectors.tensors.size(); ++i) {
            TorchDistTensor& moment = vectors.tensors[i];
            if (!again.contains(moment.fqn)) out_.content.tensors.push_back(std::move(moment));
        }
        for (const auto& [step, whose] : vectors.steps) out_.steps.emplace(step, whose);
        join_groups(std::move(vectors.groups), again);
        std::move(vectors.owners.begin(), vectors.owners.end(), std::back_inserter(out_.groups.owners));
        return {};
    }

    // What several stages have changes in all of them alike.
    Status compare(const TorchDistTensor& known, const TorchDistTensor& weight, const std::string& file) const {
        bool same = known.shape == weight.shape;
        if (same) {
            TRY_ASSIGN(same, copies_.same(known, weight, MasterCopies::kEnds));
        }
        if (same) return {};
        return files_.bad(base::format("{} has other values than in an earlier stage, with which it shares them; are "
                                       "files of two saves mixed?",
                                       weight.fqn),
                          file);
    }

    // A group of a stage is the same as one of earlier ones with its settings, each of which it has once. As in the pipeline as a module
    // what is shared comes first.
    void join_groups(std::vector<ShardedGroup> groups, const std::set<std::string>& again) {
        std::vector<bool> taken(out_.groups.groups.size());
        for (ShardedGroup& group : groups) {
            std::erase_if(group.names, [&](const std::string& name) { return again.contains(name); });
            std::size_t number = 0;
            while (number < taken.size() && (taken[number] || !same_settings(out_.groups.groups[number], group)))
                ++number;
            if (number == taken.size()) {
                out_.groups.groups.push_back(std::move(group));
                continue;
            }
            taken[number] = true;
            auto& names = out_.groups.groups[number].names;
            names.insert(names.end(), group.names.begin(), group.names.end());
            std::stable_partition(names.begin(), names.end(), is_tied);
        }
    }

    // A layer none of whose numbered names is a parameter is one that is shared, if its values are those of one.
    void name_layer(Layer& layer) {
        const auto is_it = [&](const std::string& front) { return is_tied(front) && is_layer_of(layer, front); };
        const auto shared =
            fronts_.contains(layer.front) ? fronts_.end() : std::find_if(fronts_.begin(), fronts_.end(), is_it);
        if (shared != fronts_.end()) layer.front = *shared;
    }

    // All parameters are in the files of layers too.
    Status check_layers() const {
        for (const std::string& front : fronts_) {
            if (std::any_of(layers_.begin(), layers_.end(), [&](const Layer& layer) { return layer.front == front; }))
                continue;
            const std::string shown = front.substr(0, front.size() - 1);
            return base::fail(ErrorKind::bad_input,
                              is_tied(front)
                                  ? base::format("no file of a layer has the parameters of {} with the values that "
                                                 "the optimizer has; is the copy complete, and of one save?",
                                                 shown)
                                  : base::format("the file of layer {} is missing; is the copy complete?", shown),
                              out_.directory);
        }
        return {};
    }

    // Whether it has all parameters with this front, and their values.
    bool is_layer_of(const Layer& layer, const std::string& front) const {
        std::size_t found = 0;
        for (const auto& [name, tensor] : layer.tensors) {
            const auto master = masters_.find(front + name);
            if (master == masters_.end()) continue;
            if (!copies_.check(out_.content.tensors[master->second], layer.file, tensor)) return false;
            ++found;
        }
        return found == front_counts_.at(front);
    }

    Status add_layer(Layer& layer) {
        for (auto& [name, tensor] : layer.tensors) {
            const std::string whole = layer.front + name;
            if (const auto master = masters_.find(whole); master != masters_.end()) {
                TRY(copies_.check(out_.content.tensors[master->second], layer.file, tensor));
                continue;
            }
            TorchDistTensor stored{whole, tensor.dtype, tensor.shape, {}};
            stored.chunks.push_back({Shape(tensor.shape.size(), 0), tensor.shape, files_.number(layer.file.name),
                                     tensor.file_offset, std::move(tensor.strides), tensor.contiguous});
            add(std::move(stored));
        }
        return {};
    }

    void add(TorchDistTensor tensor) {
        const std::string front(front_of(tensor.fqn));
        fronts_.insert(front);
        ++front_counts_[front];
        masters_.emplace(tensor.fqn, out_.content.tensors.size());
        tensor.path = {"module", tensor.fqn};
        out_.content.tensors.push_back(std::move(tensor));
    }

    // Without ZeRO and bf16 the stages have the optimizer's own state.
    void refuse_plain_optimizer() {
        for (const PipelineStage& stage : stages_) {
            const pickle::Ref state = pickle::find(stage.model.content->root(), "optimizer");
            out_.has_optimizer |= state != nullptr && state->as<pickle::None>() == nullptr;
        }
        if (out_.has_optimizer)
            out_.states_refused =
                "the optimizer of a DeepSpeed pipeline without ZeRO numbers the parameters of each stage, and nothing "
                "says which they are; --optimizer drop converts the weights alone";
    }

    MasterCopies copies_;
    ZeroFiles& files_;
    const std::vector<PipelineStage>& stages_;
    std::vector<Layer> layers_;
    ShardedCheckpoint out_;
    std::unordered_map<std::string, std::size_t> masters_;  // tensors by name
    std::set<std::string> fronts_;                          // of their names
    std::map<std::string, std::size_t> front_counts_;       // tensors with each
};

}  // namespace

Result<ShardedCheckpoint> read_pipeline_stages(base::FileSystem& fs, ZeroFiles& files,
                                               const std::map<std::uint64_t, std::string>& layers,
                                               const std::vector<PipelineStage>& stages, const Path& directory) {
    return StageReader(fs, files, stages, directory).read(layers);
}

}  // namespace ckpt
