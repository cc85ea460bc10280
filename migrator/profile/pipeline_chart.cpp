#include "migrator/profile/pipeline_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/format.h"
#include "migrator/profile/pipeline_plan.h"

namespace migrator {
namespace {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// A transfer as both of its ranks can call it. In a group of two, what goes both ways has one name for both; what goes one way is the
// same by its number.
std::map<std::string, double> ends_of(const StageCalls& stage, const std::string& other, const GroupRanks& groups) {
    std::map<std::string, double> out;
    std::map<std::string, std::size_t> counts;
    for (const RankCall& call : stage.calls.transfers) {
        const std::set<std::string>& ranks = groups.at(call.group);
        if (ranks.size() != 2 || !ranks.contains(other)) continue;
        const bool is_exchange = call.transfer == TransferKind::exchange;
        const std::string& from = call.transfer == TransferKind::send ? stage.rank : other;
        const std::string way = is_exchange ? call.name : base::format("from {}", from);
        out[base::format("{}@{} {}", way, call.group, is_exchange ? 0 : counts[way + "@" + call.group]++)] = call.end();
    }
    return out;
}

// What goes both ways ends on both ranks together, and what goes one way arrives after it was sent: so the clock of a stage is known
// against that of the one before, to within what the transfers leave open.
std::optional<double> align(std::vector<StageCalls>& stages, const GroupRanks& groups) {
    constexpr double kOpen = std::numeric_limits<double>::infinity();
    std::optional<double> residual;
    for (std::size_t i = 1; i < stages.size(); ++i) {
        const auto before = ends_of(stages[i - 1], stages[i].rank, groups),
                   here = ends_of(stages[i], stages[i - 1].rank, groups);
        double most = kOpen, least = -kOpen;  // how far this clock is ahead
        for (const auto& [name, end] : here) {
            const auto found = before.find(name);
            if (found == before.end()) continue;
            const double ahead = end - found->second;
            if (!name.starts_with("from " + stages[i].rank + "@")) most = std::min(most, ahead);
            if (!name.starts_with("from " + stages[i - 1].rank + "@")) least = std::max(least, ahead);
        }
        if (most == kOpen && least == -kOpen) continue;
        const double ahead = most == kOpen ? least : least == -kOpen ? most : (most + least) / 2;
        if (most != kOpen && least != -kOpen) residual = std::max(residual.value_or(0), std::abs(most - least) / 2);
        for (RankCall& call : stages[i].calls.transfers) call.begin -= ahead;
        if (stages[i].calls.exchange_after) *stages[i].calls.exchange_after -= ahead;
        if (stages[i].first_kernel) *stages[i].first_kernel -= ahead;
    }
    return residual;
}

PhaseKind kind_of(const std::vector<StageWork>& work) {
    if (work.size() != 1) return PhaseKind::both;
    return work.front().is_forward ? PhaseKind::forward : PhaseKind::backward;
}

std::uint64_t micro_batch_of(const std::vector<StageWork>& work) {
    const auto backward = std::ranges::find(work, false, &StageWork::is_forward);
    return work.empty() ? 0 : (backward == work.end() ? work.front() : *backward).micro_batch + 1;
}

std::vector<double> lengths_of(const std::vector<StagePhase>& phases, PhaseKind kind) {
    std::vector<double> out;
    for (const StagePhase& phase : phases) {
        if (phase.kind == kind) out.push_back(phase.length());
    }
    return out;
}

// The last backward pass has no transfer behind it. It lasts until gradients are exchanged, where that is near what the others take; else
// as long as those.
double end_of_last(const StageCalls& stage, const std::vector<StagePhase>& phases) {
    const double begin = stage.calls.transfers.back().end();
    std::vector<double> others = lengths_of(phases, PhaseKind::backward);
    if (others.empty()) others = lengths_of(phases, PhaseKind::forward);
    const double usual = median(others), told = stage.calls.exchange_after.value_or(begin) - begin;
    return begin + (told > usual && (usual == 0 || told < 2 * usual) ? told : usual);
}

void add_segment(double begin, double end, const std::vector<StageWork>& work, std::vector<StagePhase>& out) {
    if (end > begin) out.push_back({kind_of(work), micro_batch_of(work), begin, end});
}

void add_round(const TransferRound& round, std::vector<StagePhase>& out) {
    const double moves = round.end - round.moving;
    if (moves > round.begin) out.push_back({PhaseKind::wait, 0, round.begin, moves});
    if (round.end > moves) out.push_back({PhaseKind::transfer, 0, moves, round.end});
}

// A backward pass with the forward pass behind it, where others tell how long each takes.
void divide(PipelineStage& stage) {
    const double forward = median(lengths_of(stage.phases, PhaseKind::forward)),
                 backward = median(lengths_of(stage.phases, PhaseKind::backward));
    if (forward <= 0 || backward <= 0) return;
    std::vector<StagePhase> out;
    for (const StagePhase& phase : stage.phases) {
        if (phase.kind != PhaseKind::both) {
            out.push_back(phase);
            continue;
        }
        const double middle = phase.begin + phase.length() * backward / (forward + backward);
        out.push_back({PhaseKind::backward, phase.micro_batch, phase.begin, middle});
        out.push_back({PhaseKind::forward, 0, middle, phase.end});
        stage.is_divided = true;
    }
    stage.phases = std::move(out);
}

PipelineStage stage_of(const StageCalls& calls, const StagePlan& plan, double begin_of_step) {
    PipelineStage out;
    out.rank = calls.rank;
    double at = plan.rounds.front().begin;
    if (!plan.work.front().empty()) at = std::min(at, calls.first_kernel.value_or(begin_of_step));
    const double first = at;
    for (std::size_t i = 0; i < plan.rounds.size(); ++i) {
        TransferRound round = plan.rounds[i];  // one that overlaps the one before it waits from its end on
        round.begin = std::max(round.begin, at);
        round.end = std::max(round.end, round.begin);
        add_segment(at, round.begin, plan.work[i], out.phases);
        add_round(round, out.phases);
        at = round.end;
    }
    if (!plan.work.back().empty()) add_segment(at, end_of_last(calls, out.phases), plan.work.back(), out.phases);
    if (out.phases.empty()) out.phases.push_back({PhaseKind::wait, 0, first, first});
    return out;
}

void mark_parts(PipelineStage& stage) {
    const auto is_backward = [](const StagePhase& phase) {
        return phase.kind == PhaseKind::backward || phase.kind == PhaseKind::both;
    };
    const auto is_forward = [](const StagePhase& phase) {
        return phase.kind == PhaseKind::forward || phase.kind == PhaseKind::both;
    };
    const auto backward = std::ranges::find_if(stage.phases, is_backward);
    const auto forward = std::find_if(stage.phases.rbegin(), stage.phases.rend(), is_forward);
    for (StagePhase& phase : stage.phases) {
        if (backward != stage.phases.end() && phase.begin < backward->begin) phase.part = PhasePart::warm_up;
        else if (forward != stage.phases.rend() && phase.begin >= forward->end) phase.part = PhasePart::cool_down;
        if (phase.kind == PhaseKind::wait) stage.waits[static_cast<std::size_t>(phase.part)] += phase.length();
    }
}

// All stages on one axis, from the first phase to the last.
void measure(PipelineChart& chart) {
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (const PipelineStage& stage : chart.stages) {
        first = std::min(first, stage.phases.front().begin);
        last = std::max(last, stage.phases.back().end);
    }
    chart.length = last - first;
    for (PipelineStage& stage : chart.stages) {
        if (stage.phases.front().begin > first)
            stage.phases.insert(stage.phases.begin(), {PhaseKind::wait, 0, first, stage.phases.front().begin});
        if (stage.phases.back().end < last) stage.phases.push_back({PhaseKind::wait, 0, stage.phases.back().end, last});
        for (StagePhase& phase : stage.phases) {
            phase.begin -= first;
            phase.end -= first;
            if (phase.kind == PhaseKind::wait) stage.waiting += phase.length();
            else if (phase.kind != PhaseKind::transfer) stage.computing += phase.length();
        }
        if (chart.chunks == 1) divide(stage);
        mark_parts(stage);
    }
}

}  // namespace

std::string_view name_of(PhaseKind kind) {
    switch (kind) {
        case PhaseKind::forward: return "forward";
        case PhaseKind::backward: return "backward";
        case PhaseKind::both: return "both";
        case PhaseKind::transfer: return "transfer";
        case PhaseKind::wait: break;
    }
    return "wait";
}

std::string_view name_of(PhasePart part) {
    switch (part) {
        case PhasePart::warm_up: return "warm-up";
        case PhasePart::cool_down: return "cool-down";
        case PhasePart::steady: break;
    }
    return "steady";
}

double PipelineChart::bubble() const {
    double waiting = 0;
    for (const PipelineStage& stage : stages) waiting += stage.waiting;
    return length > 0 ? waiting / (length * static_cast<double>(stages.size())) : 0;
}

double PipelineChart::least_bubble() const {
    const auto others = static_cast<double>(stages.size()) - 1;
    return others / (static_cast<double>(micro_batches * chunks) + others);
}

const PipelineStage& PipelineChart::slowest() const {
    return *std::ranges::max_element(stages, {}, &PipelineStage::computing);
}

double PipelineChart::imbalance() const {
    double sum = 0;
    for (const PipelineStage& stage : stages) sum += stage.computing;
    return sum > 0 ? slowest().computing * static_cast<double>(stages.size()) / sum : 1;
}

PipelineChart pipeline_chart(const std::string& step, std::vector<StageCalls> stages, const GroupRanks& groups) {
    PipelineChart chart;
    chart.step = step;
    std::set<std::string> ranks;
    for (const StageCalls& stage : stages) ranks.insert(stage.rank);
    double begin = std::numeric_limits<double>::infinity();
    for (StageCalls& stage : stages)
        std::erase_if(stage.calls.transfers,
                      [&](const RankCall& call) { return !std::ranges::includes(ranks, groups.at(call.group)); });
    chart.residual = align(stages, groups);
    for (const StageCalls& stage : stages) {
        if (stage.calls.transfers.empty()) {
            chart.reason = {"Rank {rank} has no transfers to other stages in this step.", {{"rank", stage.rank}}};
            return chart;
        }
        begin = std::min(begin, stage.calls.transfers.front().begin);
    }
    const std::optional<PipelinePlan> plan = pipeline_plan(stages, groups);
    if (!plan) {
        chart.reason = {
            "The transfers between these stages are those of neither 1F1B nor GPipe, and do not tell which way each "
            "goes, so that micro-batches cannot be told."};
        return chart;
    }
    chart.schedule = plan->schedule;
    chart.micro_batches = plan->micro_batches;
    chart.chunks = plan->chunks;
    for (std::size_t i = 0; i < stages.size(); ++i) chart.stages.push_back(stage_of(stages[i], plan->stages[i], begin));
    measure(chart);
    return chart;
}

}  // namespace migrator
