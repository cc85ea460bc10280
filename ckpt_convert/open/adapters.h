// LoRA adapters: those that a checkpoint holds and one that is named besides, merged while it is read, or read by themselves.
#pragma once

#include "ckpt_convert/open/source.h"
#include "ckpt_convert/plan/adapter_factors.h"

namespace ckpt {

// Adds to the weights of `source` what adapters change: `factors`, which the checkpoint itself holds, or those of --lora-load.
// Fails with usage when nothing says how they are scaled.
Status merge_adapters(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options,
                      TensorIndex factors, Source& source);

// What a checkpoint in shards says of its adapters: their rank, and how they are scaled.
// https://github.com/volcengine/verl: fsdp_checkpoint_manager.py
inline constexpr const char* kAdapterSays = "lora_train_meta.json";

struct AdapterScale {
    std::optional<double> alpha;  // the product is scaled with alpha / rank
    bool root = false;            // with alpha / sqrt(rank)

    double divisor(std::uint64_t rank) const;
};

// An adapter by itself. The tensors of `source` are the factors; `weights` is the model they belong to.
struct AdapterSource {
    Source source;
    Model weights;
    AdapterFactors factors;
    AdapterScale scale;
    std::size_t beside = 0;  // weights next to the factors, which are left out
    bool alone = true;       // the weights that the factors change are not among these

    // Of all adapters; fails with unsupported when it differs.
    Result<std::uint64_t> rank() const;
    // The rank becomes that of joined_rank, and alpha what leaves the adapters as they are.
    Status join(std::uint64_t joined);
};

// What saved arguments say of an adapter, so that nobody has to. Fails with unsupported when the rank differs.
Status add_adapter_arguments(const AdapterSource& adapter, Json& args);

// The adapter in --lora-load, or in --load-dir with or without its weights. Of a PEFT directory --load-dir or --hf-cfg-dir has
// the config.json. Fails with bad_input when there is none.
Result<AdapterSource> open_adapter(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options);

// Fails with usage when nothing says how the adapter is scaled.
Status check_scaled(const AdapterSource& adapter);

// A checkpoint that is to be compared: the factors of an adapter without its model, which without a config.json have the names
// that they have; else as open_source().
Result<Source> open_comparable(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options,
                               Copies copies = Copies::compared);

}  // namespace ckpt
