#include "ckpt_convert/checkpoint/source_guard.h"

#include "base/format.h"
#include "base/sha256.h"
#include "ckpt_convert/checkpoint/zeros.h"

namespace ckpt {
namespace {

tl::unexpected<base::Error> changed(const Path& path) {
    return base::fail(ErrorKind::bad_input,
                      "the file was changed while it was read, so nothing was published; run the command again when "
                      "nothing writes to it",
                      path);
}

bool same(const base::FileInfo& a, const base::FileInfo& b) {
    return a.bytes == b.bytes && a.modified == b.modified && a.inode == b.inode && a.device == b.device;
}

}  // namespace

Result<SourceGuard> SourceGuard::of(base::FileSystem& fs, const TensorIndex& index) {
    SourceGuard guard(fs);
    for (const auto& file : index.files) {
        if (is_zeros(*file)) continue;
        TRY_ASSIGN(base::FileInfo info, fs.info(file->path()));
        if (info.bytes != file->size()) return changed(file->path());
        guard.files_.emplace_back(file->path(), info);
    }
    return guard;
}

std::string SourceGuard::state() const {
    std::string all;
    for (const auto& [path, info] : files_)
        all += base::format("{} {} {} {} {}\n", path, info.bytes, info.modified, info.inode, info.device);
    return base::sha256_hex(all);
}

Status SourceGuard::check() const {
    for (const auto& [path, before] : files_) {
        auto now = fs_->info(path);
        if (!now || !same(*now, before)) return changed(path);
    }
    return {};
}

}  // namespace ckpt
