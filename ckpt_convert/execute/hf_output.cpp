#include "ckpt_convert/execute/hf_output.h"

#include <algorithm>
#include <memory>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/execute/manifest.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"

namespace ckpt {
namespace {

// Files that hold weights, in whatever framework's format.
constexpr std::string_view kWeightEndings[] = {".safetensors",       ".bin",     ".pt",   ".pth",  ".h5", ".distcp",
                                               ".metadata",          ".msgpack", ".onnx", ".gguf", ".ot", ".index.json",
                                               "param_name_map.json"};

bool is_no_companion(std::string_view name) {
    bool is_weight = std::any_of(std::begin(kWeightEndings), std::end(kWeightEndings),
                                 [&](std::string_view ending) { return name.ends_with(ending); });
    return is_weight || name.starts_with(".") || name == kManifestFile || is_unfinished_download(name);
}

// What links may lead to, with a slash behind it. https://huggingface.co/docs/huggingface_hub/guides/manage-cache:
// models--X/snapshots/REVISION/FILE is a link to models--X/blobs/HASH.
Result<Path> checkpoint_root(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(Path real, fs.real_path(directory));
    Path above = base::parent(real);
    if (base::file_name(above) == "snapshots") real = base::parent(above);
    return real.ends_with('/') ? real : real + "/";
}

std::vector<std::vector<std::uint32_t>> split_into_shards(const ConversionPlan& plan, std::uint64_t max_shard_bytes) {
    std::vector<std::vector<std::uint32_t>> shards(1);
    std::uint64_t filled = 0;
    for (std::uint32_t i = 0; i < plan.targets.size(); ++i) {
        std::uint64_t bytes = *checked_bytes(plan.targets[i].shape, plan.targets[i].dtype);
        if (filled > 0 && filled + bytes > max_shard_bytes) {
            shards.emplace_back();
            filled = 0;
        }
        shards.back().push_back(i);
        filled += bytes;
    }
    // Wide elements first, so that every tensor is aligned to its element size.
    for (auto& shard : shards) {
        std::stable_sort(shard.begin(), shard.end(), [&](std::uint32_t a, std::uint32_t b) {
            return bits(plan.targets[a].dtype) > bits(plan.targets[b].dtype);
        });
    }
    return shards;
}

Result<OutputFile> shard_file(const ConversionPlan& plan, std::vector<std::uint32_t> targets, std::string path) {
    std::vector<SafetensorsTensor> tensors;
    for (std::uint32_t target : targets)
        tensors.push_back(
            {plan.targets[target].name, plan.targets[target].dtype, plan.targets[target].shape_in_file()});
    TRY_ASSIGN(SafetensorsLayout layout, plan_safetensors(tensors, {{"format", "pt"}}));
    OutputFile file;
    file.path = std::move(path);
    file.bytes = layout.file_bytes;
    file.targets = std::move(targets);
    file.offsets = std::move(layout.offsets);
    file.chunks = [header = std::move(layout.header)](const std::vector<std::uint32_t>&) {
        return std::vector<FileChunk>{{0, header}};
    };
    return file;
}

// {NAME: file}, in the order of names.
void write_places(base::JsonWriter& json, const ConversionPlan& plan, const OutputPlan& output) {
    std::vector<std::pair<std::string_view, std::string_view>> places;
    for (const OutputFile& file : output.files) {
        for (std::uint32_t target : file.targets) places.emplace_back(plan.targets[target].name.get(), file.path);
    }
    std::sort(places.begin(), places.end());
    json.begin_object();
    for (const auto& [name, file] : places) json.key(name).string(file);
    json.end_object();
}

std::string index_text(const ConversionPlan& plan, const OutputPlan& output) {
    base::JsonWriter json(2);
    json.begin_object()
        .key("metadata")
        .begin_object()
        .key("total_size")
        .unsigned_integer(plan.target_bytes())
        .end_object();
    json.key("weight_map");
    write_places(json, plan, output);
    json.end_object();
    return std::move(json).take() + "\n";
}

}  // namespace

std::string name_map_text(const ConversionPlan& plan, const OutputPlan& output) {
    base::JsonWriter json(2);
    write_places(json, plan, output);
    return std::move(json).take() + "\n";
}

Result<HfOutput> hf_output(const ConversionPlan& plan, std::uint64_t max_shard_bytes) {
    HfOutput out;
    auto shards = split_into_shards(plan, max_shard_bytes);
    for (std::size_t i = 0; i < shards.size(); ++i) {
        std::string path = shards.size() == 1 ? "model.safetensors"
                                              : base::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
        TRY_ASSIGN(OutputFile file, shard_file(plan, std::move(shards[i]), std::move(path)));
        out.files.files.push_back(std::move(file));
    }
    if (shards.size() > 1) out.index_json = index_text(plan, out.files);
    return out;
}

Result<OutputPlan> single_safetensors(const ConversionPlan& plan, std::string path) {
    OutputPlan out;
    TRY_ASSIGN(OutputFile file, shard_file(plan, split_into_shards(plan, UINT64_MAX).front(), std::move(path)));
    out.files.push_back(std::move(file));
    return out;
}

Result<Companions> companion_files(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(auto entries, fs.list(directory));
    TRY_ASSIGN(Path root, checkpoint_root(fs, directory));
    Companions out;
    for (const auto& entry : entries) {
        if (is_no_companion(entry.name)) continue;
        Path path = base::join(directory, entry.name);
        TRY_ASSIGN(auto info, fs.info(path));
        if (info.kind != FileKind::regular) continue;
        if (entry.kind == FileKind::symlink) {
            TRY_ASSIGN(Path target, fs.real_path(path));
            if (!target.starts_with(root)) {
                out.notes.push_back(
                    base::format("{} is a link that leads out of the checkpoint and was left out; put the file in its "
                                 "place if it is wanted",
                                 base::printable(entry.name)));
                continue;
            }
        }
        out.files.push_back(entry.name);
    }
    return out;
}

}  // namespace ckpt
