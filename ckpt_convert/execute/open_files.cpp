#include "ckpt_convert/execute/open_files.h"

#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {

Result<std::unique_ptr<OpenFiles>> OpenFiles::create(const ConversionPlan& plan, const OutputPlan& output,
                                                     StagedOutput& staging) {
    std::unique_ptr<OpenFiles> out(new OpenFiles(plan, output, staging));
    out->places_.resize(plan.targets.size() + output.shares.size());
    out->file_of_.resize(out->places_.size());
    out->crc_.resize(output.files.size());
    for (const OutputFile& file : output.files) {
        TRY_ASSIGN(auto created, staging.create(file.path));
        TRY(created->allocate(file.bytes));
        for (std::size_t i = 0; i < file.targets.size(); ++i) {
            out->places_[file.targets[i]] = {created.get(), file.offsets[i]};
            out->file_of_[file.targets[i]] = static_cast<std::uint32_t>(out->open_.size());
        }
        out->open_.push_back({std::move(created), 0, {}});
    }
    return out;
}

template <class Visit>
void OpenFiles::each_file(const StoredPiece& piece, Visit visit) const {
    const TargetTensor& target = plan_.targets[piece.tensor];
    if (!target.flat.vector) return visit(file_of_[piece.tensor]);
    const std::uint64_t elements = *checked_elements(target.shape);
    (void)each_run(target.flat, elements, 0, elements, [&](const FlatRun& run, std::uint64_t) -> Status {
        const std::size_t share = plan_.targets.size() + run.file;
        if (places_[share].file != nullptr) visit(file_of_[share]);
        return {};
    });
}

void OpenFiles::expect(const LogicalMove& move) {
    for (const StoredPiece& piece : move.targets)
        each_file(piece, [&](std::uint32_t file) { ++open_[file].tiles_left; });
}

Status OpenFiles::written(const LogicalMove& move, const std::vector<WrittenRun>& runs, const CastLosses& lost) {
    std::vector<std::uint32_t> complete;
    {
        std::lock_guard lock(mutex_);
        for (const WrittenRun& run : runs) runs_.add(run);
        if (lost.any()) losses_.try_emplace(move.logical, CastReport{move.title(), {}}).first->second.losses.add(lost);
        for (const StoredPiece& piece : move.targets) {
            each_file(piece, [&](std::uint32_t file) {
                if (lost.any()) open_[file].lossy.insert(move.logical);
                if (--open_[file].tiles_left == 0) complete.push_back(file);
            });
        }
    }
    for (std::uint32_t file : complete) TRY(finish(file));
    return {};
}

Status OpenFiles::finish_rest() {
    for (std::uint32_t file = 0; file < open_.size(); ++file) {
        if (open_[file].file != nullptr) TRY(finish(file));
    }
    return {};
}

// Writes what is no payload.
Status OpenFiles::finish(std::uint32_t index) {
    const OutputFile& file = output_.files[index];
    Open& open = open_[index];
    RunSums whole(1);
    auto add = [&](std::uint64_t offset, std::uint64_t bytes, std::uint32_t crc) {
        if (bytes > 0) whole.add({0, offset, bytes, crc});
    };
    std::vector<std::uint32_t> crc;
    std::vector<CastReport> lost;
    {
        std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < file.targets.size(); ++i) {
            const TargetTensor& target = output_.tensor(plan_, file.targets[i]);
            const std::uint64_t bytes = *checked_bytes(target.shape, target.dtype);
            crc.push_back(runs_.sum(file.targets[i], bytes));
            add(file.offsets[i], bytes, crc.back());
        }
        lost = reports(open.lossy);
    }
    for (const FileChunk& chunk : file.chunks(crc)) {
        TRY(open.file->write_at(chunk.offset, base::as_bytes(chunk.data)));
        add(chunk.offset, chunk.data.size(), crc32(base::as_bytes(chunk.data)));
    }
    crc_[index] = whole.sum(0, file.bytes);
    TRY(staging_.finish({{file.path, file.bytes, {crc_[index]}}, std::move(lost)}, *open.file));
    open.file.reset();
    return {};
}

std::vector<CastReport> OpenFiles::reports(const std::set<std::uint32_t>& logical) const {
    std::vector<CastReport> out;
    for (std::uint32_t one : logical) out.push_back(losses_.at(one));
    return out;
}

std::vector<CastReport> OpenFiles::losses() const {
    std::vector<CastReport> out;
    for (const LogicalMove& move : plan_.moves) {
        auto found = losses_.find(move.logical);
        if (found != losses_.end()) out.push_back(found->second);
    }
    return out;
}

}  // namespace ckpt
