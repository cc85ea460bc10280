#include "ckpt_convert/open/language_part.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"

namespace ckpt {

Result<std::optional<LanguageConfig>> language_config(const std::vector<Container>& containers,
                                                      const JsonDocument& config) {
    const Container* container = container_of(containers, config.root);
    if (container == nullptr) return std::optional<LanguageConfig>();
    TRY_ASSIGN(std::string text, container->language_config(config));
    TRY_ASSIGN(JsonDocument document, base::parse_json(text, config.name + ", language part", base::kPythonJson));
    return std::optional(LanguageConfig{std::move(document), std::move(text)});
}

tl::unexpected<base::Error> multimodal_model(const Container& container, const std::string& others,
                                             const Path& directory) {
    return base::fail(
        ErrorKind::unsupported,
        base::format("this is a multimodal model ({}), of which Megatron's language models have no place for "
                     "{}; --language-part takes its language model alone and leaves them out",
                     container.title, others),
        directory);
}

std::string other_parts(const Container& container) { return base::joined(container.beside, "*, ") + "*"; }

Result<std::optional<LanguagePart>> take_language_part(HfCheckpoint& checkpoint,
                                                       const std::vector<Container>& containers,
                                                       const SourceOptions& options) {
    const Container* container = container_of(containers, checkpoint.config.root);
    if (container == nullptr || !options.family.empty()) return std::optional<LanguagePart>();
    auto& tensors = checkpoint.index.tensors;
    std::vector<bool> gone;
    for (const IndexedTensor& tensor : tensors) gone.push_back(container->is_beside(tensor.name));
    auto count = static_cast<std::size_t>(std::count(gone.begin(), gone.end(), true));
    const std::string others =
        base::format("{} of its other parts ({})", base::plural(count, "tensor"), other_parts(*container));
    if (!options.language_part) return multimodal_model(*container, others, checkpoint.directory);
    TRY_ASSIGN(auto config, language_config(containers, checkpoint.config));
    checkpoint.config = std::move(config->document);
    checkpoint.index.take_out(gone);
    for (IndexedTensor& tensor : tensors) tensor.name = container->plain_name(tensor.name);
    return std::optional(
        LanguagePart{std::move(config->text), base::format("the language part alone is taken: {} left out", others)});
}

}  // namespace ckpt
