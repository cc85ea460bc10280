#include "ckpt_convert/step_time/pipeline_schedule.h"

#include <algorithm>
#include <deque>

#include "base/check.h"

namespace ckpt {
namespace {

using Kind = PipelineTask::Kind;

// The tasks of one rank in their order, without times.
class TaskOrder {
public:
    TaskOrder(const PipelineWork& work, std::size_t rank)
        : work_(work), ranks_(work.ranks.size()), chunks_(work.ranks[rank].size()), rank_(rank) {}

    std::vector<PipelineTask> take() && {
        if (work_.schedule == Schedule::dualpipev) dualpipev();
        else alternating();
        return std::move(tasks_);
    }

private:
    // 1F1B is interleaving with one chunk, but that a rank holds back half as many micro-batches.
    void alternating() {
        const std::size_t all = work_.micro_batches * chunks_;
        const std::size_t behind = ranks_ - 1 - rank_;
        std::size_t warm_up = chunks_ == 1 ? behind : 2 * behind + (chunks_ - 1) * ranks_;
        if (chunks_ > 1 && work_.micro_batches == ranks_) warm_up = all;
        warm_up = std::min(warm_up, all);
        for (std::size_t i = 0; i < warm_up; ++i) add_in_groups(Kind::forward, i);
        for (std::size_t i = warm_up; i < all; ++i) {
            add_in_groups(Kind::forward, i);
            add_in_groups(Kind::backward, i - warm_up);
        }
        for (std::size_t i = all - warm_up; i < all; ++i) add_in_groups(Kind::backward, i);
    }

    void add_in_groups(Kind kind, std::size_t number) {
        PipelineTask task;
        task.kind = kind;
        const std::size_t chunk = number / ranks_ % chunks_;
        task.chunk = kind == Kind::forward ? chunk : chunks_ - 1 - chunk;
        task.micro_batch = number / (ranks_ * chunks_) * ranks_ + number % ranks_;
        if (chunks_ == 1) task.micro_batch = number;
        tasks_.push_back(task);
    }

    void dualpipev() {
        const std::size_t behind = ranks_ - 1 - rank_, ahead = rank_ + 1;
        repeat(2 * behind, [&](std::size_t) { forward(0); });
        repeat(ahead, [&](std::size_t) {
            forward(0);
            forward(1);
        });
        repeat(behind, [&](std::size_t) {
            backward(1, true);
            weights();
            forward(1);
        });
        repeat(work_.micro_batches + ahead - 2 * ranks_, [&](std::size_t i) {
            // The last rank has just made what its own second chunk needs first.
            if (i == 0 && behind == 0) {
                forward(0);
                backward(1, false);
            } else {
                pair(0, 1);
            }
            pair(1, 0);
        });
        repeat(behind, [&](std::size_t) {
            backward(1, false);
            pair(1, 0);
        });
        bool leaves = false;
        repeat(ahead, [&](std::size_t i) {
            if (i == ahead / 2 && rank_ % 2 == 1) leaves = true;
            backward(1, leaves);
            if (i == ahead / 2 && rank_ % 2 == 0) leaves = true;
            backward(0, leaves);
        });
        repeat(behind, [&](std::size_t) {
            weights();
            backward(0, true);
        });
        while (!left_.empty()) weights();
    }

    template <class Action>
    static void repeat(std::size_t times, Action action) {
        for (std::size_t i = 0; i < times; ++i) action(i);
    }
    void forward(std::size_t chunk) {
        PipelineTask task;
        task.chunk = chunk;
        task.micro_batch = forwards_[chunk]++;
        tasks_.push_back(task);
    }
    void backward(std::size_t chunk, bool leaves_weights) {
        PipelineTask task;
        task.kind = Kind::backward;
        task.chunk = chunk;
        task.micro_batch = backwards_[chunk]++;
        task.leaves_weights = leaves_weights;
        if (leaves_weights) left_.push_back(task);
        tasks_.push_back(task);
    }
    void pair(std::size_t forward_chunk, std::size_t backward_chunk) {
        PipelineTask task;
        task.kind = Kind::pair;
        task.chunk = forward_chunk;
        task.micro_batch = forwards_[forward_chunk]++;
        task.backward_chunk = backward_chunk;
        task.backward_micro_batch = backwards_[backward_chunk]++;
        tasks_.push_back(task);
    }
    void weights() {
        if (left_.empty()) return;
        PipelineTask task = left_.front();
        left_.pop_front();
        task.kind = Kind::weights;
        tasks_.push_back(task);
    }

    const PipelineWork& work_;
    const std::size_t ranks_, chunks_, rank_;
    std::vector<PipelineTask> tasks_;
    std::deque<PipelineTask> left_;
    std::size_t forwards_[2] = {}, backwards_[2] = {};
};

// When each micro-batch is through each chunk of the model, in both directions.
class Clock {
public:
    explicit Clock(const PipelineWork& work)
        : work_(work), ranks_(work.ranks.size()), chunks_(ranks_ * work.ranks[0].size()) {
        forwards_.assign(chunks_ * work.micro_batches, kNever);
        backwards_ = forwards_;
    }

    // When the task can begin, at the earliest; kNever: not yet known.
    double ready(const PipelineTask& task, std::size_t rank) const {
        double time = 0;
        if (task.has_forward()) time = latest(time, before_forward(place(rank, task.chunk), task.micro_batch));
        if (task.kind == Kind::backward)
            time = latest(time, before_backward(place(rank, task.chunk), task.micro_batch));
        if (task.kind == Kind::pair)
            time = latest(time, before_backward(place(rank, task.backward_chunk), task.backward_micro_batch));
        return time;
    }

    double seconds(const PipelineTask& task, std::size_t rank) const {
        const ChunkTime& time = work_.ranks[rank][task.chunk];
        switch (task.kind) {
            case Kind::forward: return time.forward;
            case Kind::backward: return time.backward - (task.leaves_weights ? time.weights : 0);
            case Kind::weights: return time.weights;
            case Kind::pair: break;
        }
        return (time.forward + work_.ranks[rank][task.backward_chunk].backward) * work_.pair_share;
    }

    void done(const PipelineTask& task, std::size_t rank) {
        if (task.has_forward()) at(forwards_, place(rank, task.chunk), task.micro_batch) = task.end;
        if (task.kind == Kind::backward) at(backwards_, place(rank, task.chunk), task.micro_batch) = task.end;
        if (task.kind == Kind::pair)
            at(backwards_, place(rank, task.backward_chunk), task.backward_micro_batch) = task.end;
    }

    static constexpr double kNever = -1;

private:
    static double latest(double a, double b) { return a == kNever || b == kNever ? kNever : std::max(a, b); }

    // Where a chunk of a rank is on the way through the model.
    std::size_t place(std::size_t rank, std::size_t chunk) const {
        if (work_.schedule == Schedule::dualpipev && chunk == 1) return chunks_ - 1 - rank;
        return chunk * ranks_ + rank;
    }
    // The two chunks at the turn of a V are on one rank.
    double sent(double time, std::size_t from, std::size_t to) const {
        const bool is_turn = work_.schedule == Schedule::dualpipev && from + to + 1 == chunks_;
        return time == kNever || is_turn ? time : time + work_.transfer;
    }
    double before_forward(std::size_t chunk, std::size_t micro_batch) const {
        return chunk == 0 ? 0 : sent(at(forwards_, chunk - 1, micro_batch), chunk - 1, chunk);
    }
    double before_backward(std::size_t chunk, std::size_t micro_batch) const {
        const double own = at(forwards_, chunk, micro_batch);
        if (chunk + 1 == chunks_) return own;
        return latest(own, sent(at(backwards_, chunk + 1, micro_batch), chunk + 1, chunk));
    }
    const double& at(const std::vector<double>& times, std::size_t chunk, std::size_t micro_batch) const {
        return times[chunk * work_.micro_batches + micro_batch];
    }
    double& at(std::vector<double>& times, std::size_t chunk, std::size_t micro_batch) const {
        return times[chunk * work_.micro_batches + micro_batch];
    }

    const PipelineWork& work_;
    const std::size_t ranks_, chunks_;
    std::vector<double> forwards_, backwards_;
};

// Runs what can run of a rank's tasks. True when something did.
bool advance(std::vector<PipelineTask>& tasks, std::size_t& next, std::size_t rank, Clock& clock) {
    const std::size_t first = next;
    for (; next < tasks.size(); ++next) {
        PipelineTask& task = tasks[next];
        const double ready = clock.ready(task, rank);
        if (ready == Clock::kNever) break;
        task.begin = next == 0 ? ready : std::max(ready, tasks[next - 1].end);
        task.end = task.begin + clock.seconds(task, rank);
        clock.done(task, rank);
    }
    return next != first;
}

}  // namespace

double PipelineChart::busy(std::size_t rank) const {
    double out = 0;
    for (const PipelineTask& task : ranks[rank]) out += task.end - task.begin;
    return out;
}

double PipelineChart::idle_share() const {
    if (seconds == 0) return 0;
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += busy(i);
    return 1 - sum / (seconds * static_cast<double>(ranks.size()));
}

PipelineChart run_pipeline(const PipelineWork& work) {
    CHECK(!work.ranks.empty() && !work.ranks[0].empty());
    CHECK(work.schedule != Schedule::interleaved || work.micro_batches % work.ranks.size() == 0);
    CHECK(work.schedule != Schedule::dualpipev || work.micro_batches >= 2 * work.ranks.size());
    PipelineChart chart;
    for (std::size_t i = 0; i < work.ranks.size(); ++i) chart.ranks.push_back(TaskOrder(work, i).take());
    Clock clock(work);
    std::vector<std::size_t> next(work.ranks.size());
    for (bool moves = true; moves;) {
        moves = false;
        for (std::size_t i = 0; i < next.size(); ++i) moves = advance(chart.ranks[i], next[i], i, clock) || moves;
    }
    for (std::size_t i = 0; i < next.size(); ++i) {
        CHECK(next[i] == chart.ranks[i].size());  // the orders above cannot wait for each other
        if (!chart.ranks[i].empty()) chart.seconds = std::max(chart.seconds, chart.ranks[i].back().end);
    }
    return chart;
}

}  // namespace ckpt
