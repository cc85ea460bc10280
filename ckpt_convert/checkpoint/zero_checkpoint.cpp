#include "ckpt_convert/checkpoint/zero_checkpoint.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "ckpt_convert/checkpoint/engine_files.h"
#include "ckpt_convert/checkpoint/model_ranks.h"
#include "ckpt_convert/checkpoint/tensor_slices.h"
#include "ckpt_convert/checkpoint/universal_checkpoint.h"
#include "ckpt_convert/checkpoint/zero_engine.h"

namespace ckpt {
namespace {

constexpr const char* kUniversalDirectory = "zero";

class ZeroReader {
public:
    ZeroReader(base::FileSystem& fs, const Path& directory) : fs_(fs), files_(fs, out_) { out_.directory = directory; }

    Result<ShardedCheckpoint> read() {
        TRY_ASSIGN(const auto engines, find_engine_files(fs_, out_.directory));
        for (const EngineFiles& engine : engines) {
            TRY_ASSIGN(models_.emplace_back(), files_.open(engine.models.front()));
        }
        if (models_.empty())
            return files_.bad("the file with the names and shapes of the weights is missing; is the copy complete?",
                              "mp_rank_00_model_states.pt");
        TRY(model_ranks(files_, models_, models_.size()));
        if (files_.exists(kUniversalDirectory)) return read_universal_files(engines.front());
        std::vector<ShardedCheckpoint> slices;
        for (std::size_t rank = 0; rank < engines.size(); ++rank) {
            TRY_ASSIGN(slices.emplace_back(),
                       read_zero_engine(fs_, files_, engines[rank], models_[rank], out_.directory));
        }
        TRY_ASSIGN(ShardedCheckpoint joined, joined_slices(fs_, files_, std::move(slices), models_.front()));
        joined.content.files = std::move(out_.content.files);
        return joined;
    }

private:
    // Where ranks shared the model, each has a part of the module, and the parameters alone are whole.
    Result<ShardedCheckpoint> read_universal_files(const EngineFiles& first) {
        TRY_ASSIGN(const auto groups, universal_shapes());
        const bool is_shared = models_.size() > 1;
        TRY_ASSIGN(UniversalContent content, read_universal(files_, groups, is_shared));
        ShardedCheckpoint out;
        if (is_shared) {
            out.directory = out_.directory;
            for (TorchDistTensor& weight : content.weights) weight.path = {"module", weight.fqn};
            out.content.tensors = std::move(content.weights);
        } else {
            TRY_ASSIGN(
                out, read_zero_module(fs_, files_, first, models_.front(), std::move(content.weights), out_.directory));
        }
        out.format = "universal checkpoint of DeepSpeed";
        out.has_optimizer = true;
        std::move(content.moments.begin(), content.moments.end(), std::back_inserter(out.content.tensors));
        out.steps = std::move(content.steps);
        out.groups = std::move(content.groups);
        out.groups.ordered = pickle::find(models_.front().content->root(), kParameterOrder) == nullptr;
        out.content.files = std::move(out_.content.files);
        return out;
    }

    // Of all that share the model, group by group, each parameter once.
    Result<std::vector<NamedShapes>> universal_shapes() const {
        std::vector<NamedShapes> out;
        std::set<std::string> known;
        for (const OpenedFile& model : models_) {
            TRY_ASSIGN(const auto groups,
                       zero_shapes(pickle::find(model.content->root(), "param_shapes"), files_.path(model.name)));
            out.resize(std::max(out.size(), groups.size()));
            for (std::size_t group = 0; group < groups.size(); ++group) {
                for (const auto& one : groups[group]) {
                    if (known.insert(one.first).second) out[group].push_back(one);
                }
            }
        }
        return out;
    }

    base::FileSystem& fs_;
    ShardedCheckpoint out_;
    ZeroFiles files_;
    std::vector<OpenedFile> models_;  // by model parallel rank
};

}  // namespace

bool is_zero_file(std::string_view file) { return is_engine_file(file); }

Result<ShardedCheckpoint> open_zero_checkpoint(base::FileSystem& fs, const Path& directory) {
    return ZeroReader(fs, directory).read();
}

}  // namespace ckpt
