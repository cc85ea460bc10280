#include "migrator/profile/pipeline_schedule.h"

#include <doctest/doctest.h>

using namespace migrator;

TEST_CASE("pipeline: every stage computes each micro-batch once forward and once backward, in this order") {
    for (const ScheduleKind kind : {ScheduleKind::one_forward_one_backward, ScheduleKind::all_forward_first}) {
        for (std::uint64_t stages = 2; stages <= 5; ++stages) {
            for (std::uint64_t stage = 0; stage < stages; ++stage) {
                for (std::uint64_t micro_batches = 1; micro_batches <= 9; ++micro_batches) {
                    const StageProgram program = stage_program(kind, stage, stages, micro_batches);
                    std::vector<StageWork> all;
                    unsigned sends = 0, receives = 0;
                    for (const StageRound& round : program.rounds) {
                        all.insert(all.end(), round.work.begin(), round.work.end());
                        sends += round.sends;
                        receives += round.receives;
                    }
                    all.insert(all.end(), program.last.begin(), program.last.end());
                    std::vector<int> forward(micro_batches), backward(micro_batches);
                    for (const StageWork& work : all) {
                        if (!work.is_forward) CHECK(forward[work.micro_batch] == 1);
                        ++(work.is_forward ? forward : backward)[work.micro_batch];
                    }
                    CHECK(forward == std::vector<int>(micro_batches, 1));
                    CHECK(backward == std::vector<int>(micro_batches, 1));
                    const unsigned neighbours = stage == 0 || stage + 1 == stages ? 1 : 2;
                    CHECK(sends == neighbours * micro_batches);
                    CHECK(receives == neighbours * micro_batches);
                }
            }
        }
    }
}

TEST_CASE("pipeline: transfers are those of a program, or of none") {
    using enum TransferKind;
    const StageProgram first = stage_program(ScheduleKind::one_forward_one_backward, 0, 2, 2);
    CHECK(rounds_of(first, {exchange, exchange, exchange}) == std::vector<std::size_t>{1, 1, 1});
    CHECK(rounds_of(first, {send, send, receive, receive}) == std::vector<std::size_t>{1, 2, 1});
    CHECK(rounds_of(first, {send, receive, send, receive}) == std::vector<std::size_t>{1, 2, 1});
    CHECK_FALSE(rounds_of(first, {send, send, send, receive}).has_value());
    CHECK_FALSE(rounds_of(first, {exchange, exchange}).has_value());
    CHECK_FALSE(rounds_of(first, {exchange, exchange, exchange, exchange}).has_value());
}
