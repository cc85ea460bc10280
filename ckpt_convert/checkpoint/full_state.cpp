#include "ckpt_convert/checkpoint/full_state.h"

#include <memory>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"

namespace ckpt {
namespace {

using Items = std::vector<std::pair<pickle::Ref, pickle::Ref>>;

constexpr const char* kFullModel = "pytorch_model_fsdp.bin";
constexpr const char* kFullOptimizer = "optimizer.bin";

class FullStateReader {
public:
    FullStateReader(base::FileSystem& fs, const Path& directory) : fs_(fs) { out_.directory = directory; }

    Result<ShardedCheckpoint> read() {
        out_.format = "full state of FSDP";
        TRY_ASSIGN(const auto model, open(kFullModel));
        TRY_ASSIGN(const auto* items, dict_of(model->root(), "the file"));
        for (const auto& [key, value] : *items) {
            if (const auto* name = key->as<std::string>()) TRY(add(*name, {"model", *name}, value, *model));
        }
        out_.has_optimizer = fs_.exists(base::join(out_.directory, kFullOptimizer));
        if (out_.has_optimizer) TRY(add_optimizer());
        return std::move(out_);
    }

private:
    tl::unexpected<base::Error> bad(std::string message) const {
        return base::fail(ErrorKind::bad_input, std::move(message), path_);
    }

    Result<std::shared_ptr<const TorchFile>> open(const char* name) {
        path_ = base::join(out_.directory, name);
        TRY_ASSIGN(const auto file, fs_.open(path_));
        TRY(reject_placeholder(*file));
        TRY_ASSIGN(TorchFile content, TorchFile::read(*file));
        out_.content.files.emplace_back(name);
        return std::make_shared<const TorchFile>(std::move(content));
    }

    Result<const Items*> dict_of(pickle::Ref value, std::string_view what) const {
        const auto* items = value == nullptr ? nullptr : pickle::mapping_items(value);
        if (items == nullptr) return bad(base::format("{} holds no dict of states", what));
        return items;
    }

    Status add(std::string fqn, std::vector<std::string> keys, pickle::Ref value, const TorchFile& content) {
        TRY_ASSIGN(auto tensor, content.tensor(value));
        if (!tensor) return {};
        TorchDistChunk chunk{Shape(tensor->shape.size(), 0),
                             tensor->shape,
                             static_cast<std::uint32_t>(out_.content.files.size() - 1),
                             tensor->file_offset,
                             std::move(tensor->strides),
                             tensor->contiguous};
        out_.content.tensors.push_back(
            {std::move(fqn), tensor->dtype, std::move(tensor->shape), {std::move(chunk)}, std::move(keys)});
        return {};
    }

    Status add_optimizer() {
        TRY_ASSIGN(const auto content, open(kFullOptimizer));
        TRY_ASSIGN(const auto* states, dict_of(pickle::find(content->root(), "state"), "the optimizer"));
        for (const auto& [key, state] : *states) {
            const auto* weight = key->as<std::string>();
            if (weight == nullptr) {
                out_.states_refused =
                    "the optimizer has numbers instead of names, and nothing says which weights they are; --optimizer "
                    "drop leaves the state out";
                return {};
            }
            TRY_ASSIGN(const auto* parts, dict_of(state, *weight));
            for (const auto& [what, value] : *parts) {
                if (const auto* name = what->as<std::string>())
                    TRY(add(base::format("optimizer.state.{}.{}", *weight, *name),
                            {"optimizer", "state", *weight, *name}, value, *content));
            }
        }
        out_.groups.owners.push_back(content);
        return add_groups(pickle::find(content->root(), "param_groups"));
    }

    Status add_groups(pickle::Ref groups) {
        const auto* list = groups == nullptr ? nullptr : groups->as<pickle::List>();
        if (list == nullptr) return bad("the optimizer has no list of groups");
        for (pickle::Ref one : list->items) {
            ShardedGroup& group = out_.groups.groups.emplace_back();
            TRY_ASSIGN(const auto* items, dict_of(one, "a group"));
            for (const auto& [key, value] : *items) {
                const auto* name = key->as<std::string>();
                if (name == nullptr) continue;
                const auto* names = *name == "params" ? value->as<pickle::List>() : nullptr;
                if (names == nullptr) group.values.emplace_back(*name, value);
                for (pickle::Ref weight : names == nullptr ? std::vector<pickle::Ref>() : names->items) {
                    if (const auto* text = weight->as<std::string>()) group.names.push_back(*text);
                }
            }
        }
        return {};
    }

    base::FileSystem& fs_;
    ShardedCheckpoint out_;
    Path path_;
};

}  // namespace

bool is_full_state(std::string_view file) { return file == kFullModel; }

Result<ShardedCheckpoint> open_full_state(base::FileSystem& fs, const Path& directory) {
    return FullStateReader(fs, directory).read();
}

}  // namespace ckpt
