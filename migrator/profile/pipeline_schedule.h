// PipelineSchedule: the order in which a stage of a pipeline computes and exchanges, as Megatron's schedules have it, and which of them
// the transfers of a stage are.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace migrator {

// What a transfer of a stage is by its name: one way, or perhaps both at once.
enum class TransferKind : std::uint8_t { send, receive, exchange };

enum class ScheduleKind : std::uint8_t { one_forward_one_backward, all_forward_first };
std::string_view name_of(ScheduleKind kind);

// What a stage does between two rounds of transfers.
struct StageWork {
    bool is_forward = true;
    std::uint64_t micro_batch = 0;  // from 0 on
};

// Transfers that a stage waits for together, and what it has computed since the round before.
struct StageRound {
    std::vector<StageWork> work;
    unsigned sends = 0, receives = 0;
};

struct StageProgram {
    std::vector<StageRound> rounds;
    std::vector<StageWork> last;  // after the last round
};

StageProgram stage_program(ScheduleKind kind, std::uint64_t stage, std::uint64_t stages, std::uint64_t micro_batches);

// How many of the transfers each round takes; nullopt: these are not those of the program.
std::optional<std::vector<std::size_t>> rounds_of(const StageProgram& program,
                                                  const std::vector<TransferKind>& transfers);

}  // namespace migrator
