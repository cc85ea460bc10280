#include "ckpt_convert/execute/file_digests.h"

#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/execute/git_blob.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {

FileDigests::FileDigests(const std::vector<KnownSum>& sums, std::uint64_t bytes) : sums_(sums), bytes_(bytes) {
    if (wants(SumKind::sha256) || wants(SumKind::git_blob_or_lfs)) sha256_.emplace();
    if (wants(SumKind::git_blob) || wants(SumKind::git_blob_or_lfs)) {
        git_blob_.emplace();
        git_blob_->add(git_blob_header(bytes));
    }
}

std::optional<std::string> FileDigests::misfit_of(const KnownSum& sum, const std::string& crc,
                                                  const std::string& sha256, const std::string& blob) const {
    switch (sum.kind) {
        case SumKind::crc32: return crc == sum.digits ? std::nullopt : std::optional("its CRC-32 is " + crc);
        case SumKind::sha256: return sha256 == sum.digits ? std::nullopt : std::optional("its SHA-256 is " + sha256);
        case SumKind::git_blob_or_lfs:
            if (lfs_pointer_sha1(sha256, bytes_) == sum.digits) return std::nullopt;
            [[fallthrough]];
        case SumKind::git_blob: break;
    }
    return blob == sum.digits ? std::nullopt : std::optional("git names its content " + blob);
}

bool FileDigests::wants(SumKind kind) const {
    return std::any_of(sums_.begin(), sums_.end(), [&](const KnownSum& sum) { return sum.kind == kind; });
}

void FileDigests::add(base::ByteSpan bytes) {
    crc32_ = crc32(bytes, crc32_);
    if (sha256_) sha256_->add(base::as_text(bytes));
    if (git_blob_) git_blob_->add(base::as_text(bytes));
}

std::vector<std::optional<std::string>> FileDigests::finish() {
    const std::string crc = base::format("{:08x}", crc32_);
    const std::string sha256 = sha256_ ? sha256_->finish_hex() : "";
    const std::string blob = git_blob_ ? git_blob_->finish_hex() : "";
    std::vector<std::optional<std::string>> out;
    for (const KnownSum& sum : sums_) {
        auto& misfit = out.emplace_back();
        if (sum.bytes && *sum.bytes != bytes_) {
            misfit = base::format("it has {} bytes, but {} says {}", bytes_, sum.record, *sum.bytes);
        } else if (auto found = misfit_of(sum, crc, sha256, blob)) {
            misfit = base::format("{}, but {} says {}", *found, sum.record, sum.digits);
        }
    }
    return out;
}

}  // namespace ckpt
