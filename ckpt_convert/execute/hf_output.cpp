#include "ckpt_convert/execute/hf_output.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/execute/manifest.h"
#include "ckpt_convert/execute/safetensors_file.h"
#include "ckpt_convert/formats/broken_download.h"

namespace ckpt {
namespace {

// Files that hold weights, in whatever framework's format.
constexpr std::string_view kWeightEndings[] = {".safetensors",       ".bin",     ".pt",   ".pth",  ".h5", ".distcp",
                                               ".metadata",          ".msgpack", ".onnx", ".gguf", ".ot", ".index.json",
                                               "param_name_map.json"};

// Web pages are larger than pointers.
constexpr std::uint64_t kMostOfBrokenDownload = 1u << 20;

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

std::vector<std::uint32_t> every_target(const ConversionPlan& plan) {
    std::vector<std::uint32_t> out(plan.targets.size());
    std::iota(out.begin(), out.end(), 0u);
    return out;
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
    auto shards = split_by_bytes(plan, every_target(plan), max_shard_bytes);
    for (std::size_t i = 0; i < shards.size(); ++i) {
        std::string path = shards.size() == 1 ? "model.safetensors"
                                              : base::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
        TRY_ASSIGN(OutputFile file, safetensors_file(plan, std::move(shards[i]), std::move(path)));
        out.files.files.push_back(std::move(file));
    }
    if (shards.size() > 1) out.index_json = index_text(plan, out.files);
    return out;
}

Result<OutputPlan> single_safetensors(const ConversionPlan& plan, std::string path) {
    OutputPlan out;
    TRY_ASSIGN(OutputFile file, safetensors_file(plan, every_target(plan), std::move(path)));
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
        if (info.bytes > kMostOfBrokenDownload) continue;
        TRY_ASSIGN(const std::string text, base::read_file(fs, path, kMostOfBrokenDownload));
        if (is_lfs_pointer(text))
            out.notes.push_back(
                base::format("{} is a Git LFS pointer, not the file it stands for, and was copied as it is; "
                             "run \"git lfs pull\" where it lies, and copy it again",
                             base::printable(entry.name)));
        else if (is_web_page(text))
            out.notes.push_back(
                base::format("{} is a web page, not the file itself, and was copied as it is; download it again",
                             base::printable(entry.name)));
    }
    return out;
}

}  // namespace ckpt
