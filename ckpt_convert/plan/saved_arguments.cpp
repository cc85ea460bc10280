#include "ckpt_convert/plan/saved_arguments.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "ckpt_convert/mapping/model_values.h"

namespace ckpt {
namespace {

std::optional<std::int64_t> saved_integer(const Json& args, std::string_view name) {
    const Json* found = args.find(name);
    return found == nullptr || found->integer() == nullptr ? std::nullopt : std::optional(*found->integer());
}

}  // namespace

std::string saved_layers(const Json& args) {
    const Json* found = args.find("transformer_impl");
    bool te = found != nullptr && found->string() != nullptr && *found->string() == "transformer_engine";
    return te ? "te" : "local";
}

std::optional<std::uint32_t> saved_slots(const Json& args) {
    auto slots = saved_integer(args, "num_layers");
    return slots && *slots >= 0 && *slots <= kMaxLayers ? std::optional(static_cast<std::uint32_t>(*slots))
                                                        : std::nullopt;
}

std::uint32_t saved_noop_layers(const Json& args) {
    const Json* found = args.find("noop_layers");
    if (found == nullptr) return 0;
    if (found->array() != nullptr) return static_cast<std::uint32_t>(found->array()->size());
    if (found->string() == nullptr || found->string()->empty()) return 0;
    return static_cast<std::uint32_t>(std::count(found->string()->begin(), found->string()->end(), ',') + 1);
}

Result<std::uint32_t> check_saved_layout(const MegatronCheckpoint& checkpoint, const Placement& placement,
                                         std::uint32_t layers) {
    auto contradiction = [&](const std::string& message) {
        return base::fail(ErrorKind::bad_input, message, checkpoint.directory);
    };
    auto chunks = saved_integer(checkpoint.args, "virtual_pipeline_model_parallel_size");
    if (chunks && !checkpoint.torch_dist && *chunks != placement.chunks()) {
        return contradiction(
            base::format("the saved arguments say virtual_pipeline_model_parallel_size = {}, but the rank files hold "
                         "{} model {}",
                         *chunks, placement.chunks(), placement.chunks() == 1 ? "chunk" : "chunks"));
    }
    auto slots = saved_integer(checkpoint.args, "num_layers");
    if (!slots) return layers + saved_noop_layers(checkpoint.args);
    std::uint32_t noops = saved_noop_layers(checkpoint.args);
    if (*slots != std::int64_t{layers} + noops) {
        return contradiction(
            base::format("the saved arguments say num_layers = {}{}, but the checkpoint holds {} layers", *slots,
                         noops > 0 ? base::format(" with {} noop layers", noops) : "", layers));
    }
    return static_cast<std::uint32_t>(*slots);
}

}  // namespace ckpt
