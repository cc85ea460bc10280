#include "ckpt_convert/execute/known_sums.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "base/git_directory.h"
#include "base/git_index.h"
#include "base/text.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/execute/git_blob.h"
#include "ckpt_convert/execute/manifest.h"

namespace ckpt {
namespace {

constexpr std::size_t kSha256Digits = 64;
constexpr std::size_t kSha1Digits = 40;
constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::uint64_t kMaxRecordBytes = 4096;
constexpr std::string_view kRecordEnding = ".metadata";

std::optional<SumKind> kind_of_etag(std::string_view etag) {
    bool digits =
        std::all_of(etag.begin(), etag.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    if (digits && etag.size() == kSha256Digits) return SumKind::sha256;
    if (digits && etag.size() == kSha1Digits) return SumKind::git_blob;
    return std::nullopt;
}

bool leads_out(std::string_view path) {
    if (path.starts_with('/')) return true;
    for (std::string_view part : base::split(path, '/')) {
        if (part == "..") return true;
    }
    return false;
}

class Finder {
public:
    Finder(base::FileSystem& fs, const Path& directory, const Path& weights)
        : fs_(fs), directory_(directory), weights_(weights) {}

    Result<KnownSums> find() {
        TRY(add_manifest(directory_));
        // Of an iteration's directory, which was converted as a part of the checkpoint.
        if (out_.files.empty()) TRY(add_manifest(base::parent(directory_)));
        for (const char* folder : {".cache/huggingface/download", ".huggingface/download"})
            TRY(add_downloads(base::join(directory_, folder)));
        TRY(add_blobs());
        add_clone();
        return std::move(out_);
    }

private:
    // False when there is no such file.
    bool add(const Path& path, KnownSum sum) {
        auto real = fs_.real_path(path);
        if (!real) return false;
        out_.files[*real].push_back(std::move(sum));
        return true;
    }

    Status add_manifest(const Path& root) {
        Path path = base::join(root, kManifestFile);
        if (!fs_.exists(path)) return {};
        TRY_ASSIGN(Manifest manifest, read_manifest(fs_, path));
        TRY_ASSIGN(auto info, fs_.info(path));
        for (const ManifestFile& file : manifest.files) {
            if (leads_out(file.path)) {
                return base::fail(ErrorKind::bad_input, "the manifest lists a file outside of its directory", path);
            }
            if (of_another_iteration(root, file.path)) continue;
            KnownSum sum{SumKind::crc32, base::format("{:08x}", file.crc32.value), kManifestFile, info.modified,
                         file.bytes};
            if (!add(base::join(root, file.path), std::move(sum))) out_.missing.push_back(file.path);
        }
        return {};
    }

    // Training may have gone on in the same directory, and what it began with may be gone.
    bool of_another_iteration(const Path& root, std::string_view path) {
        const std::size_t slash = path.find('/');
        const std::string folder(path.substr(0, slash));
        if (slash == path.npos || folder == base::file_name(weights_)) return false;
        auto [known, fresh] = iterations_.emplace(folder, false);
        if (fresh) {
            const Path place = base::join(root, folder);
            known->second = !fs_.exists(place) || is_megatron_checkpoint(fs_, place);
        }
        return known->second;
    }

    // The records lie in folders as the files do.
    Status add_downloads(const Path& records) {
        std::vector<Path> open{""};
        while (!open.empty() && fs_.exists(records)) {
            Path folder = std::move(open.back());
            open.pop_back();
            TRY_ASSIGN(auto entries, fs_.list(base::join(records, folder)));
            for (const auto& entry : entries) {
                Path relative = base::join(folder, entry.name);
                if (entry.kind == FileKind::directory) open.push_back(relative);
                else if (entry.kind == FileKind::regular && entry.name.ends_with(kRecordEnding))
                    add_download(records, relative);
            }
        }
        return {};
    }

    void add_download(const Path& records, const Path& relative) {
        auto text = base::read_file(fs_, base::join(records, relative), kMaxRecordBytes);
        if (!text) return;  // huggingface_hub passes over a record that it cannot read, too
        auto lines = base::split(*text, '\n');
        auto kind = lines.size() == 3 ? kind_of_etag(lines[1]) : std::nullopt;
        if (!kind) return;
        std::int64_t seconds = 0;
        std::from_chars(lines[2].data(), lines[2].data() + lines[2].size(), seconds);
        add(base::join(directory_, relative.substr(0, relative.size() - kRecordEnding.size())),
            {*kind, std::string(lines[1]), "the download by huggingface_hub", (seconds + 1) * kNanoseconds, {}});
    }

    Status add_blobs() {
        TRY_ASSIGN(auto entries, fs_.list(directory_));
        for (const auto& entry : entries) {
            if (entry.kind != FileKind::symlink) continue;
            Path path = base::join(directory_, entry.name);
            TRY_ASSIGN(Path blob, fs_.read_link(path));
            auto kind = kind_of_etag(base::file_name(blob));
            if (!kind || base::file_name(base::parent(blob)) != "blobs") continue;
            // Nobody changes a blob.
            add(path, {*kind, std::string(base::file_name(blob)), "the cache of huggingface_hub", INT64_MAX, {}});
        }
        return {};
    }

    // The clone that the directory is in, if it is in one.
    void add_clone() {
        constexpr int kMostLevels = 8;
        const auto root = fs_.real_path(directory_);
        if (!root) return;
        Path tree = *root;
        auto git = base::git_directory(fs_, tree);
        for (int level = 1; level < kMostLevels && !git; ++level)
            git = base::git_directory(fs_, tree = base::parent(tree));
        const auto info = git ? fs_.look(base::join(*git, "index")) : std::nullopt;
        const auto index = base::read_git_index(fs_, tree);
        if (!info || !*info || !index || !*index) return;
        const Path way = tree == *root ? "" : root->substr(base::join(tree, "").size());
        const auto below = (*index)->find_path(way);
        if (!below) return;
        (*index)->for_each_file(*below, [&](const Path& path, const std::string& object) {
            if (object.size() != kSha1Digits) return;
            add(base::join(*root, path), {SumKind::git_blob_or_lfs, object, "the git clone", (*info)->modified, {}});
        });
    }

    base::FileSystem& fs_;
    const Path& directory_;
    const Path& weights_;
    std::map<std::string, bool> iterations_;  // folders of the manifest: whether they are of others
    KnownSums out_;
};

}  // namespace

Result<KnownSums> find_known_sums(base::FileSystem& fs, const Path& directory, const Path& weights) {
    return Finder(fs, directory, weights).find();
}

}  // namespace ckpt
