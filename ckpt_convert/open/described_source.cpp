#include "ckpt_convert/open/described_source.h"

#include "base/format.h"
#include "ckpt_convert/mapping/quantised_config.h"
#include "ckpt_convert/open/language_part.h"
#include "ckpt_convert/open/legacy_checkpoint.h"
#include "ckpt_convert/open/missing_checkpoint.h"
#include "ckpt_convert/open/wanted_values.h"

namespace ckpt {
namespace {

Result<Source> from_config(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options) {
    Source source;
    source.side = Side::huggingface;
    source.title = "Hugging Face";
    source.directory = source.companions = options.directory;
    TRY_ASSIGN(JsonDocument config, read_hf_config(fs, options.directory));
    TRY_ASSIGN(auto language, language_config(knowledge.containers, config));
    if (language) {
        config = std::move(language->document);
        source.config_text = std::move(language->text);
    }
    const auto mapping =
        options.family.empty() ? knowledge.families.for_config(config) : knowledge.families.for_name(options.family);
    if (!mapping) return tl::unexpected(mapping.error());
    TRY_ASSIGN(ModelValues values, values_from_config(**mapping, config));
    take_settings(values, options);
    if (values.contains("mtp")) values["mtp"] = options.mtp_layers.value_or(0);
    TRY_ASSIGN(source.model, Model::make(**mapping, std::move(values)));
    source.config = std::move(config);
    return source;
}

}  // namespace

Result<Source> described_source(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options) {
    if (!fs.exists(options.directory)) return tl::unexpected(missing_checkpoint(fs, options.directory));
    if (!is_megatron_checkpoint(fs, options.directory)) return from_config(fs, knowledge, options);
    TRY_ASSIGN(const MegatronCheckpoint checkpoint, open_megatron(fs, knowledge, options.directory));
    return identify(fs, checkpoint, knowledge, options);
}

Status check_described(const Knowledge& knowledge, const JsonDocument& config, const SourceOptions& options) {
    const Container* container = container_of(knowledge.containers, config.root);
    if (container != nullptr && options.family.empty() && !options.language_part)
        return multimodal_model(*container, base::format("tensors of its other parts ({})", other_parts(*container)),
                                options.directory);
    if (options.dequantize) return {};
    for (const char* key : kQuantisation) {
        const Json* said = config.root.find_path(key);
        if (said == nullptr || said->object() == nullptr) continue;
        return base::fail(ErrorKind::unsupported,
                          base::format("config.json has {}: the weights are quantised, and their scales have no place "
                                       "in the output; --dequantize bf16 (or fp32) makes ordinary weights of them",
                                       key),
                          options.directory);
    }
    return {};
}

}  // namespace ckpt
