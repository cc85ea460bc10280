// FileDigests: works out of a file's bytes the checksums that somebody knows of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/sha1.h"
#include "base/sha256.h"
#include "ckpt_convert/execute/known_sums.h"

namespace ckpt {

class FileDigests {
public:
    // `bytes`: of the whole file. The sums must outlive this.
    FileDigests(const std::vector<KnownSum>& sums, std::uint64_t bytes);

    // All bytes of the file, in order.
    void add(base::ByteSpan bytes);

    // For each sum nothing when it fits, else why not: "its SHA-256 is 9f86..., but the git clone says 2c26...".
    std::vector<std::optional<std::string>> finish();

private:
    bool wants(SumKind kind) const;
    std::optional<std::string> misfit_of(const KnownSum& sum, const std::string& crc, const std::string& sha256,
                                         const std::string& blob) const;

    const std::vector<KnownSum>& sums_;
    std::uint64_t bytes_;
    std::uint32_t crc32_ = 0;
    std::optional<base::Sha256> sha256_;
    std::optional<base::Sha1> git_blob_;
};

}  // namespace ckpt
