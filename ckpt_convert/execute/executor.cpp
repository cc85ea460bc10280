#include "ckpt_convert/execute/executor.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "base/format.h"
#include "base/human.h"
#include "base/parallel.h"
#include "ckpt_convert/execute/row_filler.h"
#include "ckpt_convert/execute/run_sums.h"
#include "ckpt_convert/execute/tile_copier.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {
namespace {

using base::Result;
using base::Status;

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

struct OpenFiles {
    std::vector<std::unique_ptr<base::WritableFile>> files;
    std::vector<TargetPlace> places;  // by target
};

base::Result<OpenFiles> create_files(const OutputPlan& output, std::size_t targets, StagedOutput& staging) {
    OpenFiles open;
    open.places.resize(targets);
    for (const OutputFile& file : output.files) {
        TRY_ASSIGN(auto created, staging.create(file.path));
        TRY(created->allocate(file.bytes));
        for (std::size_t i = 0; i < file.targets.size(); ++i)
            open.places[file.targets[i]] = {created.get(), file.offsets[i]};
        open.files.push_back(std::move(created));
    }
    return open;
}

// Writes what is no payload; the checksum of the whole file.
Result<std::uint32_t> finish_file(const ConversionPlan& plan, const OutputFile& file, base::WritableFile& opened,
                                  const std::vector<std::uint32_t>& crc_by_target, StagedOutput& staging) {
    RunSums whole(1);
    auto add = [&](std::uint64_t offset, std::uint64_t bytes, std::uint32_t crc) {
        if (bytes > 0) whole.add({0, offset, bytes, crc});
    };
    std::vector<std::uint32_t> crc;
    for (std::size_t i = 0; i < file.targets.size(); ++i) {
        const TargetTensor& target = plan.targets[file.targets[i]];
        crc.push_back(crc_by_target[file.targets[i]]);
        add(file.offsets[i], *checked_bytes(target.shape, target.dtype), crc.back());
    }
    for (const FileChunk& chunk : file.chunks(crc)) {
        TRY(opened.write_at(chunk.offset, base::as_bytes(chunk.data)));
        add(chunk.offset, chunk.data.size(), crc32(base::as_bytes(chunk.data)));
    }
    TRY(staging.finish(file.path, opened));
    return whole.sum(0, file.bytes);
}

Status require_space(base::FileSystem& fs, const base::Path& directory, std::uint64_t needed) {
    auto available = fs.free_bytes(directory);
    if (!available || *available >= needed) return {};
    return base::fail(base::ErrorKind::write_failed,
                      base::format("the output needs {}, but only {} are free here", base::human_bytes(needed),
                                   base::human_bytes(*available)),
                      directory);
}

// Copies the tiles, each with the buffers of whichever thread is free.
class TileRun {
public:
    TileRun(const ConversionPlan& plan, const TensorIndex& source, const std::vector<TargetPlace>& places,
            const ExecuteOptions& options)
        : runs(plan.targets.size()), plan_(plan), source_(source), places_(places), options_(options) {}

    Status run() {
        std::vector<Tile> tiles = cut_tiles(plan_, options_.tile_bytes);
        return base::parallel_for(tiles.size(), options_.threads, [&](std::size_t i) { return copy(tiles[i]); });
    }

    RunSums runs;
    std::map<std::uint32_t, CastLosses> losses;  // by logical tensor

private:
    Status copy(const Tile& tile) {
        std::unique_ptr<TileCopier> copier = take();
        std::vector<WrittenRun> written;
        TRY_ASSIGN(CastLosses lost, copier->copy(*tile.move, tile.rows, written));
        std::uint64_t bytes = 0;
        for (const WrittenRun& run : written) bytes += run.bytes;
        options_.progress(bytes);
        std::lock_guard lock(mutex_);
        for (const WrittenRun& run : written) runs.add(run);
        if (lost.any()) losses[tile.move->logical].add(lost);
        idle_.push_back(std::move(copier));
        return {};
    }

    std::unique_ptr<TileCopier> take() {
        std::lock_guard lock(mutex_);
        if (idle_.empty()) return std::make_unique<TileCopier>(plan_, source_, places_);
        std::unique_ptr<TileCopier> copier = std::move(idle_.back());
        idle_.pop_back();
        return copier;
    }

    const ConversionPlan& plan_;
    const TensorIndex& source_;
    const std::vector<TargetPlace>& places_;
    const ExecuteOptions& options_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<TileCopier>> idle_;
};

std::vector<CastReport> cast_reports(const ConversionPlan& plan, const std::map<std::uint32_t, CastLosses>& losses) {
    std::vector<CastReport> out;
    for (const LogicalMove& move : plan.moves) {
        auto found = losses.find(move.logical);
        if (found != losses.end()) out.push_back({move.name, found->second});
    }
    return out;
}

}  // namespace

std::uint64_t OutputPlan::total_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& file : files) sum += file.bytes;
    return sum;
}

Result<Executed> execute(const ConversionPlan& plan, const TensorIndex& source, const OutputPlan& output,
                         StagedOutput& staging, base::FileSystem& fs, const ExecuteOptions& options) {
    TRY(require_space(fs, staging.path(), output.total_bytes()));
    TRY_ASSIGN(OpenFiles open, create_files(output, plan.targets.size(), staging));

    TileRun tiles(plan, source, open.places, options);
    TRY(tiles.run());
    TRY(fill_rows(plan, source, open.places, tiles.runs));

    Executed done{cast_reports(plan, tiles.losses), std::vector<std::uint32_t>(output.files.size())};
    std::vector<std::uint32_t> crc = tiles.runs.sums();
    TRY(base::parallel_for(output.files.size(), options.threads, [&](std::size_t i) -> Status {
        TRY_ASSIGN(done.crc32[i], finish_file(plan, output.files[i], *open.files[i], crc, staging));
        return {};
    }));
    return done;
}

}  // namespace ckpt
