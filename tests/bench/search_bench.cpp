// How long a search of a million candidates takes, and how much memory: of DeepSeek-V3's sizes on 16384 devices.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>

#include "ckpt_convert/memory/stage_memory.h"
#include "ckpt_convert/search/search.h"

int main() {
    ckpt::GivenSizes sizes;
    sizes.layers = 61;
    sizes.hidden = 7168;
    sizes.heads = 128;
    sizes.ffn = 18432;
    sizes.vocab = 129280;
    sizes.experts = 256;
    sizes.topk = 8;
    sizes.moe_ffn = 2048;
    sizes.shared_ffn = 2048;
    sizes.dense_layers = 3;
    sizes.q_rank = 1536;
    sizes.kv_rank = 512;
    sizes.nope_dim = 128;
    sizes.rope_dim = 64;
    sizes.value_dim = 128;
    const ckpt::ModelShape model = ckpt::shape_of(sizes);
    const base::DataStore store;
    const auto devices = ckpt::load_devices(store);
    const auto rules = ckpt::TimeRules::load(store);
    if (!devices || !rules) return 1;
    const auto device = ckpt::find_device(*devices, "a2-910b3");
    if (!device) return 1;
    const auto clock = ckpt::StepClock::make(model, **device, *rules, ckpt::Precision::bf16, false);
    if (!clock) return 1;
    ckpt::SearchInput input;
    input.model = &model;
    input.clock = &*clock;
    input.job.ranks.devices = 16384;
    input.job.ranks.per_node = (*device)->per_node;
    input.job.batch = {1, 262144, 32768};
    input.space.swap = true;
    input.space.fsdp2 = true;
    input.space.dualpipev = true;
    input.space.wide_tp = true;
    input.overlap.experts = true;
    input.budget = 52.0 * 1073741824.0;
    input.threads = 2;
    input.peak = [&](const ckpt::TrainingJob& job) -> ckpt::Result<double> {
        auto stages = ckpt::memory_of(model, job, true);
        if (!stages) return tl::unexpected(stages.error());
        double most = 0;
        for (const auto& stage : *stages) most = std::max(most, stage.peak());
        return most;
    };
    const auto begin = std::chrono::steady_clock::now();
    const ckpt::SearchResult result = ckpt::search(input);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%llu candidates, %llu weighed, %zu plans: %.2f s, %ld MiB\n",
                static_cast<unsigned long long>(result.candidates), static_cast<unsigned long long>(result.weighed),
                result.plans.size(), seconds, usage.ru_maxrss / 1024);
}
