#include "tests/property/ckpt_convert/checkpoint_view.h"

#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/execute/executor.h"
#include "ckpt_convert/execute/manifest.h"
#include "ckpt_convert/execute/torch_dist_output.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace test {
namespace {

using base::Json;

std::string text_of(const Json& json) {
    if (const auto* flag = json.boolean()) return *flag ? "true" : "false";
    if (const auto* integer = json.integer()) return std::to_string(*integer);
    if (const auto* real = json.real()) return base::format("real {}", *real);
    if (const auto* text = json.string()) return "\"" + *text + "\"";
    if (const auto* items = json.array()) {
        std::vector<std::string> texts;
        for (const Json& item : *items) texts.push_back(text_of(item));
        return "[" + base::joined(texts, ", ") + "]";
    }
    return json.is_null() ? "null" : json.kind_name();
}

std::string content_of(const ckpt::TensorIndex& index, const ckpt::IndexedTensor& tensor) {
    REQUIRE(tensor.contiguous);
    std::string bytes(tensor.bytes(), '\0');
    auto out = std::as_writable_bytes(std::span(bytes.data(), bytes.size()));
    REQUIRE(index.files[tensor.file]->read_at(tensor.offset, out));
    return base::format("{} {} of {} {}: ", ckpt::name(tensor.dtype), ckpt::to_string(tensor.part_offset),
                        ckpt::to_string(tensor.whole_shape), ckpt::to_string(tensor.shape)) +
           bytes;
}

}  // namespace

CheckpointView view_of(MemoryFileSystem& fs, const base::Path& root) {
    auto checkpoint = ckpt::open_megatron_checkpoint(fs, root);
    REQUIRE_MESSAGE(checkpoint, checkpoint.error().text());
    CheckpointView view;
    for (const auto& tensor : checkpoint->index.tensors) {
        std::string file = checkpoint->index.files[tensor.file]->path().substr(root.size());
        view.tensors[file + " " + tensor.name.get()] = content_of(checkpoint->index, tensor);
    }
    for (const auto& [name, value] : *checkpoint->args.object()) view.args[name] = text_of(value);
    for (const base::Path& path : fs.files()) {
        bool weights = path.ends_with(".pt") || path.ends_with(".distcp") || path.ends_with(".metadata");
        // The manifest says where the output came from, so that it is another for each way there.
        bool manifest = base::file_name(path) == ckpt::kManifestFile;
        if (path.starts_with(root + "/") && !weights && !manifest)
            view.texts[path.substr(root.size())] = fs.content(path);
    }
    return view;
}

std::string difference(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b) {
    std::vector<std::string> names;
    for (const auto& [name, value] : a) {
        auto found = b.find(name);
        if (found == b.end()) names.push_back(name + " (only in the first)");
        else if (found->second != value) names.push_back(name);
    }
    for (const auto& [name, value] : b) {
        if (!a.contains(name)) names.push_back(name + " (only in the second)");
    }
    return base::joined(names, ", ");
}

PlannedMegatron plan_megatron(MemoryFileSystem& fs, const ckpt::ConvertOptions& options) {
    auto source = ckpt::open_source(fs, knowledge(), options.source);
    REQUIRE_MESSAGE(source, source.error().text());
    auto target = ckpt::megatron_target(knowledge(), source->model, options);
    REQUIRE_MESSAGE(target, target.error().text());
    auto layout = ckpt::mcore_layout(source->model, target->parallel);
    REQUIRE_MESSAGE(layout, layout.error().text());
    auto plan = ckpt::make_plan(source->model, source->index, source->binding, *layout, {std::nullopt, target->fill});
    REQUIRE_MESSAGE(plan, plan.error().text());
    return {std::move(*source), std::move(*target), std::move(*plan)};
}

void write_megatron(MemoryFileSystem& fs, const PlannedMegatron& planned, const ckpt::ConvertOptions& options,
                    int threads, std::uint64_t tile_bytes) {
    auto texts =
        ckpt::megatron_texts(knowledge(), planned.target, planned.source, ckpt::main_dtype(planned.plan), options);
    REQUIRE(texts);
    const auto& layout = planned.target.parallel;
    auto output = options.torch_dist
                      ? ckpt::torch_dist_output(planned.plan, layout, texts->state, options.max_shard_bytes)
                      : ckpt::megatron_output(planned.plan, layout, texts->state);
    REQUIRE(output);
    auto staging = ckpt::StagedOutput::begin(fs, options.save_dir, "1");
    REQUIRE(staging);
    ckpt::ExecuteOptions execution;
    execution.threads = threads;
    execution.tile_bytes = tile_bytes;
    REQUIRE(ckpt::execute(planned.plan, planned.source.index, *output, *staging, fs, execution));
    REQUIRE(staging->commit({}, {}));
}

}  // namespace test
