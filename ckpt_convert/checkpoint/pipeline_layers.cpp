#include "ckpt_convert/checkpoint/pipeline_layers.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/zero_files.h"

namespace ckpt {
namespace {

struct LayerFile {
    std::uint64_t layer = 0;
    std::uint64_t part = 0;  // of tensor parallel ranks
};

std::optional<std::uint64_t> layer_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool skip(std::string_view& text, std::string_view front) {
    if (!text.starts_with(front)) return false;
    text.remove_prefix(front.size());
    return true;
}

// "layer_03-model_00-model_states.pt", "layer_03-model_states.pt"
std::optional<LayerFile> parse_layer(std::string_view file) {
    if (!skip(file, "layer_")) return std::nullopt;
    const auto layer = layer_number(file);
    LayerFile out{layer.value_or(0)};
    std::string_view rest = file;
    if (const auto part = skip(rest, "-model_") ? layer_number(rest) : std::nullopt) {
        out.part = *part;
        file = rest;
    }
    return layer && file == "-model_states.pt" ? std::optional(out) : std::nullopt;
}

Status add_layer(ShardedCheckpoint& out, ZeroFiles& files, std::uint64_t layer, const std::string& name) {
    TRY_ASSIGN(const OpenedFile file, files.open(name));
    const auto* items = pickle::mapping_items(file.content->root());
    if (items == nullptr) return files.bad("it holds no dict of the tensors of a layer", name);
    for (const auto& [key, value] : *items) {
        const auto* inside = key->as<std::string>();
        TRY_ASSIGN(auto tensor, file.content->tensor(value));
        if (inside == nullptr || !tensor) continue;
        TorchDistTensor& whole = out.content.tensors.emplace_back(
            TorchDistTensor{base::format("{}.{}", layer, *inside), tensor->dtype, tensor->shape, {}});
        whole.path = {"module", whole.fqn};
        whole.chunks.push_back({Shape(tensor->shape.size(), 0), std::move(tensor->shape), files.number(name),
                                tensor->file_offset, std::move(tensor->strides), tensor->contiguous});
    }
    return {};
}

}  // namespace

bool is_pipeline_layer(std::string_view file) { return parse_layer(file).has_value(); }

Result<ShardedCheckpoint> open_pipeline_layers(base::FileSystem& fs, const Path& directory) {
    ShardedCheckpoint out;
    out.format = "DeepSpeed pipeline";
    out.directory = directory;
    ZeroFiles files(fs, out);
    std::map<std::uint64_t, std::string> layers;
    TRY_ASSIGN(const auto entries, fs.list(directory));
    for (const auto& entry : entries) {
        out.has_optimizer |= entry.name.ends_with("optim_states.pt");
        const auto file = parse_layer(entry.name);
        if (!file) continue;
        if (file->part > 0)
            return base::fail(ErrorKind::unsupported,
                              "the pipeline ran with tensor parallelism, whose parts are not put together; convert it "
                              "with the tools of the program that wrote it",
                              files.path(entry.name));
        if (const auto [known, is_new] = layers.emplace(file->layer, entry.name); !is_new)
            return files.bad(base::format("{} is the same layer; are files of two runs mixed?", known->second),
                             entry.name);
    }
    for (const auto& [layer, name] : layers) TRY(add_layer(out, files, layer, name));
    out.states_refused =
        "the state of the optimizer of a DeepSpeed pipeline is not read, as each stage has its own; --optimizer drop "
        "converts the weights alone";
    return out;
}

}  // namespace ckpt
