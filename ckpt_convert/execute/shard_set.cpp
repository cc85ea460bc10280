#include "ckpt_convert/execute/shard_set.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "base/random.h"
#include "base/write_file.h"

namespace ckpt {
namespace {

constexpr const char* kDone = "done";
constexpr const char* kClaim = "claim";
constexpr const char* kWhole = "whole";
constexpr const char* kPublished = "published";
constexpr const char* kMarker = "marker.json";

// A file below done/.
struct Done {
    Shard shard;
    std::string conversion;
    std::string attempt;  // the directory of the files
    Manifest manifest;    // of its files
    std::vector<std::string> last;
    SchemaName<"conversion-shard/1"> schema{};

    Status check(const base::JsonPlace& at) const {
        const bool is_one = shard.number >= 1 && shard.number <= shard.count;
        return is_one ? Status() : at.error("\"shard\" is not one of \"shards\"");
    }
};
constexpr auto record_of(const Done*) {
    using base::field;
    return base::record("done", "what a worker has written",
                        field("schema", &Done::schema, "what the file is").always(),
                        field("conversion", &Done::conversion, "other digits for any other output").always(),
                        field(
                            "shard", [](auto& of) -> auto& { return of.shard.number; }, "from 1")
                            .always(),
                        field(
                            "shards", [](auto& of) -> auto& { return of.shard.count; }, "how many there are")
                            .always(),
                        field("attempt", &Done::attempt, "the directory of the files").always(),
                        field("manifest", &Done::manifest, "of its files").always(),
                        field("last", &Done::last, "files that make the output visible").always());
}

Path shards_of(const Path& directory) { return base::join(directory, kShardStaging); }

std::string done_name(const Shard& shard) { return base::format("{}-of-{}.json", shard.number, shard.count); }

std::string to_text(const Done& done) {
    base::JsonWriter json(1);
    base::InJson<Done>::write(json, done);
    return std::move(json).take() + "\n";
}

Result<Done> read_done(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(const std::string text, base::read_file(fs, path));
    TRY_ASSIGN(const JsonDocument document, base::parse_json(text, path));
    return read_note<Done>(document);
}

// What is done, by any worker.
Result<std::vector<Done>> read_all(base::FileSystem& fs, const Path& directory) {
    std::vector<Done> out;
    const Path done = base::join(shards_of(directory), kDone);
    TRY_ASSIGN(const auto entries, base::list_if_there(fs, done));
    for (const auto& entry : entries) {
        const Path path = base::join(done, entry.name);
        auto found = read_done(fs, path);
        // Another worker may have published all of it at this moment.
        if (!found && !fs.exists(path)) continue;
        TRY(found);
        out.push_back(std::move(*found));
    }
    return out;
}

tl::unexpected<base::Error> of_another(const Path& directory) {
    return base::fail(ErrorKind::usage,
                      base::format("workers with other options, another input or another number of shards wrote here; "
                                   "give all of them the same command line, or remove {}",
                                   shards_of(directory)),
                      directory);
}

Result<bool> is_published(base::FileSystem& fs, const Path& directory) {
    return base::is_there(fs, base::join(shards_of(directory), kPublished));
}

// A file with as many bytes as it should have.
Result<bool> is_whole(base::FileSystem& fs, const Path& path, std::uint64_t bytes) {
    TRY_ASSIGN(const bool is_there, base::is_there(fs, path));
    if (!is_there) return false;
    TRY_ASSIGN(const base::FileInfo info, fs.info(path));
    return info.bytes == bytes;
}

// Moves the files of all workers below one directory. What a killed run has moved already stays where it is.
Status gather(base::FileSystem& fs, const Path& directory, const std::vector<Done>& all) {
    Path shards = shards_of(directory), whole = base::join(shards, kWhole);
    for (const Done& done : all) {
        for (const ManifestFile& file : done.manifest.files) {
            Path from = base::join(base::join(shards, done.attempt), file.path), to = base::join(whole, file.path);
            TRY_ASSIGN(const bool is_in_part, is_whole(fs, from, file.bytes));
            TRY_ASSIGN(const bool is_moved, is_whole(fs, to, file.bytes));
            TRY_ASSIGN(const bool is_in_place, is_whole(fs, base::join(directory, file.path), file.bytes));
            if (is_in_part) {
                TRY(fs.make_directories(base::parent(to)));
                TRY(fs.rename(from, to));
            } else if (!is_moved && !is_in_place) {
                return base::fail(
                    ErrorKind::bad_input,
                    base::format(
                        "{} of shard {} has changed since its worker wrote it; remove {} and run that worker again",
                        file.path, done.shard.text(), base::join(base::join(shards, kDone), done_name(done.shard))),
                    from);
            }
        }
    }
    return fs.make_directories(whole);
}

// All shards of one conversion.
Status require_all(const Path& directory, const std::vector<Done>& all) {
    if (all.empty())
        return base::fail(ErrorKind::usage, "no worker has written here (ckpt_convert --shard I/N)", directory);
    std::vector<bool> found(all.front().shard.count, false);
    for (const Done& done : all) {
        if (done.conversion != all.front().conversion || done.shard.count != all.front().shard.count)
            return of_another(directory);
        found[done.shard.number - 1] = true;
    }
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i]) missing.push_back(std::to_string(i + 1));
    }
    if (missing.empty()) return {};
    return base::fail(ErrorKind::usage,
                      base::format("of {} shards {} are missing: {}; run their workers again", found.size(),
                                   missing.size(), base::joined(missing, ", ")),
                      directory);
}

// A run that had published the output died before the last step of cleaning up. Where there is no output, an empty directory
// is that of a worker that begins at this moment.
Status remove_if_over(base::FileSystem& fs, const Path& directory) {
    const Path shards = shards_of(directory);
    TRY_ASSIGN(const bool has_shards, base::is_there(fs, shards));
    if (!has_shards) return {};
    TRY_ASSIGN(const auto output, base::list_if_there(fs, directory));
    TRY_ASSIGN(const auto entries, base::list_if_there(fs, shards));
    const bool is_left =
        std::all_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.name == kClaim; });
    return output.size() > 1 && is_left ? base::remove_tree(fs, shards) : Status{};
}

// Another run of the same shard may have been the last one that was needed, and have removed what workers had left. Every
// published output has a manifest; one that is being published has done/ as well.
Status require_unpublished(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(const bool has_output, base::is_there(fs, base::join(directory, kManifestFile)));
    TRY_ASSIGN(const bool is_left, is_published(fs, directory));
    TRY_ASSIGN(const bool has_done, base::is_there(fs, base::join(shards_of(directory), kDone)));
    if (!has_output || is_left || has_done) return {};
    return base::fail(ErrorKind::usage, "another run of this shard has published the output; nothing is left to do",
                      directory);
}

}  // namespace

Result<ShardSet> ShardSet::open(base::FileSystem& fs, const Path& directory, const Shard& shard,
                                std::uint64_t conversion) {
    TRY(remove_if_over(fs, directory));
    TRY(require_shards_only(fs, directory));
    TRY_ASSIGN(auto all, read_all(fs, directory));
    for (const Done& done : all) {
        if (done.conversion != base::hexadecimal(conversion) || done.shard.count != shard.count)
            return of_another(directory);
    }
    return ShardSet(fs, directory, shard, conversion);
}

Result<bool> ShardSet::is_done() const {
    TRY_ASSIGN(const bool is_over, is_published(*fs_, directory_));
    if (is_over) return true;
    return base::is_there(*fs_, base::join(base::join(shards_of(directory_), kDone), done_name(shard_)));
}

Result<StagedOutput> ShardSet::begin() const {
    TRY_ASSIGN(const std::string digits, base::random_digits());
    TRY_ASSIGN(auto staging,
               StagedOutput::begin_part(*fs_, directory_,
                                        base::join(kShardStaging, base::format("part-{}.{}", shard_.number, digits))));
    TRY(require_unpublished(*fs_, directory_));
    return staging;
}

Status ShardSet::finish(StagedOutput& staging, const Manifest& manifest, const std::vector<std::string>& last) const {
    const Done done{shard_, base::hexadecimal(conversion_), std::string(base::file_name(staging.path())), manifest,
                    last};
    TRY(staging.write(kMarker, to_text(done)));
    TRY(require_unpublished(*fs_, directory_));
    Path all = base::join(shards_of(directory_), kDone);
    // Where another run publishes and removes all of it at this moment, nothing of it is made again.
    TRY_ASSIGN(auto made, base::NewDirectories::make(*fs_, all));
    TRY(fs_->rename(base::join(staging.path(), kMarker), base::join(all, done_name(shard_))));
    made.keep();
    staging.keep();
    return fs_->sync_directory(all);
}

Result<std::uint32_t> ShardSet::missing() const {
    TRY_ASSIGN(const bool is_over, is_published(*fs_, directory_));
    if (is_over) return std::uint32_t{0};
    const Path all = base::join(shards_of(directory_), kDone);
    std::uint32_t count = 0;
    for (std::uint32_t number = 1; number <= shard_.count; ++number) {
        TRY_ASSIGN(const bool is_done, base::is_there(*fs_, base::join(all, done_name({number, shard_.count}))));
        count += !is_done;
    }
    return count;
}

namespace {

// nullptr: another worker has it, or has published all of it.
Result<std::unique_ptr<base::LockedFile>> claim(base::FileSystem& fs, const Path& directory) {
    auto claimed = fs.lock(base::join(shards_of(directory), kClaim));
    if (!claimed && !fs.exists(shards_of(directory))) return std::unique_ptr<base::LockedFile>();
    return claimed;
}

// Of an output that is published. What says so goes last.
Status remove_rest(base::FileSystem& fs, const Path& directory) {
    const Path shards = shards_of(directory);
    TRY_ASSIGN(const auto entries, base::list_if_there(fs, shards));
    for (const auto& entry : entries) {
        if (entry.name != kPublished) TRY(base::remove_tree(fs, base::join(shards, entry.name)));
    }
    return base::remove_tree(fs, shards);
}

// Whether a run that published all died while it removed what says so: nothing but the claim is left beside its manifest.
Result<bool> is_last_rest(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(const auto entries, base::list_if_there(fs, shards_of(directory)));
    TRY_ASSIGN(const bool has_manifest, base::is_there(fs, base::join(directory, kManifestFile)));
    return has_manifest &&
           std::all_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.name == kClaim; });
}

// Of all shards, among the files that are published.
Status write_joined_manifest(base::FileSystem& fs, const Path& whole, const std::vector<Done>& all) {
    Manifest joined = all.front().manifest;
    joined.files.clear();
    for (const Done& done : all)
        joined.files.insert(joined.files.end(), done.manifest.files.begin(), done.manifest.files.end());
    return base::write_file(fs, base::join(whole, kManifestFile), manifest_text(joined));
}

// By the one that has the claim.
Result<std::size_t> publish_claimed(base::FileSystem& fs, const Path& directory) {
    Path shards = shards_of(directory);
    TRY_ASSIGN(const bool is_over, is_published(fs, directory));
    TRY_ASSIGN(const bool is_rest, is_last_rest(fs, directory));
    if (is_over || is_rest) {
        TRY(remove_rest(fs, directory));
        return std::size_t{0};
    }
    TRY_ASSIGN(auto all, read_all(fs, directory));
    TRY(require_all(directory, all));
    TRY(gather(fs, directory, all));
    Path whole = base::join(shards, kWhole);
    TRY_ASSIGN(const bool has_manifest, base::is_there(fs, base::join(directory, kManifestFile)));
    if (!has_manifest) TRY(write_joined_manifest(fs, whole, all));
    TRY_ASSIGN(const auto entries, base::entries_to_publish(fs, whole, all.front().last));
    TRY(publish(fs, whole, directory, entries, all.front().last));
    std::vector<base::PlannedFile> planned;
    for (const Done& done : all) {
        for (const ManifestFile& file : done.manifest.files) planned.push_back({file.path, file.bytes});
    }
    TRY(base::check_files(fs, directory, {}, planned));
    // In one step: half a list of what is done would look like missing shards.
    TRY(fs.rename(base::join(shards, kDone), base::join(shards, kPublished)));
    // The output is whole. What cannot be removed now, the next run removes.
    static_cast<void>(remove_rest(fs, directory).has_value());
    return planned.size();
}

}  // namespace

Result<bool> ShardSet::publish_if_complete() const {
    TRY_ASSIGN(const std::uint32_t to_come, missing());
    if (to_come > 0) return false;
    TRY_ASSIGN(const auto claimed, claim(*fs_, directory_));
    if (claimed == nullptr) return false;
    TRY_ASSIGN(const std::uint32_t gone, missing());
    if (gone > 0) {  // it was published meanwhile, and the claim is one on what is left
        TRY(remove_rest(*fs_, directory_));
        return false;
    }
    TRY(publish_claimed(*fs_, directory_));
    return true;
}

Result<std::size_t> publish_shards(base::FileSystem& fs, const Path& directory) {
    if (!fs.exists(shards_of(directory)))
        return base::fail(ErrorKind::usage, "no worker has written here (ckpt_convert --shard I/N)", directory);
    TRY_ASSIGN(const auto claimed, claim(fs, directory));
    if (claimed == nullptr)
        return base::fail(ErrorKind::usage, "a worker is publishing the output; wait for it", directory);
    return publish_claimed(fs, directory);
}

}  // namespace ckpt
