// ZeroFiles: files that DeepSpeed wrote with torch.save, and their places in the checkpoint that is being read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"

namespace ckpt {

struct OpenedFile {
    std::string name;
    std::shared_ptr<const TorchFile> content;
};

class ZeroFiles {
public:
    // `out`: gets the names of files.
    ZeroFiles(base::FileSystem& fs, ShardedCheckpoint& out) : fs_(fs), out_(out) {}

    bool exists(const std::string& name) const { return fs_.exists(base::join(out_.directory, name)); }
    Result<OpenedFile> open(const std::string& name) const;
    // Of a file in the content of the checkpoint.
    std::uint32_t number(const std::string& name);
    const std::string& name(std::uint32_t number) const { return out_.content.files[number]; }
    // A whole number, or a tensor without axes; nullopt of anything else.
    Result<std::optional<double>> step(const OpenedFile& file, pickle::Ref value) const;
    // Of a vector in a file. Fails with unsupported for a view with gaps.
    Result<FlatShare> share(const OpenedFile& file, const TorchTensor& vector);
    tl::unexpected<base::Error> bad(std::string message, const std::string& name) const;
    Path path(const std::string& name) const { return base::join(out_.directory, name); }

private:
    base::FileSystem& fs_;
    ShardedCheckpoint& out_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

// "optimizer.state.WEIGHT.MOMENT"
TorchDistTensor state_of_weight(TorchDistTensor weight, std::string_view moment);

}  // namespace ckpt
