#include "ckpt_convert/checkpoint/pipeline_layers.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "ckpt_convert/checkpoint/engine_files.h"
#include "ckpt_convert/checkpoint/model_ranks.h"
#include "ckpt_convert/checkpoint/name_parts.h"
#include "ckpt_convert/checkpoint/pipeline_stages.h"
#include "ckpt_convert/checkpoint/tensor_slices.h"
#include "ckpt_convert/checkpoint/zero_files.h"

namespace ckpt {
namespace {

struct LayerFile {
    std::uint64_t layer = 0;
    std::uint64_t part = 0;  // of tensor parallel ranks
};

// "layer_03-model_00-model_states.pt", "layer_03-model_states.pt"
std::optional<LayerFile> parse_layer(std::string_view file) {
    if (!skip_word(file, "layer_")) return std::nullopt;
    const auto layer = skip_number(file);
    LayerFile out{layer.value_or(0)};
    std::string_view rest = file;
    if (const auto part = skip_word(rest, "-model_") ? skip_number(rest) : std::nullopt) {
        out.part = *part;
        file = rest;
    }
    return layer && file == "-model_states.pt" ? std::optional(out) : std::nullopt;
}

class PipelineReader {
public:
    PipelineReader(base::FileSystem& fs, const Path& directory) : fs_(fs), files_(fs, out_) {
        out_.directory = directory;
    }

    Result<ShardedCheckpoint> read() {
        TRY(find_layers());
        TRY(find_stages());
        std::vector<ShardedCheckpoint> slices;
        for (std::uint64_t part = 0; part < parts_.size(); ++part) {
            TRY_ASSIGN(slices.emplace_back(),
                       read_pipeline_stages(fs_, files_, parts_[part], stages_of(part), out_.directory));
        }
        TRY_ASSIGN(ShardedCheckpoint joined,
                   joined_slices(fs_, files_, std::move(slices), ranks_.empty() ? OpenedFile() : ranks_.front().model));
        for (const PipelineStage& rank : ranks_) joined.ranks += rank.files.optimizers.size();
        joined.content.files = std::move(out_.content.files);
        return joined;
    }

private:
    Status find_layers() {
        std::map<std::uint64_t, std::map<std::uint64_t, std::string>> found;
        TRY_ASSIGN(const auto entries, fs_.list(out_.directory));
        for (const auto& entry : entries) {
            const auto file = parse_layer(entry.name);
            if (!file) continue;
            const auto [known, is_new] = found[file->part].emplace(file->layer, entry.name);
            if (!is_new)
                return files_.bad(base::format("{} is the same layer; are files of two runs mixed?", known->second),
                                  entry.name);
        }
        for (auto& [part, layers] : found) {
            // A rank without files, or with those of other layers.
            const bool is_next = part == parts_.size();
            for (const auto& [layer, name] : is_next&& part > 0 ? parts_.front() : layers) {
                if (is_next && layers.contains(layer)) continue;
                return base::fail(ErrorKind::bad_input,
                                  base::format("the file of layer {} of tensor parallel rank {} is missing; is the "
                                               "copy complete?",
                                               layer, is_next ? part : parts_.size()),
                                  out_.directory);
            }
            parts_.push_back(std::move(layers));
        }
        return {};
    }

    Status find_stages() {
        TRY_ASSIGN(auto found, find_engine_files(fs_, out_.directory));
        std::vector<OpenedFile> models;
        for (EngineFiles& files : found) {
            TRY_ASSIGN(models.emplace_back(), files_.open(files.models.front()));
            ranks_.push_back({models.back(), std::move(files)});
        }
        if (models.empty()) return {};
        TRY_ASSIGN(const ModelRanks ranks, model_ranks(files_, models, parts_.size()));
        if (ranks.tensor == parts_.size()) return {};
        return files_.bad(base::format("it is of {} tensor parallel ranks, and there are files of layers of {}; is the "
                                       "copy complete, and of one run?",
                                       ranks.tensor, parts_.size()),
                          models.front().name);
    }

    std::vector<PipelineStage> stages_of(std::uint64_t part) const {
        std::vector<PipelineStage> out;
        for (std::size_t rank = part; rank < ranks_.size(); rank += parts_.size()) out.push_back(ranks_[rank]);
        return out;
    }

    base::FileSystem& fs_;
    ShardedCheckpoint out_;
    ZeroFiles files_;
    std::vector<std::map<std::uint64_t, std::string>> parts_;  // files by layer, by tensor parallel rank
    std::vector<PipelineStage> ranks_;                         // by model parallel rank
};

}  // namespace

bool is_pipeline_layer(std::string_view file) { return parse_layer(file).has_value(); }

Result<ShardedCheckpoint> open_pipeline_layers(base::FileSystem& fs, const Path& directory) {
    return PipelineReader(fs, directory).read();
}

}  // namespace ckpt
