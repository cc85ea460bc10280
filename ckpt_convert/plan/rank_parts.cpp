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
        std::uint32_t count = 0;
        out_.reserve(plan_.targets.size());
        for (std::size_t i = 0; i < plan_.targets.size(); ++i) {
            const TargetTensor& target = plan_.targets[i];
            if (!target.strides.empty())
                return base::fail(ErrorKind::unsupported,
                                  base::format("{} is stored in another order than its rows, and is not cut for ranks; "
                                               "--experts-as fused or separate stores it otherwise",
                                               target.name.get()));
            out_.push_back({target, !keep[i] && !target.scalar, count, ranks_});
            for (std::uint32_t rank = 0; rank < ranks_ && out_.back().part(rank); ++rank) ++count;
        }
        targets_.reserve(count);
        for (const RankParts& one : out_) add_parts(one);
        for (LogicalMove& move : plan_.moves) {
            std::vector<StoredPiece> pieces;
            for (const StoredPiece& piece : move.targets) add_pieces(piece, pieces);
            move.targets.assign(pieces.begin(), pieces.end());  // of no more room than they need
        }
        plan_.targets = std::move(targets_);
        return std::move(out_);
    }

private:
    void add_parts(const RankParts& one) {
        for (std::uint32_t rank = 0; rank < ranks_ && one.part(rank); ++rank) {
            TargetTensor part = one.whole;
            part.file = rank;
            if (one.cut) {
                part.shape = with_first(part.shape, one.rows(rank));
                if (!part.file_shape.empty()) part.file_shape = with_first(part.file_shape, part.shape[0]);
            }
            targets_.push_back(std::move(part));
        }
    }

    SharedShape with_first(Shape shape, std::uint64_t value) {
        shape[0] = value;
        return shapes_(shape);
    }

    void add_pieces(const StoredPiece& piece, std::vector<StoredPiece>& out) {
        const RankParts& one = out_[piece.tensor];
        if (!one.cut) {
            for (std::uint32_t rank = 0; rank < ranks_; ++rank) out.emplace_back(piece).tensor = *one.part(rank);
            return;
        }
        const std::uint64_t rows = one.rows(0), first = piece.in_stored[0], end = first + piece.stored_extent(0);
        const bool in_front = piece.in_stored.size() > piece.extent.size();
        for (std::uint64_t rank = first / rows; rank * rows < end; ++rank) {
            StoredPiece& part = out.emplace_back(piece);
            const std::uint64_t begin = std::max(first, rank * rows);
            part.tensor = *one.part(rank);
            part.in_stored = with_first(part.in_stored, begin - rank * rows);
            if (in_front) continue;
            part.in_logical = with_first(part.in_logical, part.in_logical[0] + begin - first);
            part.extent = with_first(part.extent, std::min(end, (rank + 1) * rows) - begin);
        }
    }

    ConversionPlan& plan_;
    std::uint32_t ranks_;
    SharedPool<Shape> shapes_;
    std::vector<RankParts> out_;
    std::vector<TargetTensor> targets_;
};

}  // namespace

std::optional<std::uint32_t> RankParts::part(std::uint64_t rank) const {
    if (cut && rows(rank) == 0) return std::nullopt;
    return first_part + static_cast<std::uint32_t>(rank);
}

std::uint64_t RankParts::first_row(std::uint64_t rank) const {
    const std::uint64_t rows = whole.shape[0], share = (rows + ranks - 1) / ranks;
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
