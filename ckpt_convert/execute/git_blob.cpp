#include "ckpt_convert/execute/git_blob.h"

#include "base/format.h"
#include "base/sha1.h"

namespace ckpt {

std::string git_blob_header(std::uint64_t bytes) {
    std::string out = base::format("blob {}", bytes);
    out += '\0';
    return out;
}

std::string lfs_pointer_sha1(const std::string& sha256, std::uint64_t bytes) {
    std::string pointer =
        base::format("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n", sha256, bytes);
    base::Sha1 hash;
    hash.add(git_blob_header(pointer.size()));
    hash.add(pointer);
    return hash.finish_hex();
}

}  // namespace ckpt
