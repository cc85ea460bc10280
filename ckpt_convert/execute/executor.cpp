#include "ckpt_convert/execute/executor.h"

#include <memory>
#include <mutex>

#include "base/format.h"
#include "base/human.h"
#include "base/parallel.h"
#include "ckpt_convert/execute/open_files.h"
#include "ckpt_convert/execute/row_filler.h"
#include "ckpt_convert/execute/tile_copier.h"

namespace ckpt {
namespace {

struct Tile {
    const LogicalMove* move;
    RowRange rows;
};

// Cuts every logical tensor into ranges of rows of at most `tile_bytes`.
std::vector<Tile> cut_tiles(const ConversionPlan& plan, std::uint64_t tile_bytes) {
    std::vector<Tile> tiles;
    for (const LogicalMove& move : plan.moves) {
        for (RowRange rows : tile_rows(move.shape, move.dtype, tile_bytes)) tiles.push_back({&move, rows});
    }
    return tiles;
}

Status require_space(base::FileSystem& fs, const Path& directory, std::uint64_t needed) {
    auto available = fs.free_bytes(directory);
    if (!available || *available >= needed) return {};
    return base::fail(ErrorKind::write_failed,
                      base::format("the output needs {}, but only {} are free here", base::human_bytes(needed),
                                   base::human_bytes(*available)),
                      directory);
}

// Copies the tiles, each with the buffers of whichever thread is free.
class TileRun {
public:
    TileRun(const ConversionPlan& plan, const TensorIndex& source, OpenFiles& files, const ExecuteOptions& options)
        : plan_(plan), source_(source), files_(files), options_(options) {}

    Status run() {
        std::vector<Tile> tiles = cut_tiles(plan_, options_.tile_bytes);
        for (const Tile& tile : tiles) files_.expect(*tile.move);
        return base::parallel_for(tiles.size(), options_.threads, [&](std::size_t i) { return copy(tiles[i]); });
    }

private:
    Status copy(const Tile& tile) {
        std::unique_ptr<TileCopier> copier = take();
        std::vector<WrittenRun> written;
        TRY_ASSIGN(CastLosses lost, copier->copy(*tile.move, tile.rows, written));
        give_back(std::move(copier));
        std::uint64_t bytes = 0;
        for (const WrittenRun& run : written) bytes += run.bytes;
        options_.progress(bytes);
        return files_.written(*tile.move, written, lost);
    }

    std::unique_ptr<TileCopier> take() {
        std::lock_guard lock(mutex_);
        if (idle_.empty()) return std::make_unique<TileCopier>(plan_, source_, files_.places());
        std::unique_ptr<TileCopier> copier = std::move(idle_.back());
        idle_.pop_back();
        return copier;
    }
    void give_back(std::unique_ptr<TileCopier> copier) {
        std::lock_guard lock(mutex_);
        idle_.push_back(std::move(copier));
    }

    const ConversionPlan& plan_;
    const TensorIndex& source_;
    OpenFiles& files_;
    const ExecuteOptions& options_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<TileCopier>> idle_;
};

}  // namespace

std::uint64_t OutputPlan::total_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& file : files) sum += file.bytes;
    return sum;
}

Result<Executed> execute(const ConversionPlan& plan, const TensorIndex& source, const OutputPlan& output,
                         StagedOutput& staging, base::FileSystem& fs, const ExecuteOptions& options) {
    TRY(require_space(fs, staging.path(), output.total_bytes()));
    TRY_ASSIGN(const auto files, OpenFiles::create(plan, output, staging));
    TRY(fill_rows(plan, source, files->places(), files->runs()));
    TRY(TileRun(plan, source, *files, options).run());
    TRY(files->finish_rest());
    return Executed{files->losses(), files->sums()};
}

}  // namespace ckpt
