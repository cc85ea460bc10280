#include "ckpt_convert/app/adapters.h"

#include "base/format.h"
#include "ckpt_convert/plan/adapter_source.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Json;
using base::Path;
using base::Result;

constexpr const char* kPeftConfig = "adapter_config.json";
constexpr const char* kPeftWeights[] = {"adapter_model.safetensors", "adapter_model.bin"};

AdapterScale scale_of(const SourceOptions& options, const Json& said) {
    AdapterScale out;
    out.alpha = options.adapter_alpha;
    out.rank = options.adapter_rank;
    const Json* alpha = said.find("lora_alpha");
    if (!out.alpha && alpha != nullptr && alpha->integer() != nullptr)
        out.alpha = static_cast<double>(*alpha->integer());
    if (!out.alpha && alpha != nullptr && alpha->real() != nullptr) out.alpha = *alpha->real();
    const Json* root = said.find("use_rslora");
    out.root = root != nullptr && root->boolean() != nullptr && *root->boolean();
    return out;
}

// The weights of a PEFT directory, and what its configuration says.
Result<std::pair<TensorIndex, base::JsonDocument>> open_peft(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(std::string text, base::read_file(fs, base::join(directory, kPeftConfig), 64u << 20));
    TRY_ASSIGN(base::JsonDocument config, base::parse_json(text, base::join(directory, kPeftConfig)));
    for (const char* key : {"rank_pattern", "alpha_pattern"}) {
        const Json* found = config.root.find(key);
        if (found == nullptr || found->object() == nullptr || found->object()->empty()) continue;
        return base::fail(ErrorKind::unsupported,
                          base::format("{}: an adapter that is scaled otherwise in some layers cannot be merged", key),
                          config.where(*found));
    }
    TensorIndex index;
    for (const char* name : kPeftWeights) {
        Path path = base::join(directory, name);
        if (!fs.exists(path)) continue;
        TRY(add_weight_file(index, fs, path));
        return std::pair(std::move(index), std::move(config));
    }
    return base::fail(ErrorKind::bad_input,
                      base::format("there is neither {} nor {}", kPeftWeights[0], kPeftWeights[1]), directory);
}

}  // namespace

Result<std::optional<std::string>> merge_adapters(base::FileSystem& fs, MegatronCheckpoint& checkpoint,
                                                  const AdapterFormats& formats, const SourceOptions& options) {
    auto ranks = static_cast<std::uint32_t>(checkpoint.index.files.size());
    AdapterScale scale = scale_of(options, checkpoint.args);
    if (checkpoint.torch_dist && (!options.adapter.empty() || has_adapters(checkpoint.index, formats))) {
        return base::fail(ErrorKind::unsupported, "adapters in torch_dist cannot be merged; save them as rank files",
                          checkpoint.directory);
    }
    if (!options.adapter.empty()) {
        TRY_ASSIGN(MegatronCheckpoint adapter, open_megatron_checkpoint(fs, options.adapter));
        if (!scale.alpha) scale.alpha = scale_of(options, adapter.args).alpha;
        TRY(add_adapter(checkpoint.index, std::move(adapter.index), ranks));
    }
    return join_adapters(checkpoint.index, formats, scale, ranks);
}

Result<std::optional<std::string>> merge_adapters(base::FileSystem& fs, HfCheckpoint& checkpoint,
                                                  const AdapterFormats& formats, const SourceOptions& options) {
    if (options.adapter.empty()) return std::optional<std::string>();
    TRY_ASSIGN(auto adapter, open_peft(fs, options.adapter));
    TRY(add_adapter(checkpoint.index, std::move(adapter.first), 0));
    return join_adapters(checkpoint.index, formats, scale_of(options, adapter.second.root), 0);
}

}  // namespace ckpt
