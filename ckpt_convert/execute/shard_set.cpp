#include "ckpt_convert/execute/shard_set.h"

#include <algorithm>
#include <charconv>
#include <random>

#include "base/format.h"
#include "base/json.h"
#include "base/json_object.h"
#include "base/json_writer.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Path;
using base::Result;
using base::Status;

constexpr const char* kDone = "done";
constexpr const char* kClaim = "claim";
constexpr const char* kWhole = "whole";
constexpr const char* kMarker = "marker.json";
constexpr const char* kSchema = "conversion-shard/1";

struct DoneFile {
    std::string path;
    std::uint64_t bytes = 0;
};

// A file below done/.
struct Done {
    Shard shard;
    std::string conversion;
    std::string attempt;  // the directory of the files
    std::vector<DoneFile> files;
    std::vector<std::string> last;
};

Path shards_of(const Path& directory) { return base::join(directory, kShardStaging); }

std::string done_name(const Shard& shard) { return base::format("{}-of-{}.json", shard.number, shard.count); }

std::string hexadecimal(std::uint64_t number) { return base::format("{:016x}", number); }

std::string to_text(const Done& done) {
    base::JsonWriter json(1);
    json.begin_object().key("schema").string(kSchema).key("conversion").string(done.conversion);
    json.key("shard").unsigned_integer(done.shard.number).key("shards").unsigned_integer(done.shard.count);
    json.key("attempt").string(done.attempt).key("files").begin_array();
    for (const DoneFile& file : done.files)
        json.begin_object().key("path").string(file.path).key("bytes").unsigned_integer(file.bytes).end_object();
    json.end_array().key("last").begin_array();
    for (const std::string& name : done.last) json.string(name);
    json.end_array().end_object();
    return std::move(json).take() + "\n";
}

Result<Done> read_done(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(std::string text, base::read_file(fs, path));
    TRY_ASSIGN(base::JsonDocument document, base::parse_json(text, path));
    TRY_ASSIGN(auto object, base::JsonObject::of(document, document.root, ErrorKind::bad_input));
    Done out;
    TRY_ASSIGN(std::string schema, object.string("schema"));
    if (schema != kSchema) return object.error(base::format("\"schema\" must be \"{}\"", kSchema));
    TRY_ASSIGN(out.conversion, object.string("conversion"));
    TRY_ASSIGN(std::int64_t number, object.integer("shard"));
    TRY_ASSIGN(std::int64_t count, object.integer("shards"));
    if (number < 1 || number > count || count > UINT32_MAX) return object.error("\"shard\" is none of \"shards\"");
    out.shard = {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(count)};
    TRY_ASSIGN(out.attempt, object.string("attempt"));
    TRY_ASSIGN(const base::Json* files, object.required("files"));
    if (files->array() == nullptr) return object.error(*files, "\"files\" must be a list");
    for (const base::Json& json : *files->array()) {
        TRY_ASSIGN(auto file, base::JsonObject::of(document, json, ErrorKind::bad_input));
        TRY_ASSIGN(std::string name, file.string("path"));
        TRY_ASSIGN(std::int64_t bytes, file.integer("bytes"));
        out.files.push_back({std::move(name), static_cast<std::uint64_t>(bytes)});
    }
    TRY_ASSIGN(out.last, object.strings("last"));
    return out;
}

// What is done, by any worker.
Result<std::vector<Done>> read_all(base::FileSystem& fs, const Path& directory) {
    std::vector<Done> out;
    Path done = base::join(shards_of(directory), kDone);
    if (!fs.exists(done)) return out;
    TRY_ASSIGN(auto entries, fs.list(done));
    for (const auto& entry : entries) {
        TRY_ASSIGN(Done found, read_done(fs, base::join(done, entry.name)));
        out.push_back(std::move(found));
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

// A file with as many bytes as it should have.
bool is_whole(base::FileSystem& fs, const Path& path, std::uint64_t bytes) {
    if (!fs.exists(path)) return false;
    auto info = fs.info(path);
    return info && info->bytes == bytes;
}

// Moves the files of all workers below one directory. What a killed run has moved already stays where it is.
Status gather(base::FileSystem& fs, const Path& directory, const std::vector<Done>& all) {
    Path shards = shards_of(directory), whole = base::join(shards, kWhole);
    for (const Done& done : all) {
        for (const DoneFile& file : done.files) {
            Path from = base::join(base::join(shards, done.attempt), file.path), to = base::join(whole, file.path);
            if (is_whole(fs, from, file.bytes)) {
                TRY(fs.make_directories(base::parent(to)));
                TRY(fs.rename(from, to));
            } else if (!is_whole(fs, to, file.bytes) && !is_whole(fs, base::join(directory, file.path), file.bytes)) {
                return base::fail(ErrorKind::bad_input,
                                  base::format("{} of shard {} is not as its worker left it; remove {} and run that "
                                               "worker again",
                                               file.path, done.shard.text(),
                                               base::join(base::join(shards, kDone), done_name(done.shard))),
                                  from);
            }
        }
    }
    return fs.make_directories(whole);
}

}  // namespace

Result<ShardSet> ShardSet::open(base::FileSystem& fs, const Path& directory, const Shard& shard,
                                std::uint64_t conversion) {
    TRY(require_empty_directory(fs, directory, kShardStaging));
    TRY_ASSIGN(auto all, read_all(fs, directory));
    for (const Done& done : all) {
        if (done.conversion != hexadecimal(conversion) || done.shard.count != shard.count) return of_another(directory);
    }
    return ShardSet(fs, directory, shard, conversion);
}

bool ShardSet::is_done() const {
    return fs_->exists(base::join(base::join(shards_of(directory_), kDone), done_name(shard_)));
}

Result<StagedOutput> ShardSet::begin() const {
    std::random_device random;
    std::uint64_t token = (std::uint64_t{random()} << 32) | random();
    return StagedOutput::begin_part(
        *fs_, directory_, base::join(kShardStaging, base::format("part-{}.{}", shard_.number, hexadecimal(token))));
}

Status ShardSet::finish(StagedOutput& staging, const std::vector<std::string>& files,
                        const std::vector<std::string>& last) const {
    TRY_ASSIGN(Path marker, staging.path_for(kMarker));
    Done done{shard_, hexadecimal(conversion_), std::string(base::file_name(base::parent(marker))), {}, last};
    for (const std::string& file : files) {
        TRY_ASSIGN(Path path, staging.path_for(file));
        TRY_ASSIGN(auto info, fs_->info(path));
        done.files.push_back({file, info.bytes});
    }
    TRY(base::write_file_atomically(*fs_, marker, to_text(done)));
    Path all = base::join(shards_of(directory_), kDone);
    TRY(fs_->make_directories(all));
    TRY(fs_->rename(marker, base::join(all, done_name(shard_))));
    staging.keep();
    return fs_->sync_directory(all);
}

std::uint32_t ShardSet::missing() const {
    std::uint32_t count = 0;
    for (std::uint32_t number = 1; number <= shard_.count; ++number)
        count += !fs_->exists(base::join(base::join(shards_of(directory_), kDone), done_name({number, shard_.count})));
    return count;
}

Result<bool> ShardSet::publish_if_complete() const {
    if (missing() > 0) return false;
    // Of several workers that get here at once, one can make the link.
    if (!fs_->make_link(hexadecimal(conversion_), base::join(shards_of(directory_), kClaim))) return false;
    TRY(publish_shards(*fs_, directory_));
    return true;
}

Result<std::size_t> publish_shards(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(auto all, read_all(fs, directory));
    if (all.empty()) {
        return base::fail(ErrorKind::usage, "there is nothing of workers here (ckpt_convert --shard I/N)", directory);
    }
    std::vector<bool> found(all.front().shard.count, false);
    std::size_t files = 0;
    for (const Done& done : all) {
        if (done.conversion != all.front().conversion || done.shard.count != all.front().shard.count)
            return of_another(directory);
        found[done.shard.number - 1] = true;
        files += done.files.size();
    }
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!found[i]) missing.push_back(std::to_string(i + 1));
    }
    if (!missing.empty()) {
        return base::fail(ErrorKind::usage,
                          base::format("of {} shards {} are missing: {}; run their workers again", found.size(),
                                       missing.size(), base::joined(missing, ", ")),
                          directory);
    }
    TRY(gather(fs, directory, all));
    TRY(publish_directory(fs, base::join(shards_of(directory), kWhole), directory, all.front().last));
    // In one step: half a list of what is done would look like missing shards.
    TRY(fs.rename(base::join(shards_of(directory), kDone), base::join(shards_of(directory), kWhole)));
    TRY(base::remove_tree(fs, shards_of(directory)));
    return files;
}

}  // namespace ckpt
