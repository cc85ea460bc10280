// OpenFiles: the files of an output while tiles are written into them in any order. A file is finished with its last tile, so
// that an interruption costs what was unfinished and not everything.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/execute/run_sums.h"
#include "ckpt_convert/execute/staged_output.h"
#include "ckpt_convert/execute/tile_copier.h"

namespace ckpt {

class OpenFiles {
public:
    // All of them, with their space. What the arguments refer to must outlive the files.
    static Result<std::unique_ptr<OpenFiles>> create(const ConversionPlan& plan, const OutputPlan& output,
                                                     StagedOutput& staging);

    const std::vector<TargetPlace>& places() const { return places_; }  // by target, and behind these by share

    // A tile of the move will come: said of all before the first is written.
    void expect(const LogicalMove& move);
    // For rows that no move writes, which are written before the tiles.
    RunSums& runs() { return runs_; }
    // A tile of the move is written; finishes the files that were waiting for it alone. Thread-safe.
    Status written(const LogicalMove& move, const std::vector<WrittenRun>& runs, const CastLosses& lost);
    // The files that waited for no tile.
    Status finish_rest();

    // When all files are finished.
    std::vector<CastReport> losses() const;                          // by tensor, in the order of the plan
    const std::vector<std::uint32_t>& sums() const { return crc_; }  // CRC-32 of each file

private:
    struct Open {
        std::unique_ptr<base::WritableFile> file;
        std::uint64_t tiles_left = 0;
        std::set<std::uint32_t> lossy;  // logical tensors in it that lost values
    };

    OpenFiles(const ConversionPlan& plan, const OutputPlan& output, StagedOutput& staging)
        : plan_(plan), output_(output), staging_(staging), runs_(plan.targets.size() + output.shares.size()) {}

    // Calls visit(number in open_) for each file that has some of the piece; for some of them several times.
    template <class Visit>
    void each_file(const StoredPiece& piece, Visit visit) const;
    Status finish(std::uint32_t file);
    std::vector<CastReport> reports(const std::set<std::uint32_t>& logical) const;

    const ConversionPlan& plan_;
    const OutputPlan& output_;
    StagedOutput& staging_;
    std::vector<Open> open_;                      // as in the output plan
    std::vector<std::uint32_t> file_of_;          // by target, then by share
    std::vector<TargetPlace> places_;             // the same
    std::vector<std::uint32_t> crc_;              // by file
    std::mutex mutex_;                            // for what follows, and for the counts
    RunSums runs_;                                // of targets
    std::map<std::uint32_t, CastReport> losses_;  // by logical tensor
};

}  // namespace ckpt
