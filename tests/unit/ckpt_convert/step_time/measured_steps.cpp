#include "tests/unit/ckpt_convert/step_time/measured_steps.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "base/record.h"

namespace ckpt::test {
namespace {

struct Sizes : GivenSizes {
    std::int64_t window = 0;  // of every other layer
};
constexpr auto record_of(const Sizes*) {
    using base::field;
    return base::record("sizes", "", field("layers", &Sizes::layers, "").needed(), field("hidden", &Sizes::hidden, ""),
                        field("heads", &Sizes::heads, ""), field("kv_heads", &Sizes::kv_heads, ""),
                        field("head_dim", &Sizes::head_dim, ""), field("ffn", &Sizes::ffn, ""),
                        field("vocab", &Sizes::vocab, ""), field("experts", &Sizes::experts, ""),
                        field("topk", &Sizes::topk, ""), field("moe_ffn", &Sizes::moe_ffn, ""),
                        field("shared_ffn", &Sizes::shared_ffn, ""), field("dense_layers", &Sizes::dense_layers, ""),
                        field("q_rank", &Sizes::q_rank, ""), field("kv_rank", &Sizes::kv_rank, ""),
                        field("nope_dim", &Sizes::nope_dim, ""), field("rope_dim", &Sizes::rope_dim, ""),
                        field("value_dim", &Sizes::value_dim, ""), field("gated", &Sizes::gated, ""),
                        field("window", &Sizes::window, ""));
}

struct Row {
    std::string id, set, model, device, recompute, source;
    double seconds = 0;
    std::int64_t devices = 1, tp = 1, pp = 1, vpp = 0, cp = 1, ep = 1, sequence = 0, micro = 0, global = 0;
    bool fp8 = false, fp16 = false, fsdp2 = false, unfused = false, plain = false;
    std::vector<std::string> hides;
};
constexpr auto record_of(const Row*) {
    using base::field;
    return base::record(
        "row", "", field("id", &Row::id, ""), field("set", &Row::set, ""), field("model", &Row::model, ""),
        field("device", &Row::device, ""), field("seconds", &Row::seconds, ""), field("devices", &Row::devices, ""),
        field("tp", &Row::tp, ""), field("pp", &Row::pp, ""), field("vpp", &Row::vpp, ""), field("cp", &Row::cp, ""),
        field("ep", &Row::ep, ""), field("sequence", &Row::sequence, ""), field("micro", &Row::micro, ""),
        field("global", &Row::global, ""), field("recompute", &Row::recompute, ""), field("fp8", &Row::fp8, ""),
        field("fp16", &Row::fp16, ""), field("fsdp2", &Row::fsdp2, ""),
        field("unfused", &Row::unfused, "attention and loss in several kernels"),
        field("plain", &Row::plain, "no sequence parallelism"), field("hides", &Row::hides, ""),
        field("source", &Row::source, ""));
}

struct File {
    std::string about;
    std::map<std::string, Sizes> models;
    std::vector<Row> rows;
};
constexpr auto record_of(const File*) {
    using base::field;
    return base::record("file", "", field("about", &File::about, ""), field("models", &File::models, ""),
                        field("rows", &File::rows, ""));
}

File read_file() {
    std::string path = __FILE__;
    path = path.substr(0, path.rfind('/')) + "/measured.json";
    std::ifstream stream(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const auto document = base::parse_json(text, path);
    REQUIRE(document);
    auto file = base::read_json<File>({*document, document->root});
    REQUIRE(file);
    return std::move(*file);
}

ModelShape model_of(const Sizes& sizes) {
    ModelShape model = shape_of(sizes);
    if (sizes.window == 0) return model;
    model.kinds.push_back(model.kinds[model.layers[0]]);
    model.kinds.back().window = sizes.window;
    for (std::size_t i = 0; i < model.layers.size(); i += 2)
        model.layers[i] = static_cast<std::uint16_t>(model.kinds.size() - 1);
    return model;
}

TrainingJob job_of(const Row& row) {
    TrainingJob job;
    job.engine = row.fsdp2 ? Engine::fsdp2 : Engine::megatron;
    job.precision = row.fp16 ? Precision::fp16 : Precision::bf16;
    job.fp8 = row.fp8;
    job.ranks.devices = static_cast<int>(row.devices);
    job.ranks.tp = static_cast<int>(row.tp);
    job.ranks.pp = static_cast<int>(row.pp);
    job.ranks.cp = static_cast<int>(row.cp);
    job.ranks.virtual_stages = static_cast<std::uint32_t>(row.vpp);
    job.ranks.experts.ep = static_cast<int>(row.ep);
    job.ranks.experts.etp = 1;
    job.ranks.sequence_parallel = row.tp > 1 && !row.plain;
    job.batch = {row.micro, row.global, row.sequence};
    job.memory.flash_attention = !row.unfused;
    job.memory.fused_cross_entropy = !row.unfused;
    if (row.recompute == "full") job.memory.recompute = Recompute::uniform;
    auto again = [&](Part part) { job.memory.recomputed[static_cast<std::size_t>(part)] = true; };
    if (row.recompute == "attention") again(Part::core_attention);
    if (row.recompute == "parts")
        for (Part part : {Part::norm, Part::moe_activation, Part::latent_up}) again(part);
    return job;
}

}  // namespace

std::vector<MeasuredStep> measured_steps() {
    const File file = read_file();
    std::vector<MeasuredStep> out;
    for (const Row& row : file.rows) {
        MeasuredStep step{row.id,      row.set, row.device, model_of(file.models.at(row.model)),
                          job_of(row), {},      row.seconds};
        step.is_batch_unknown = row.micro == 0;
        auto hides = [&](std::string_view what) {
            return std::find(row.hides.begin(), row.hides.end(), what) != row.hides.end();
        };
        step.overlap = {hides("tensor"),
                        hides("experts"),
                        hides("pipeline"),
                        !row.hides.empty(),
                        hides("graphs"),
                        hides("once_per_node"),
                        false};
        out.push_back(std::move(step));
    }
    return out;
}

Placement even_placement(const ModelShape& model, int stages, int chunks) {
    Placement out;
    const std::size_t p = static_cast<std::size_t>(stages), v = static_cast<std::size_t>(chunks);
    std::vector<std::size_t> counts(p, model.layer_count() / p);
    for (std::size_t i = 0; i < model.layer_count() % p; ++i) ++counts[(i + (p > 2 ? 1 : 0)) % p];
    std::uint32_t next = 0;
    for (std::size_t stage = 0; stage < p; ++stage) {
        auto& of_stage = out.stages.emplace_back();
        for (std::size_t chunk = 0; chunk < v; ++chunk) {
            of_stage.emplace_back();
            for (std::size_t i = 0; i < counts[stage] / v + (chunk < counts[stage] % v ? 1 : 0); ++i, ++next)
                of_stage.back().push_back({next, next});
        }
    }
    out.head = {static_cast<std::uint32_t>(p - 1), static_cast<std::uint32_t>(v - 1)};
    return out;
}

StepTime estimate(const MeasuredStep& step, const TimeRules& rules, const DeviceTable& devices) {
    const auto device = find_device(devices, step.device);
    REQUIRE(device);
    const auto clock = StepClock::make(step.model, **device, rules, step.job.precision, step.job.fp8);
    REQUIRE(clock);
    auto one = [&](TrainingJob job, int chunks) {
        job.ranks.per_node = (*device)->per_node;
        return clock->step(job, step.overlap, even_placement(step.model, job.ranks.pp, chunks),
                           clock->micro(job, step.overlap));
    };
    if (!step.is_batch_unknown) return one(step.job, static_cast<int>(std::max(1u, step.job.ranks.virtual_stages)));
    StepTime best;
    for (std::int64_t micro : {1, 2, 4}) {
        for (int chunks : {1, 2, 4}) {
            TrainingJob job = step.job;
            job.batch.micro = micro;
            if (chunks > 1 && (job.ranks.pp == 1 || step.model.layer_count() % (job.ranks.pp * chunks) != 0)) continue;
            if (job.batch.global % (micro * job.ranks.dp()) != 0) continue;
            const StepTime time = one(job, chunks);
            if (best.seconds == 0 || time.seconds < best.seconds) best = time;
        }
    }
    return best;
}

}  // namespace ckpt::test
