#include "ckpt_convert/checkpoint/mindspore_checkpoint.h"

#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"

namespace ckpt {
namespace {

constexpr const char* kHfIndex = "model.safetensors.index.json";
constexpr std::uint64_t kMaxMapBytes = 256ull << 20;

// Names of moments: their beginning here, and what PyTorch calls them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kMomentFronts{
    {{"adam_m.", "exp_avg"}, {"adam_v.", "exp_avg_sq"}}};

using TensorsOfFile = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;

Result<TensorsOfFile> read_name_map(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(std::string text, base::read_file(fs, path, kMaxMapBytes));
    TRY_ASSIGN(const JsonDocument document, base::parse_json(text, path));
    const Json* inner = document.root.find("weight_map");
    const auto* places = (inner == nullptr ? document.root : *inner).object();
    if (places == nullptr) return base::fail(ErrorKind::bad_input, "the file does not map names to files", path);
    TensorsOfFile out;
    for (const auto& [tensor, file] : *places) {
        const std::string* name = file.string();
        if (name == nullptr || name->empty() || name->find('/') != name->npos)
            return base::fail(ErrorKind::bad_input,
                              base::format("\"{}\" must name a file in the same directory", tensor),
                              document.where(file));
        out[*name].insert(tensor);
    }
    return out;
}

// A weight, or a moment with the name that PyTorch gives it.
TorchDistTensor tensor_of(const SafetensorsEntry& entry, std::uint32_t file) {
    TorchDistTensor out{entry.name, entry.dtype, entry.shape, {}, {"model", entry.name}};
    for (const auto& [front, what] : kMomentFronts) {
        if (!entry.name.starts_with(front)) continue;
        const std::string weight = entry.name.substr(front.size());
        out.fqn = base::format("optimizer.state.{}.{}", weight, what);
        out.path = {"optimizer", "state", weight, std::string(what)};
    }
    out.chunks.push_back(
        {Shape(entry.shape.size(), 0), entry.shape, file, entry.offset, row_major_strides(entry.shape)});
    return out;
}

}  // namespace

bool is_name_map(std::string_view file) { return file == kNameMapFile; }

bool is_mindspore_checkpoint(base::FileSystem& fs, const Path& directory) {
    return fs.exists(base::join(directory, kNameMapFile)) && !fs.exists(base::join(directory, kHfIndex));
}

Result<ShardedCheckpoint> open_mindspore(base::FileSystem& fs, const Path& directory) {
    ShardedCheckpoint out;
    out.format = "safetensors of MindSpore";
    out.directory = directory;
    TRY_ASSIGN(const TensorsOfFile files, read_name_map(fs, base::join(directory, kNameMapFile)));
    for (const auto& [name, expected] : files) {
        const Path path = base::join(directory, name);
        if (!fs.exists(path))
            return base::fail(ErrorKind::bad_input,
                              base::format("the file is missing, although {} lists tensors in it", kNameMapFile), path);
        TRY_ASSIGN(const auto file, fs.open(path));
        TRY(reject_placeholder(*file));
        TRY_ASSIGN(const SafetensorsHeader header, read_safetensors_header(*file));
        auto missing = expected;
        for (const SafetensorsEntry& entry : header.entries) {
            if (missing.erase(entry.name) == 0) continue;  // counts of the run
            out.content.tensors.push_back(tensor_of(entry, static_cast<std::uint32_t>(out.content.files.size())));
            out.has_optimizer |= out.content.tensors.back().fqn != entry.name;
        }
        if (!missing.empty())
            return base::fail(ErrorKind::bad_input,
                              base::format("{} is not in it, although {} says so", *missing.begin(), kNameMapFile),
                              path);
        out.content.files.push_back(name);
    }
    if (out.has_optimizer)
        out.states_refused =
            "MindSpore saves no settings of the optimizer with its moments, which a run needs to go on; --optimizer "
            "drop "
            "leaves them out";
    return out;
}

}  // namespace ckpt
