#include "migrator/profile/pipeline_schedule.h"

#include <algorithm>

namespace migrator {
namespace {

// Puts down rounds and work one after the other.
class ProgramWriter {
public:
    ProgramWriter(std::uint64_t stage, std::uint64_t stages) : has_before_(stage > 0), has_after_(stage + 1 < stages) {}

    void forward(std::uint64_t micro_batch) { out_.last.push_back({true, micro_batch}); }
    void backward(std::uint64_t micro_batch) { out_.last.push_back({false, micro_batch}); }
    // With the stage before this one, or with the one after it.
    void with_before(unsigned sends, unsigned receives) { round(has_before_, sends, receives); }
    void with_after(unsigned sends, unsigned receives) { round(has_after_, sends, receives); }
    StageProgram take() { return std::move(out_); }

private:
    void round(bool is_there, unsigned sends, unsigned receives) {
        if (!is_there) return;
        out_.rounds.push_back({std::move(out_.last), sends, receives});
        out_.last = {};
    }

    const bool has_before_, has_after_;
    StageProgram out_;
};

}  // namespace

std::string_view name_of(ScheduleKind kind) {
    return kind == ScheduleKind::one_forward_one_backward ? "1F1B" : "GPipe";
}

StageProgram stage_program(ScheduleKind kind, std::uint64_t stage, std::uint64_t stages, std::uint64_t micro_batches) {
    ProgramWriter out(stage, stages);
    const std::uint64_t warm_up =
        kind == ScheduleKind::all_forward_first ? micro_batches : std::min(micro_batches, stages - 1 - stage);
    for (std::uint64_t i = 0; i < warm_up; ++i) {
        out.with_before(0, 1);
        out.forward(i);
        out.with_after(1, 0);
    }
    const std::uint64_t steady = micro_batches - warm_up;
    if (steady > 0) out.with_before(0, 1);
    for (std::uint64_t i = 0; i < steady; ++i) {
        out.forward(warm_up + i);
        out.with_after(1, 1);
        out.backward(i);
        out.with_before(1, i + 1 < steady ? 1 : 0);
    }
    for (std::uint64_t i = 0; i < warm_up; ++i) {
        out.with_after(0, 1);
        out.backward(steady + i);
        out.with_before(1, 0);
    }
    return out.take();
}

std::optional<std::vector<std::size_t>> rounds_of(const StageProgram& program,
                                                  const std::vector<TransferKind>& transfers) {
    std::vector<std::size_t> out;
    std::size_t at = 0;
    for (const StageRound& round : program.rounds) {
        if (at < transfers.size() && transfers[at] == TransferKind::exchange) {
            out.push_back(1);
            ++at;
            continue;
        }
        const std::size_t number = round.sends + round.receives;
        if (transfers.size() - at < number) return std::nullopt;
        const auto first = transfers.begin() + static_cast<std::ptrdiff_t>(at);
        const auto last = first + static_cast<std::ptrdiff_t>(number);
        if (std::count(first, last, TransferKind::send) != round.sends ||
            std::count(first, last, TransferKind::receive) != round.receives)
            return std::nullopt;
        out.push_back(number);
        at += number;
    }
    return at == transfers.size() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace migrator
