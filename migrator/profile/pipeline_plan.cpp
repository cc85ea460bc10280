#include "migrator/profile/pipeline_plan.h"

#include <algorithm>

namespace migrator {
namespace {

constexpr double kSameRoundUs = 50;  // transfers that follow each other so closely wait together

TransferRound round_of(const std::vector<RankCall>& transfers, std::size_t first, std::size_t count) {
    TransferRound out{transfers[first].begin, transfers[first].end(), 0, first, count};
    // Those that run at the same time move their data together.
    for (std::size_t i = first; i < first + count; ++i) {
        const RankCall& call = transfers[i];
        const bool is_beside = i > first && call.begin < out.end;
        out.moving = is_beside ? std::max(out.moving, call.moving) : out.moving + call.moving;
        out.end = std::max(out.end, call.end());
    }
    out.moving = std::min(out.moving, out.end - out.begin);
    return out;
}

StagePlan plan_of(const StageProgram& program, const std::vector<RankCall>& transfers,
                  const std::vector<std::size_t>& counts) {
    StagePlan out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        out.rounds.push_back(round_of(transfers, at, counts[i]));
        out.work.push_back(program.rounds[i].work);
        at += counts[i];
    }
    out.work.push_back(program.last);
    return out;
}

// The schedule and number of micro-batches with which the transfers of all stages are those of its program.
std::optional<PipelinePlan> scheduled_plan(const std::vector<StageCalls>& all) {
    std::vector<std::vector<TransferKind>> kinds;
    for (const StageCalls& stage : all) {
        kinds.emplace_back();
        for (const RankCall& call : stage.calls.transfers) kinds.back().push_back(call.transfer);
    }
    const std::uint64_t stages = all.size(), first = kinds.front().size();
    for (const ScheduleKind kind : {ScheduleKind::one_forward_one_backward, ScheduleKind::all_forward_first}) {
        // The first stage has two transfers for each micro-batch, but for those that go both ways at once.
        for (const std::uint64_t micro_batches : {first / 2, first >= stages ? first - (stages - 1) : 0}) {
            if (micro_batches == 0) continue;
            std::vector<StagePlan> found;
            for (std::uint64_t stage = 0; stage < stages; ++stage) {
                const StageProgram program = stage_program(kind, stage, stages, micro_batches);
                const auto counts = rounds_of(program, kinds[stage]);
                if (!counts) break;
                found.push_back(plan_of(program, all[stage].calls.transfers, *counts));
            }
            if (found.size() != stages) continue;
            return PipelinePlan{std::string(name_of(kind)), micro_batches, 1, std::move(found)};
        }
    }
    return std::nullopt;
}

// Where every transfer is of two ranks and goes one way, its direction says what was computed before: what is sent on is forward, what is
// sent back backward. So any schedule can be told, also with several chunks of the model on a stage.
class DirectionReader {
public:
    DirectionReader(const std::vector<StageCalls>& stages, const GroupRanks& groups)
        : stages_(stages), groups_(groups) {}

    std::optional<PipelinePlan> read() {
        if (stages_.size() < 3) return std::nullopt;  // with two, the stage before is the one after
        std::vector<StagePlan> found;
        for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
            StagePlan plan;
            if (!add_rounds(stage, stages_[stage].calls.transfers, plan)) return std::nullopt;
            found.push_back(std::move(plan));
        }
        if (sent_on_ <= received_on_) return std::nullopt;
        const std::uint64_t micro_batches = sent_on_ - received_on_, chunks = sent_on_ / micro_batches;
        if (sent_on_ % micro_batches != 0) return std::nullopt;
        return PipelinePlan{chunks > 1 ? "interleaved" : "directions", micro_batches, chunks, std::move(found)};
    }

private:
    // 1: with the stage after this one; -1: with the one before; 0: with neither.
    int direction(std::size_t stage, const RankCall& call) const {
        const std::set<std::string>& ranks = groups_.at(call.group);
        if (ranks.size() != 2 || call.transfer == TransferKind::exchange) return 0;
        const std::size_t number = stages_.size();
        if (ranks.contains(stages_[(stage + 1) % number].rank)) return 1;
        return ranks.contains(stages_[(stage + number - 1) % number].rank) ? -1 : 0;
    }

    bool add_rounds(std::size_t stage, const std::vector<RankCall>& transfers, StagePlan& plan) {
        Inputs inputs{stage == 0, stage + 1 == stages_.size()};
        for (std::size_t i = 0; i < transfers.size();) {
            TransferRound round = round_of(transfers, i, 1);
            while (i + round.count < transfers.size() && transfers[i + round.count].begin < round.end + kSameRoundUs)
                round = round_of(transfers, i, round.count + 1);
            bool sends_on = false, sends_back = false;
            std::uint64_t from_before = 0, from_after = 0;
            for (std::size_t j = i; j < i + round.count; ++j) {
                const int way = direction(stage, transfers[j]);
                if (way == 0) return false;
                const bool is_send = transfers[j].transfer == TransferKind::send;
                if (is_send) (way > 0 ? sends_on : sends_back) = true;
                else ++(way > 0 ? from_after : from_before);
            }
            if (stage == 0) {
                sent_on_ += sends_on ? 1 : 0;
                received_on_ += from_before;
            }
            const bool has_time = i == 0 ? stage == 0 : round.begin > plan.rounds.back().end;
            plan.work.push_back(has_time ? inputs.work_before(sends_on, sends_back) : std::vector<StageWork>());
            inputs.forward += from_before;
            inputs.backward += from_after;
            i += round.count;
            plan.rounds.push_back(round);
        }
        plan.work.push_back(stage == 0 ? inputs.work_before(false, false) : std::vector<StageWork>());
        return true;
    }

    // What a stage has received and not computed yet. The last pass forward of all sends nothing on, and what follows it backward has
    // received nothing; likewise the last pass backward of all.
    struct Inputs {
        bool is_first = false, is_last = false;
        std::uint64_t forward = 0, backward = 0, own = 0;  // own: forward passes that nothing was sent of
        std::uint64_t done_forward = 0, done_backward = 0;

        std::vector<StageWork> work_before(bool sends_on, bool sends_back) {
            std::vector<StageWork> out;
            const auto add_forward = [&] {
                forward -= forward > 0 ? 1 : 0;
                out.push_back({true, done_forward++});
            };
            if (sends_on) add_forward();
            if (sends_back) {
                if (backward > 0) --backward;
                else if (is_last && forward > 0) add_forward();
                else if (own > 0) --own;
                out.push_back({false, done_backward++});
            }
            if (!out.empty()) return out;
            if (is_last && forward > 0) {
                ++own;
                add_forward();
            } else if (is_first && backward > 0) {
                --backward;
                out.push_back({false, done_backward++});
            }
            return out;
        }
    };

    const std::vector<StageCalls>& stages_;
    const GroupRanks& groups_;
    std::uint64_t sent_on_ = 0, received_on_ = 0;  // forward, by the first stage
};

}  // namespace

std::optional<PipelinePlan> pipeline_plan(const std::vector<StageCalls>& stages, const GroupRanks& groups) {
    auto plan = scheduled_plan(stages);
    return plan ? std::move(plan) : DirectionReader(stages, groups).read();
}

}  // namespace migrator
