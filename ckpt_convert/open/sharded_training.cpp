#include "ckpt_convert/open/sharded_training.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/execute/training_output.h"
#include "ckpt_convert/open/numbered_states.h"
#include "ckpt_convert/open/sharded_source.h"

namespace ckpt {
namespace {

constexpr std::string_view kStates = "state.", kGroups = "param_groups.", kGroupOfEach = "param_to_group_meta.",
                           kStep = "step", kParameters = "params";

// "state.model.norm.weight.exp_avg": the weight, and what of it.
std::pair<std::string, std::string> split_state(std::string_view name) {
    name.remove_prefix(kStates.size());
    const std::size_t dot = name.rfind('.');
    if (dot == name.npos) return {};
    return {std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))};
}

bool has_states(const DistributedNames& names, const ShardedCheckpoint& checkpoint) {
    return std::any_of(checkpoint.content.tensors.begin(), checkpoint.content.tensors.end(), [&](const auto& tensor) {
        return names.entry(tensor.fqn, tensor.path, "").kind == EntryName::Kind::optimizer;
    });
}

class TrainingReader {
public:
    TrainingReader(base::FileSystem& fs, const DistributedNames& names, ShardedCheckpoint checkpoint, Steps steps)
        : fs_(fs), names_(names), checkpoint_(std::move(checkpoint)), steps_(steps) {}

    Result<ShardedTraining> read() {
        TRY_ASSIGN(const auto files, open_files(fs_, checkpoint_.directory, checkpoint_.content));
        for (TensorIndex& index : out_.moments) index.files = files;
        for (const TorchDistTensor& tensor : checkpoint_.content.tensors) TRY(add_tensor(tensor));
        if (!checkpoint_.states_refused.empty())
            return base::fail(ErrorKind::unsupported, checkpoint_.states_refused, checkpoint_.directory);
        if (out_.moments[0].tensors.empty())
            return bad("there are no moments of an optimizer; --optimizer drop converts the weights alone");
        for (const auto& [step, whose] : checkpoint_.steps) TRY(take_step(static_cast<float>(step), whose));
        out_.settings = std::move(checkpoint_.groups);
        for (const TorchDistBytes& bytes : checkpoint_.content.bytes) TRY(add_object(bytes));
        if (!has_step_)
            return bad("the optimizer does not say how many steps it has gone; --optimizer drop leaves it out");
        for (auto& [key, group] : groups_) out_.settings.groups.push_back(std::move(group));
        for (ShardedGroup& group : out_.settings.groups) {
            for (std::string& name : group.names) name = names_.unwrapped(std::move(name));
        }
        if (out_.settings.groups.empty())
            return bad("the optimizer has no groups of parameters; --optimizer drop leaves it out");
        return std::move(out_);
    }

private:
    tl::unexpected<base::Error> bad(std::string message) const {
        return base::fail(ErrorKind::bad_input, std::move(message), checkpoint_.directory);
    }

    std::optional<std::string> of_optimizer(const std::string& fqn, const std::vector<std::string>& path) const {
        const EntryName entry = names_.entry(fqn, path, "");
        return entry.kind == EntryName::Kind::optimizer ? std::optional(entry.name) : std::nullopt;
    }

    Status add_tensor(const TorchDistTensor& tensor) {
        const auto name = of_optimizer(tensor.fqn, tensor.path);
        if (!name || !name->starts_with(kStates)) return {};
        auto [weight, what] = split_state(*name);
        const auto moment = std::find(kAdamMoments.begin(), kAdamMoments.end(), what);
        if (moment != kAdamMoments.end()) {
            add_parts(out_.moments[static_cast<std::size_t>(moment - kAdamMoments.begin())], tensor,
                      weights_(names_.unwrapped(std::move(weight))), shapes_);
            return {};
        }
        if (what == kStep && tensor.shape.empty() && tensor.dtype == DType::f32) return read_step(tensor);
        return base::fail(
            ErrorKind::unsupported,
            base::format("{} is a state of another optimizer than Adam; --optimizer drop leaves it out", tensor.fqn),
            checkpoint_.directory);
    }

    Status read_step(const TorchDistTensor& tensor) {
        const TorchDistChunk& chunk = tensor.chunks.front();
        float value = 0;
        TRY(out_.moments[0].files[chunk.file]->read_at(chunk.file_offset,
                                                       std::as_writable_bytes(std::span(&value, 1))));
        return take_step(value, tensor.fqn);
    }

    Status take_step(float value, const std::string& whose) {
        if (has_step_ && value != out_.step && steps_ == Steps::same)
            return base::fail(
                ErrorKind::unsupported,
                base::format("{} has gone {} steps, other parameters {}; what goes on from it has one "
                             "number for all. --optimizer-step max gives them the largest, --optimizer drop leaves "
                             "the state out",
                             whose, value, out_.step),
                checkpoint_.directory);
        has_step_ = true;
        out_.step = std::max(out_.step, value);
        return {};
    }

    Result<pickle::Ref> read_object(const TorchDistBytes& bytes) {
        TRY_ASSIGN(const auto file, fs_.open(base::join(checkpoint_.directory, checkpoint_.content.files[bytes.file])));
        TRY_ASSIGN(TorchFile read, TorchFile::read(*file, bytes.offset, bytes.bytes));
        out_.settings.owners.push_back(std::make_shared<const TorchFile>(std::move(read)));
        return out_.settings.owners.back()->root();
    }

    // "lr_scheduler.last_epoch", or "opt_param_scheduler.max_lr". What holds more than numbers and texts stays.
    Status add_schedule(const TorchDistBytes& bytes) {
        const SavedBeside* what = names_.saved_beside(bytes.fqn);
        if (what == nullptr || what->carried.empty()) return {};
        TRY_ASSIGN(const pickle::Ref value, read_object(bytes));
        if (!require_plain(value, bytes.fqn)) return {};
        out_.schedule_title = what->what;
        std::vector<std::string> path = bytes.path.empty() ? std::vector<std::string>{bytes.fqn} : bytes.path;
        if (what->carried == kCarriedTo.front()) out_.schedule.emplace_back(std::move(path), value);
        else if (path.size() == 2) out_.megatron_schedule.emplace_back(std::move(path.back()), value);
        return {};
    }

    // The settings of a weight's group say how many steps it has gone, where its state does not.
    Status take_step_of_group(pickle::Ref value, const std::string& whose) {
        if (const auto* whole = value->as<std::int64_t>()) return take_step(static_cast<float>(*whole), whose);
        if (const auto* real = value->as<double>()) return take_step(static_cast<float>(*real), whose);
        return bad(base::format("{} is {}, not a number", whose, value->kind_name()));
    }

    // "param_groups.0.lr", "param_groups.model.norm.weight.lr", or "param_to_group_meta.decoder.final_layernorm.weight.lr".
    Status add_object(const TorchDistBytes& bytes) {
        const EntryName entry = names_.entry(bytes.fqn, bytes.path, "");
        if (entry.kind == EntryName::Kind::other) return add_schedule(bytes);
        const auto name = of_optimizer(bytes.fqn, bytes.path);
        const bool of_each = name && name->starts_with(kGroupOfEach);
        if (!name || !(of_each || name->starts_with(kGroups))) return {};
        const std::size_t dot = name->rfind('.'), front = (of_each ? kGroupOfEach : kGroups).size();
        if (dot <= front) return {};
        const std::string whose = name->substr(front, dot - front);
        if (name->substr(dot + 1) == kParameterOrder) {
            out_.settings.ordered = false;
            return {};
        }
        const bool is_number =
            !of_each && std::all_of(whose.begin(), whose.end(), [](char c) { return c >= '0' && c <= '9'; });
        out_.settings.by_name |= !is_number;
        out_.settings.of_megatron |= of_each;
        TRY_ASSIGN(const pickle::Ref value, read_object(bytes));
        if (of_each && name->substr(dot + 1) == kStep) return take_step_of_group(value, bytes.fqn);
        ShardedGroup& group = groups_[whose];
        if (!is_number && group.names.empty()) group.names.push_back(whose);
        if (name->substr(dot + 1) != kParameters) {
            group.values.emplace_back(name->substr(dot + 1), value);
            return {};
        }
        const auto* list = value->as<pickle::List>();
        if (list == nullptr) return bad(base::format("{} is not a list of names", bytes.fqn));
        for (pickle::Ref item : list->items) {
            const auto* text = item->as<std::string>();
            if (text == nullptr)
                return base::fail(ErrorKind::unsupported,
                                  base::format("{} has numbers instead of names, and nothing says which weights they "
                                               "are; --optimizer drop leaves the state out",
                                               bytes.fqn),
                                  checkpoint_.directory);
            group.names.push_back(*text);
        }
        return {};
    }

    base::FileSystem& fs_;
    const DistributedNames& names_;
    ShardedCheckpoint checkpoint_;
    Steps steps_;
    std::map<std::string, ShardedGroup> groups_;
    SharedPool<std::string> weights_;
    SharedPool<Shape> shapes_;
    ShardedTraining out_;
    bool has_step_ = false;
};

}  // namespace

Result<ShardedTraining> open_sharded_training(base::FileSystem& fs, const DistributedNames& names,
                                              const Path& directory, Steps steps) {
    TRY_ASSIGN(ShardedCheckpoint checkpoint, open_named_shards(fs, names, directory));
    const auto apart = find_optimizer(fs, names, directory);
    if (apart && !has_states(names, checkpoint)) {
        TRY_ASSIGN(checkpoint, open_sharded_checkpoint(fs, *apart));
    }
    return TrainingReader(fs, names, std::move(checkpoint), steps).read();
}

}  // namespace ckpt
