#include "ckpt_convert/plan/target_contents.h"

namespace ckpt {

TargetContents::TargetContents(const ConversionPlan& plan) {
    parts_ = Grouped<Part>(plan.targets.size(), [&](const auto& take) {
        for (std::uint32_t move = 0; move < plan.moves.size(); ++move) {
            const auto& pieces = plan.moves[move].targets;
            for (std::uint32_t piece = 0; piece < pieces.size(); ++piece) take(pieces[piece].tensor, {move, piece});
        }
    });
    fills_ = Grouped<std::uint32_t>(plan.targets.size(), [&](const auto& take) {
        for (std::uint32_t fill = 0; fill < plan.fills.size(); ++fill) take(plan.fills[fill].target, fill);
    });
}

}  // namespace ckpt
