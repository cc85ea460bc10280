#include "ckpt_convert/plan/rank_parts.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "ckpt_convert/plan/plan_proof.h"

namespace ckpt {
namespace {

class RankCutter {
public:
    RankCutter(ConversionPlan& plan, std::uint32_t ranks) : plan_(plan), ranks_(ranks) {}

    Result<std::vector<RankParts>> cut(const std::vector<bool>& keep) {
        CHECK(plan_.fills.empty());
        for (std::size_t i = 0; i < plan_.targets.size(); ++i) {
            const TargetTensor& target = plan_.targets[i];
            if (!target.strides.empty())
                return base::fail(ErrorKind::unsupported,
                                  base::format("{} is stored in another order than its rows, and is not cut for ranks; "
                                               "--experts-as fused or separate stores it otherwise",
                                               target.name.get()));
            out_.push_back({target, !keep[i] && !target.scalar, {}});
            add_parts(out_.back());
        }
        for (LogicalMove& move : plan_.moves) {
            std::vector<StoredPiece> pieces;
            for (const StoredPiece& piece : move.targets) add_pieces(piece, pieces);
            move.targets = std::move(pieces);
        }
        plan_.targets = std::move(targets_);
        return std::move(out_);
    }

private:
    void add_parts(RankParts& one) {
        one.parts.resize(ranks_);
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
            TargetTensor part = one.whole;
            part.file = rank;
            if (one.cut) {
                part.shape.set(0, one.rows(rank));
                if (!part.file_shape.empty()) part.file_shape.set(0, part.shape[0]);
                if (part.shape[0] == 0) continue;
            }
            one.parts[rank] = static_cast<std::uint32_t>(targets_.size());
            targets_.push_back(std::move(part));
        }
    }

    void add_pieces(const StoredPiece& piece, std::vector<StoredPiece>& out) const {
        const RankParts& one = out_[piece.tensor];
        if (!one.cut) {
            for (const auto& part : one.parts) out.emplace_back(piece).tensor = *part;
            return;
        }
        const std::uint64_t rows = one.rows(0), first = piece.in_stored[0], end = first + piece.stored_extent(0);
        const bool in_front = piece.in_stored.size() > piece.extent.size();
        for (std::uint64_t rank = first / rows; rank * rows < end; ++rank) {
            StoredPiece& part = out.emplace_back(piece);
            const std::uint64_t begin = std::max(first, rank * rows);
            part.tensor = *one.parts[rank];
            part.in_stored.set(0, begin - rank * rows);
            if (in_front) continue;
            part.in_logical.set(0, part.in_logical[0] + begin - first);
            part.extent.set(0, std::min(end, (rank + 1) * rows) - begin);
        }
    }

    ConversionPlan& plan_;
    std::uint32_t ranks_;
    std::vector<RankParts> out_;
    std::vector<TargetTensor> targets_;
};

}  // namespace

std::uint64_t RankParts::first_row(std::uint64_t rank) const {
    const std::uint64_t rows = whole.shape[0], share = (rows + parts.size() - 1) / parts.size();
    return std::min(rank * share, rows);
}

std::uint64_t RankParts::rows(std::uint64_t rank) const { return first_row(rank + 1) - first_row(rank); }

Result<std::vector<RankParts>> cut_for_ranks(ConversionPlan& plan, const TensorIndex& source, std::uint32_t ranks,
                                             const std::vector<bool>& keep) {
    TRY_ASSIGN(auto parts, RankCutter(plan, ranks).cut(keep));
    TRY(prove_plan(plan, source));
    return parts;
}

}  // namespace ckpt
