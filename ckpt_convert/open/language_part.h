// The language model of a multimodal checkpoint, as a checkpoint of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/mapping/container.h"
#include "ckpt_convert/open/source_options.h"

namespace ckpt {

// What stands in for config.json when it is of a multimodal model: the language model's own.
struct LanguageConfig {
    JsonDocument document;
    std::string text;
};

// Of a multimodal model's config; nullopt of any other.
Result<std::optional<LanguageConfig>> language_config(const std::vector<Container>& containers,
                                                      const JsonDocument& config);

// Of a multimodal model whose language model alone was not asked for; `others`: what it has besides.
tl::unexpected<base::Error> multimodal_model(const Container& container, const std::string& others,
                                             const Path& directory);
// "vision_tower*, multi_modal_projector*"
std::string other_parts(const Container& container);

struct LanguagePart {
    std::string config_text;
    std::string note;  // what was left out
};

// Takes the tensors of the other parts out of a multimodal checkpoint, and gives it the config and the tensor names of its language
// model; nullopt when it is no such checkpoint. Fails with unsupported when the user did not ask for it.
Result<std::optional<LanguagePart>> take_language_part(HfCheckpoint& checkpoint,
                                                       const std::vector<Container>& containers,
                                                       const SourceOptions& options);

}  // namespace ckpt
