#include "ckpt_convert/step_time/pipeline_schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using ckpt::ChunkTime;
using ckpt::PipelineChart;
using ckpt::PipelineTask;
using ckpt::PipelineWork;
using ckpt::run_pipeline;
using ckpt::Schedule;

namespace {

PipelineWork even_work(Schedule schedule, std::size_t ranks, std::size_t chunks, std::size_t micro_batches,
                       ChunkTime time) {
    PipelineWork work;
    work.schedule = schedule;
    work.micro_batches = micro_batches;
    work.ranks.assign(ranks, std::vector<ChunkTime>(chunks, time));
    return work;
}

// Idle time of the whole step over the time that a rank computes.
double bubble(const PipelineChart& chart) {
    const double busy = chart.busy(0);
    return (chart.seconds - busy) / busy;
}

// Every micro-batch goes forward and back through every chunk of every rank, and no task begins before the one before ends.
void check_complete(const PipelineWork& work, const PipelineChart& chart) {
    for (std::size_t rank = 0; rank < chart.ranks.size(); ++rank) {
        std::vector<int> forwards(work.micro_batches * work.ranks[rank].size()), backwards(forwards), weights(forwards),
            left(forwards);
        double end = 0;
        for (const PipelineTask& task : chart.ranks[rank]) {
            CHECK(task.begin >= end);
            end = task.end;
            const std::size_t place = task.chunk * work.micro_batches + task.micro_batch;
            if (task.has_forward()) ++forwards[place];
            if (task.kind == PipelineTask::Kind::backward) ++backwards[place];
            if (task.kind == PipelineTask::Kind::pair)
                ++backwards[task.backward_chunk * work.micro_batches + task.backward_micro_batch];
            if (task.kind == PipelineTask::Kind::weights) ++weights[place];
            if (task.leaves_weights && task.kind == PipelineTask::Kind::backward) ++left[place];
        }
        auto once = [](const std::vector<int>& counts) {
            return std::all_of(counts.begin(), counts.end(), [](int count) { return count == 1; });
        };
        CHECK(once(forwards));
        CHECK(once(backwards));
        CHECK(weights == left);
    }
}

}  // namespace

TEST_CASE("pipeline schedule: the bubble of 1F1B is (p-1)/m") {
    for (std::size_t p : {1, 2, 4, 8, 16}) {
        for (std::size_t m : {1, 3, 4, 16, 40}) {
            const PipelineWork work = even_work(Schedule::one_f_one_b, p, 1, m, {1, 2, 0});
            const PipelineChart chart = run_pipeline(work);
            check_complete(work, chart);
            CHECK(bubble(chart) == doctest::Approx(double(p - 1) / double(m)));
            CHECK(chart.idle_share() == doctest::Approx(double(p - 1) / double(m + p - 1)));
        }
    }
}

TEST_CASE("pipeline schedule: interleaving divides the bubble by the chunks of a rank") {
    for (std::size_t p : {2, 4, 8}) {
        for (std::size_t v : {2, 4}) {
            for (std::size_t groups : {1, 2, 5}) {
                const PipelineWork work = even_work(Schedule::interleaved, p, v, groups * p, {1, 2, 0});
                const PipelineChart chart = run_pipeline(work);
                check_complete(work, chart);
                CHECK(bubble(chart) == doctest::Approx(double(p - 1) / double(groups * p * v)));
            }
        }
    }
}

// Its authors give the idle time as (PP/2-1)(F&B + B - 3W) for PP chunks of the model: two for each of p ranks.
TEST_CASE("pipeline schedule: the idle time of dualpipev is (p-1)(pair + B - 3W)") {
    for (std::size_t p : {1, 2, 4, 8}) {
        for (std::size_t m : {2 * p, 2 * p + 1, 5 * p}) {
            PipelineWork work = even_work(Schedule::dualpipev, p, 2, m, {1, 2, 1});
            work.pair_share = 0.9;
            const PipelineChart chart = run_pipeline(work);
            check_complete(work, chart);
            const double idle = chart.seconds - chart.busy(p - 1);  // the other ranks run fewer pairs
            const double pair = 3 * 0.9;
            CHECK(idle == doctest::Approx(double(p - 1) * (pair + 2 - 3)));
        }
    }
}

TEST_CASE("pipeline schedule: unequal stages take about m times the slowest, and once the others") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> seconds(0.5, 2);
    for (int round = 0; round < 200; ++round) {
        PipelineWork work;
        work.micro_batches = 1 + random() % 30;
        double sum = 0, most = 0;
        for (std::size_t i = 0; i < 1 + random() % 8; ++i) {
            const double forward = seconds(random);
            work.ranks.push_back({{forward, 2 * forward, 0}});
            sum += 3 * forward;
            most = std::max(most, 3 * forward);
        }
        const PipelineChart chart = run_pipeline(work);
        check_complete(work, chart);
        const double estimate = double(work.micro_batches) * most + sum - most;
        CHECK(chart.seconds >= double(work.micro_batches) * most * (1 - 1e-9));
        CHECK(chart.seconds >= estimate * 0.85);
        CHECK(chart.seconds <= estimate * 1.15);
    }
}

TEST_CASE("pipeline schedule: what is sent takes its time once in each direction") {
    PipelineWork work = even_work(Schedule::one_f_one_b, 4, 1, 1, {1, 2, 0});
    work.transfer = 0.25;
    CHECK(run_pipeline(work).seconds == doctest::Approx(4 * 3 + 2 * 3 * 0.25));
}
