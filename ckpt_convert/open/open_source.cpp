#include "ckpt_convert/open/adapters.h"
#include "ckpt_convert/open/language_part.h"
#include "ckpt_convert/open/legacy_checkpoint.h"
#include "ckpt_convert/open/missing_checkpoint.h"
#include "ckpt_convert/open/plain_names.h"
#include "ckpt_convert/open/sharded_source.h"
#include "ckpt_convert/open/source.h"
#include "ckpt_convert/plan/adapter_source.h"
#include "ckpt_convert/plan/quantised_source.h"

namespace ckpt {
namespace {

tl::unexpected<base::Error> adapter_alone(const Path& directory) {
    return base::fail(ErrorKind::bad_input,
                      "this is an adapter without its model; --load-dir names the model it was trained on, "
                      "--lora-load the adapter. --save-lora converts the adapter alone",
                      directory);
}

// Of a checkpoint with the names of Hugging Face, all that may have to be done with its tensors before they are the model's.
Result<Source> whole_source(base::FileSystem& fs, const Knowledge& knowledge, HfCheckpoint checkpoint,
                            const SourceOptions& options, Copies copies) {
    TRY_ASSIGN(auto language, take_language_part(checkpoint, knowledge.containers, options));
    TRY_ASSIGN(auto quantised,
               join_quantised(checkpoint.index, knowledge.quantisation, checkpoint.config.root, options.dequantize));
    TRY_ASSIGN(TensorIndex factors, take_adapters(checkpoint.index, knowledge.adapters, false));
    if (is_adapter_alone(checkpoint.index, factors)) return adapter_alone(options.directory);
    TRY_ASSIGN(Source source, source_of(std::move(checkpoint), knowledge, options, copies));
    if (language) {
        source.config_text = std::move(language->config_text);
        source.notes.push_back(std::move(language->note));
    }
    if (quantised) source.notes.push_back(*quantised);
    TRY(merge_adapters(fs, knowledge, options, std::move(factors), source));
    return source;
}

Result<Source> named_source(base::FileSystem& fs, const Knowledge& knowledge, ShardedSource shards,
                            const SourceOptions& options, Copies copies) {
    TRY_ASSIGN(HfCheckpoint checkpoint, hf_of_sharded(fs, std::move(shards)));
    return whole_source(fs, knowledge, std::move(checkpoint), options, copies);
}

// Of a checkpoint without a config.json, which says what its tensors are to the model.
Result<Source> nameless_source(ShardedSource shards, const SourceOptions& options) {
    TRY(check_readable(shards));
    const auto* trained = shards.trained.empty() ? nullptr : &shards.trained;
    return plain_source(std::move(shards.weights), trained, "there is no config.json in this checkpoint or near it",
                        options);
}

Result<Source> sharded_source(base::FileSystem& fs, const Knowledge& knowledge, const Path& directory,
                              const SourceOptions& options, Copies copies) {
    TRY_ASSIGN(ShardedSource shards, open_sharded(fs, knowledge.distributed, directory, options.hf_config_dir));
    const std::string title = title_of(shards);
    const Path config = shards.config;
    std::vector<std::string> beside = shards.beside;
    const bool has_optimizer = shards.has_optimizer;
    const bool is_nameless = config.empty() && takes_plain_names(options) && shards.names.empty();
    TRY_ASSIGN(Source source, is_nameless ? nameless_source(std::move(shards), options)
                                          : named_source(fs, knowledge, std::move(shards), options, copies));
    source.title = title;
    source.directory = directory;
    source.companions = config;
    if (has_optimizer) beside.insert(beside.begin(), kOptimizerState);
    source.beside = std::move(beside);
    return source;
}

}  // namespace

Status refuse_foreign(base::FileSystem& fs, const Knowledge& knowledge, const Path& directory) {
    if (is_hf_checkpoint(fs, directory) || holds_megatron_weights(fs, directory)) return {};
    return knowledge.foreign.refuse(fs, directory);
}

Result<Source> open_source(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options,
                           Copies copies) {
    if (!fs.exists(options.directory)) return tl::unexpected(missing_checkpoint(fs, options.directory));
    TRY_ASSIGN(auto info, fs.info(options.directory));
    if (info.kind != FileKind::directory)
        return base::fail(ErrorKind::usage, "a checkpoint is a directory, and this is not one", options.directory);
    TRY_ASSIGN(const auto shards, find_sharded(fs, knowledge.distributed, options.directory));
    if (shards) return sharded_source(fs, knowledge, *shards, options, copies);
    TRY(refuse_foreign(fs, knowledge, options.directory));
    Side side = options.side;
    // With neither kind recognised, the Hugging Face reader says best what is missing.
    if (side == Side::unknown)
        side = is_megatron_checkpoint(fs, options.directory) ? Side::megatron : Side::huggingface;
    if (side == Side::megatron) {
        TRY_ASSIGN(MegatronCheckpoint checkpoint, open_megatron(fs, knowledge, options.directory));
        TRY_ASSIGN(TensorIndex factors, take_adapters(checkpoint.index, knowledge.adapters, !checkpoint.torch_dist));
        if (is_adapter_alone(checkpoint.index, factors)) return adapter_alone(options.directory);
        TRY_ASSIGN(Source source, source_of(fs, std::move(checkpoint), knowledge, options, copies));
        TRY(merge_adapters(fs, knowledge, options, std::move(factors), source));
        return source;
    }
    if (takes_plain_names(options) && is_hf_checkpoint(fs, options.directory) &&
        !fs.exists(base::join(options.directory, "config.json"))) {
        TRY_ASSIGN(TensorIndex index, open_hf_weights(fs, options.directory));
        return plain_source(std::move(index), nullptr, "there is no config.json", options);
    }
    TRY_ASSIGN(HfCheckpoint checkpoint, open_hf_checkpoint(fs, options.directory));
    return whole_source(fs, knowledge, std::move(checkpoint), options, copies);
}

}  // namespace ckpt
