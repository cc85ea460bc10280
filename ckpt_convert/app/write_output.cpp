#include "ckpt_convert/app/write_output.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/format.h"
#include "base/human.h"
#include "base/version.h"
#include "ckpt_convert/app/output_manifest.h"
#include "ckpt_convert/execute/executor.h"
#include "ckpt_convert/execute/shard.h"
#include "ckpt_convert/execute/staged_output.h"

namespace ckpt {
namespace {

// Writes what lies beside the weights.
Status write_side_files(base::FileSystem& fs, const PlannedOutput& target, StagedOutput& staging, Manifest& manifest) {
    for (const auto& name : target.companions) {
        std::string path = target.companions_to.empty() ? name : base::join(target.companions_to, name);
        bool ours = std::any_of(target.texts.begin(), target.texts.end(),
                                [&](const SideFile& text) { return text.path == path; });
        if (ours) continue;
        SideFile file{std::move(path), {}};
        TRY_ASSIGN(file.content, base::read_file(fs, base::join(target.companions_from, name)));
        TRY(staging.write(file.path, file.content));
        add_written(manifest, file);
    }
    for (const SideFile& text : target.texts) {
        TRY(staging.write(text.path, text.content));
        add_written(manifest, text);
    }
    return {};
}

// What a worker tells in the end.
std::string shard_note(const Shard& shard, std::size_t files, bool published, std::uint32_t missing) {
    std::string then = published     ? "all are complete: the output is published"
                       : missing > 0 ? base::format("{} more to come", base::plural(missing, "shard"))
                                     : "another worker is publishing the output";
    return base::format("shard {}: {}; {}", shard.text(), base::plural(files, "file"), then);
}

// Of a tensor that is in reused files too, all values were cast again.
void add_losses(ConvertSummary& summary, const std::vector<CastReport>& reports) {
    std::set<std::string_view> tensors;
    for (const CastReport& report : reports) tensors.insert(report.tensor);
    std::erase_if(summary.losses, [&](const CastReport& known) { return tensors.contains(known.tensor); });
    summary.losses.insert(summary.losses.end(), reports.begin(), reports.end());
}

// The weights, and `with_side_files` what lies beside them.
Status write_files(Writing& run, StagedOutput& staging, bool with_side_files) {
    TRY_ASSIGN(Executed done,
               execute(run.target.plan, run.source.index, run.target.output, staging, run.fs, run.execution));
    TRY(run.guard.check());
    add_written(run.manifest, run.target.output, done);
    add_losses(run.summary, done.losses);
    if (with_side_files) TRY(write_side_files(run.fs, run.target, staging, run.manifest));
    return {};
}

std::uint64_t total_bytes(const std::vector<FinishedFile>& files) {
    std::uint64_t sum = 0;
    for (const FinishedFile& file : files) sum += file.file.bytes;
    return sum;
}

// Takes from what is to be written the files that a run has finished that was interrupted.
Status reuse_files(Writing& run, StagedOutput& staging) {
    TRY_ASSIGN(const auto reused, staging.reuse(run.execution.threads, run.execution.progress));
    std::set<std::string> paths;
    for (const FinishedFile& file : reused) {
        paths.insert(file.file.path);
        run.manifest.files.push_back(file.file);
        add_losses(run.summary, file.losses);
    }
    keep_files(run.target.plan, run.target.output, [&](const OutputFile& file) { return !paths.contains(file.path); });
    run.summary.reused_files = reused.size();
    run.summary.reused_bytes = total_bytes(reused);
    run.summary.notes.push_back(
        reused.empty()
            ? "no interrupted run has left a file to continue from"
            : base::format("reused {} of {} ({} of {}), proven by size and CRC-32, of a run that was "
                           "interrupted",
                           reused.size(), base::plural(run.summary.files.size(), "file"),
                           base::human_bytes(run.summary.reused_bytes), base::human_bytes(run.summary.written_bytes)));
    return {};
}

Status write_and_publish(Writing& run, StagedOutput& staging) {
    std::vector<base::PlannedFile> planned;
    for (const OutputFile& file : run.target.output.files) planned.push_back({file.path, file.bytes});
    if (!staging.is_complete()) {
        if (run.options.resume) TRY(reuse_files(run, staging));
        TRY(write_files(run, staging, true));
        TRY(staging.write(kManifestFile, manifest_text(run.manifest)));
    }
    return staging.commit(run.target.last, planned);
}

}  // namespace

Status write_whole(Writing run) {
    // The same output of the same files by the same program.
    const std::string conversion = base::format("{}.{}.{}", run.manifest.conversion, run.guard.state(), base::kVersion);
    const Unfinished unfinished = run.options.resume ? Unfinished::kept : Unfinished::removed;
    TRY_ASSIGN(StagedOutput staging, StagedOutput::begin(run.fs, run.options.save_dir, conversion, unfinished));
    run.summary.notes.insert(run.summary.notes.end(), staging.notes().begin(), staging.notes().end());
    Status written = write_and_publish(run, staging);
    if (written || !run.options.resume || staging.kept().empty()) return written;
    return base::fail_with_context(
        std::move(written).error(),
        base::format("{} ({}) are finished and stay in {}; the same command continues with them",
                     base::plural(staging.kept().size(), "file"), base::human_bytes(total_bytes(staging.kept())),
                     staging.path()));
}

Status write_shard(Writing run, const Shard& shard, const ShardSet& shards) {
    TRY_ASSIGN(const bool is_done, shards.is_done());
    if (is_done) {
        run.summary.notes.push_back(base::format("shard {} was complete already", shard.text()));
    } else {
        TRY_ASSIGN(StagedOutput staging, shards.begin());
        TRY(write_files(run, staging, shard.is_first()));
        TRY(shards.finish(staging, run.manifest, run.target.last));
    }
    TRY_ASSIGN(const bool published, shards.publish_if_complete());
    TRY_ASSIGN(const std::uint32_t missing, shards.missing());
    run.summary.notes.push_back(shard_note(shard, run.target.output.files.size(), published, missing));
    return {};
}

}  // namespace ckpt
