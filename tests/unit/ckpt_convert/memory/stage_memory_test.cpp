#include <doctest/doctest.h>

#include "../job/published_models.h"
#include "ckpt_convert/memory/saved_tensors.h"
#include "ckpt_convert/memory/stage_memory.h"

using ckpt::MemoryLine;
using ckpt::TrainingJob;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

TrainingJob job_of(int devices, int tp, int pp, int ep = 1, int cp = 1) {
    TrainingJob job;
    job.ranks.devices = devices;
    job.ranks.tp = tp;
    job.ranks.pp = pp;
    job.ranks.cp = cp;
    job.ranks.experts.ep = ep;
    job.ranks.experts.etp = 1;
    job.ranks.sequence_parallel = tp > 1;
    job.rows.multiple = 1;
    job.batch.global = 4 * job.ranks.dp();
    return job;
}

std::vector<ckpt::StageMemory> stages_of(const ckpt::GivenSizes& sizes, const TrainingJob& job, bool npu) {
    auto stages = ckpt::memory_of(ckpt::shape_of(sizes), job, npu);
    REQUIRE(stages);
    return *stages;
}

ckpt::GivenSizes with_layers(ckpt::GivenSizes sizes, std::int64_t layers, std::int64_t dense_layers = 0) {
    sizes.layers = layers;
    sizes.dense_layers = dense_layers;
    sizes.mtp = 0;
    return sizes;
}

void check_peak(double bytes, double gib, double within) {
    CAPTURE(gib);
    CAPTURE(bytes / kGiB);
    CHECK(bytes / kGiB == doctest::Approx(gib).epsilon(within));
}

struct Measured {
    ckpt::GivenSizes sizes;
    int tp, pp, ep, cp;
    std::int64_t sequence;
    double first, last;  // GiB, of the first and the last stage
    double within;
};

}  // namespace

// Peaks that the SimuMax project measured on 8 x B200: github.com/MooreThreads/SimuMax docs/b200 (4dcaae51).
TEST_CASE("memory: measured peaks of Megatron on GPUs") {
    const ckpt::GivenSizes llama70 = with_layers(published::llama31_70b(), 12);
    ckpt::GivenSizes llama405 = with_layers(published::llama31_405b(), 4);
    llama405.kv_heads = 16;
    const ckpt::GivenSizes v3 = with_layers(published::deepseek_v3(), 4, 1);
    const ckpt::GivenSizes v2 = with_layers(published::deepseek_v2(), 4, 1);
    const Measured rows[] = {
        {llama70, 1, 2, 1, 1, 4096, 66.55, 62.97, 0.02},       {llama70, 2, 1, 1, 1, 4096, 60.68, 60.68, 0.02},
        {llama70, 4, 1, 1, 1, 4096, 39.07, 39.07, 0.02},       {llama70, 8, 1, 1, 1, 4096, 28.29, 28.29, 0.02},
        {llama405, 1, 2, 1, 1, 4096, 86.61, 87.08, 0.02},      {llama405, 2, 1, 1, 1, 4096, 81.59, 81.59, 0.02},
        {llama405, 4, 1, 1, 1, 4096, 52.89, 52.89, 0.02},      {llama405, 8, 1, 1, 1, 4096, 38.57, 38.57, 0.02},
        {v3, 1, 1, 8, 1, 4096, 104.30, 104.30, 0.035},         {v3, 1, 2, 4, 1, 4096, 71.24, 114.00, 0.035},
        {v2, 1, 1, 8, 1, 4096, 45.63, 45.63, 0.035},           {v2, 1, 2, 4, 1, 4096, 31.58, 44.70, 0.035},
        {llama70, 2, 1, 1, 4, 32768, 68.43, 68.43, 0.035},     {llama70, 1, 1, 1, 8, 32768, 104.51, 104.51, 0.035},
        {llama405, 2, 1, 1, 4, 32768, 87.03, 87.03, 0.035},    {llama405, 1, 1, 1, 8, 32768, 139.22, 139.22, 0.035},
        {llama70, 2, 1, 1, 4, 131072, 112.67, 112.67, 0.035},  {llama70, 1, 1, 1, 8, 131072, 147.99, 147.99, 0.035},
        {llama405, 2, 1, 1, 4, 131072, 118.13, 118.13, 0.035},
    };
    for (const Measured& row : rows) {
        CAPTURE(row.tp);
        CAPTURE(row.cp);
        CAPTURE(row.sequence);
        TrainingJob job = job_of(8, row.tp, row.pp, row.ep, row.cp);
        job.engine = ckpt::Engine::megatron;
        job.memory.fused_cross_entropy = true;
        job.batch.sequence = row.sequence;
        const auto stages = stages_of(row.sizes, job, false);
        check_peak(stages.front().peak(), row.first, row.within);
        check_peak(stages.back().peak(), row.last, row.within);
    }
}

// "allocated" after the first step in MindSpeed-LLM's tests (tests/**/baseline*/*.json, c77308a1), MB of 2^20.
TEST_CASE("memory: what Ascend's baselines hold before a step") {
    constexpr double kMiB = 1024.0 * 1024;
    TrainingJob ring = job_of(8, 2, 1, 1, 4);
    ring.optimizer.reuse_fp32 = true;
    CHECK(stages_of(published::llama2_7b(), ring, true)[0].fixed() / kMiB == doctest::Approx(27321).epsilon(0.05));

    const auto stages = stages_of(published::llama2_7b(), job_of(8, 2, 4), true);
    CHECK(stages[0].fixed() / kMiB == doctest::Approx(15026).epsilon(0.05));
    CHECK(stages[1].fixed() / kMiB == doctest::Approx(13901).epsilon(0.05));

    const auto eight = stages_of(published::llama2_7b(), job_of(8, 1, 8), true);
    CHECK(eight[0].fixed() / kMiB == doctest::Approx(16151).epsilon(0.05));
    CHECK(eight[3].fixed() / kMiB == doctest::Approx(13965).epsilon(0.05));
}

TEST_CASE("memory: stages of a pipeline hold what is in flight") {
    TrainingJob job = job_of(8, 1, 8);
    job.batch.global = 256;
    const auto stages = stages_of(published::llama2_7b(), job, true);
    check_peak(stages[0].peak(), 32.5, 0.02);
    check_peak(stages[1].peak(), 28.2, 0.02);
    check_peak(stages[7].peak(), 18.6, 0.02);
    CHECK(stages[0].in_flight == std::vector<std::int64_t>{8});

    TrainingJob interleaved = job_of(8, 2, 4);
    interleaved.batch.global = 256;
    interleaved.ranks.virtual_stages = 4;
    const auto chunks = stages_of(published::llama2_7b(), interleaved, true);
    CHECK(chunks[0].in_flight == std::vector<std::int64_t>{7, 4, 4, 4});
    check_peak(chunks[0].peak(), 24.6, 0.02);
    check_peak(chunks[3].peak(), 21.7, 0.02);
}

TEST_CASE("memory: the V schedule, padding layers, swapped states") {
    TrainingJob job = job_of(512, 4, 8, 32);
    job.ranks.dualpipev = true;
    job.ranks.noop_layers = {61, 62, 63};
    job.batch.global = 3840;
    job.optimizer.swap = true;
    job.memory.recompute = ckpt::Recompute::uniform;
    const auto again = stages_of(published::deepseek_v3(), job, true);
    check_peak(again[1].peak(), 20.7, 0.03);
    check_peak(again[0].peak(), 14.6, 0.05);
    job.memory.recompute = ckpt::Recompute::none;
    job.memory.recomputed[static_cast<std::size_t>(ckpt::Part::activation_function)] = true;
    const auto kept = stages_of(published::deepseek_v3(), job, true);
    check_peak(kept[1].peak(), 47.1, 0.03);
    CHECK(kept[1].on_host > 0);
}

// Korthikanti 2205.05198, table 2 and figure 1: activations per GPU in GiB, no flash attention, with dropout.
TEST_CASE("memory: activations of the sequence parallelism paper") {
    ckpt::GivenSizes sizes = published::dense(48, 6144, 64, 64, 4 * 6144, 51200);
    sizes.head_dim = 96;
    sizes.gated = false;
    sizes.rms_norm = false;
    sizes.linear_bias = true;
    TrainingJob job = job_of(8, 8, 1);
    job.batch.micro = 4;
    job.batch.sequence = 2048;
    job.memory.flash_attention = false;
    job.memory.hidden_dropout = job.memory.attention_dropout = true;
    job.ranks.sequence_parallel = false;
    check_peak(stages_of(sizes, job, false)[0][MemoryLine::activations], 59.25, 0.02);
    job.ranks.sequence_parallel = true;
    job.memory.recomputed[static_cast<std::size_t>(ckpt::Part::core_attention)] = true;
    check_peak(stages_of(sizes, job, false)[0][MemoryLine::activations], 9.56, 0.02);
}

TEST_CASE("memory: bytes per token and layer on one NPU") {
    const auto kib = [](const ckpt::GivenSizes& sizes) {
        const ckpt::ModelShape model = ckpt::shape_of(sizes);
        const TrainingJob job = job_of(1, 1, 1);
        return ckpt::layer_bytes(ckpt::saved_tensors(model, model.layer(model.layer_count() - 1), job, true), job)
                   .kept /
               1024;
    };
    CHECK(kib(published::llama2_7b()) == doctest::Approx(130.5).epsilon(0.002));
    CHECK(kib(published::llama31_8b()) == doctest::Approx(138).epsilon(0.002));
    CHECK(kib(published::llama31_405b()) == doctest::Approx(516).epsilon(0.002));
    CHECK(kib(published::deepseek_v3()) == doctest::Approx(454).epsilon(0.01));
}

// torchtitan's published runs of Llama-3.1-8B on H100: benchmarks/*.md. They show what the allocator has reserved.
TEST_CASE("memory: FSDP2 of torchtitan") {
    constexpr double kReserved = 1.12;
    struct Run {
        int devices, cp;
        std::int64_t micro, sequence;
        bool whole_layers;
        double gib;
    };
    const Run runs[] = {{8, 1, 2, 8192, false, 77.0}, {128, 1, 2, 8192, false, 67.0}, {8, 1, 1, 32768, true, 83.9},
                        {8, 2, 1, 65536, true, 84.2}, {8, 4, 1, 131072, true, 84.0},  {8, 8, 1, 262144, true, 84.5}};
    for (const Run& run : runs) {
        TrainingJob job = job_of(run.devices, 1, 1, 1, run.cp);
        job.engine = ckpt::Engine::fsdp2;
        job.batch.micro = run.micro;
        job.batch.sequence = run.sequence;
        job.memory.alternate_products = !run.whole_layers;
        if (run.whole_layers) job.memory.recompute = ckpt::Recompute::uniform;
        check_peak(stages_of(published::llama31_8b(), job, false)[0].peak() * kReserved, run.gib, 0.15);
    }
}

// Torch's fully_shard with float32 shards, one unit fetched ahead, reduction in float32.
TEST_CASE("memory: FSDP2 has shares of states, whole units at work, and all layers") {
    TrainingJob job = job_of(8, 1, 1);
    job.engine = ckpt::Engine::fsdp2;
    job.memory.recompute = ckpt::Recompute::uniform;
    const ckpt::StageMemory again = stages_of(published::qwen3_8b(), job, true)[0];
    check_peak(again.fixed(), 15.26, 0.01);
    check_peak(again[MemoryLine::buffers], 4.64, 0.01);
    check_peak(again[MemoryLine::activations], 1.12, 0.01);
    check_peak(again[MemoryLine::working], 5.80, 0.01);
    check_peak(again.peak(), 26.8, 0.01);
    job.memory.recompute = ckpt::Recompute::none;
    check_peak(stages_of(published::qwen3_8b(), job, true)[0].peak(), 46.5, 0.05);

    job.ranks.devices = 16;
    job.memory.recompute = ckpt::Recompute::uniform;
    check_peak(stages_of(published::qwen3_32b(), job, true)[0].peak(), 44.6, 0.02);

    // EP changes the unit at work, not the states.
    const ckpt::StageMemory whole = stages_of(published::qwen3_30b(), job, true)[0];
    check_peak(whole.fixed(), 28.4, 0.01);
    check_peak(whole[MemoryLine::buffers], 5.8, 0.03);
    job.ranks.experts.ep = 4;
    const ckpt::StageMemory dealt = stages_of(published::qwen3_30b(), job, true)[0];
    check_peak(dealt.fixed(), 28.4, 0.01);
    CHECK(dealt[MemoryLine::buffers] < whole[MemoryLine::buffers]);
}

TEST_CASE("memory: a tower is on the first stage, and of a frozen one only the output stays") {
    ckpt::ModelShape model = ckpt::shape_of(with_layers(published::llama2_7b(), 8));
    const TrainingJob job = job_of(2, 1, 2);
    const auto stages = [&] { return *ckpt::memory_of(model, job, true); };
    const auto without = stages();
    ckpt::TowerShape tower;
    tower.hidden = 1280, tower.layers = 32, tower.heads = 16, tower.ffn = 3420, tower.gated = true;
    tower.patches = 4096, tower.merge = 4, tower.patch_values = 1176;
    model.towers = {tower};
    const auto trained = stages();
    const double parameters = static_cast<double>(tower.parameters(model.hidden));
    CHECK(trained[0].fixed() - without[0].fixed() == doctest::Approx(18 * parameters).epsilon(0.01));
    CHECK(trained[1].peak() == without[1].peak());
    model.towers[0].trained = false;
    const auto frozen = stages();
    CHECK(frozen[0].fixed() - without[0].fixed() == doctest::Approx(2 * parameters).epsilon(0.01));
    // Two micro-batches are in flight.
    CHECK(frozen[0][MemoryLine::activations] - without[0][MemoryLine::activations] ==
          doctest::Approx(2.0 * 2 * 1280 * 4096));
    CHECK(trained[0][MemoryLine::activations] > frozen[0][MemoryLine::activations]);
}

// Megatron-LM: docs, custom_pipeline_model_parallel_layout: "Et*3|(tt|)*29,m|L".
TEST_CASE("memory: modules for multi-token prediction on a stage before the loss") {
    ckpt::GivenSizes sizes = with_layers(published::deepseek_v3(), 6, 2);
    sizes.mtp = 1;
    const auto stages = [&](const std::string& layout) {
        TrainingJob job = job_of(16, 2, 4, 4);
        job.engine = ckpt::Engine::megatron;
        job.ranks.pipeline_layout = layout;
        return stages_of(sizes, job, false);
    };
    const auto together = stages("Ett|tt|tt|mL"), apart = stages("Ett|tttt|m|L");
    // The copy of the embedding goes with the modules, the output layer stays with the loss.
    const double vocabulary = static_cast<double>(sizes.vocab * sizes.hidden) / 2;
    CHECK(apart[3].dense == doctest::Approx(vocabulary));
    CHECK(apart[2].dense + apart[3].dense == doctest::Approx(together[3].dense));
    CHECK(apart[2].experts == doctest::Approx(together[3].experts));
    const auto all = [](const std::vector<ckpt::StageMemory>& of) {
        double out = 0;
        for (const ckpt::StageMemory& stage : of) out += stage.dense + stage.experts;
        return out;
    };
    CHECK(all(apart) == doctest::Approx(all(together)));
    // Two micro-batches are between forward and backward there, one at the loss.
    CHECK(apart[2].other.mtp == doctest::Approx(2 * together[3].other.mtp));
    CHECK(apart[3].other.mtp == 0);
    CHECK(apart[3].loss_work == doctest::Approx(together[3].loss_work));
}

// MindSpeed-MM: pipeline_num_layers of the encoder and of the language model.
TEST_CASE("memory: a tower on stages of its own") {
    ckpt::ModelShape shape = ckpt::shape_of(with_layers(published::llama31_70b(), 8));
    ckpt::TowerShape tower;
    tower.hidden = 1280, tower.layers = 33, tower.heads = 16, tower.ffn = 3420, tower.gated = true;
    tower.patch_values = 1176, tower.merge = 4, tower.patches = 1024;
    const auto stages = [&](int pp, std::int64_t own) {
        tower.stages = own;
        shape.towers = {tower};
        auto out = ckpt::memory_of(shape, job_of(2 * pp, 2, pp), true);
        REQUIRE(out);
        return *out;
    };
    const auto with_first = stages(4, 0), apart = stages(6, 2);
    const double whole = static_cast<double>(tower.parameters(shape.hidden)) / 2;
    CHECK(apart[0].dense + apart[1].dense == doctest::Approx(whole));
    CHECK(apart[2].dense == doctest::Approx(with_first[0].dense - whole));
    for (std::size_t stage = 1; stage < 4; ++stage) CHECK(apart[stage + 2].dense == with_first[stage].dense);
    CHECK(apart[0].layers == std::vector<std::int64_t>{0});
    CHECK(apart[2].other.towers == 0);
    CHECK(apart[2].other.step_inputs > 0);
    CHECK(apart[0].other.step_inputs == 0);
    // 17 and 16 layers; six and five micro-batches, of which there are four.
    CHECK(apart[0].other.towers / 17 == doctest::Approx(apart[1].other.towers / 16));
    CHECK(apart[0].other.towers + apart[1].other.towers == doctest::Approx(with_first[0].other.towers));
    tower.trained = false;
    const auto frozen = stages(6, 2);
    CHECK(frozen[0].other.towers == 0);
    CHECK(frozen[1].other.towers > 0);
    CHECK(frozen[0][MemoryLine::optimizer] == 0);
}

TEST_CASE("memory: attention of FlashAttention keeps its output twice, with several samples") {
    const ckpt::GivenSizes sizes = with_layers(published::llama31_70b(), 8);
    TrainingJob job = job_of(8, 4, 2);
    job.engine = ckpt::Engine::megatron;
    job.device_takes_flash = true;
    const auto kept = [&] { return stages_of(sizes, job, false)[0][MemoryLine::activations]; };
    const double one = kept();
    job.batch.micro = 2;
    job.batch.global *= 2;
    const double copies = 2.0 * 8192 / 4 * static_cast<double>(job.tokens()) * 4 * 2;  // 4 layers, 2 micro-batches
    CHECK(kept() == doctest::Approx(2 * one + copies));
    job.device_takes_flash = false;
    CHECK(kept() == doctest::Approx(2 * one));
    job.memory.flash_attention_2 = true;
    CHECK(kept() == doctest::Approx(2 * one + copies));
    job.engine = ckpt::Engine::mindspeed;
    CHECK(kept() == doctest::Approx(2 * one));
}
