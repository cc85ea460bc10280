#include "ckpt_convert/open/wanted_values.h"

#include "base/format.h"

namespace ckpt {

std::int64_t value_or_zero(const ModelValues& values, std::string_view name) {
    auto found = values.find(name);
    return found == values.end() ? 0 : found->second;
}

void take_settings(ModelValues& values, const SourceOptions& options) {
    for (const Setting& setting : options.settings) {
        if (values.contains(setting.value)) values[setting.value] = setting.number;
    }
}

bool wants_all_layers(const SourceOptions& options, std::int64_t layers) {
    return options.layers && (*options.layers == layers || *options.layers == layers + options.noop_layers);
}

Status take_layers(ModelValues& values, const SourceOptions& options) {
    if (!options.layers) return {};
    std::int64_t layers = value_or_zero(values, "layers");
    if (*options.layers > layers) {
        return base::fail(ErrorKind::usage,
                          base::format("--num-layers {}: the model has {} layers{}", *options.layers, layers,
                                       options.noop_layers > 0
                                           ? base::format(", {} with the noop layers", layers + options.noop_layers)
                                           : ""));
    }
    if (options.mtp_layers.value_or(0) > 0)
        return base::fail(ErrorKind::usage, "--num-layers leaves out the layers that --mtp-num-layers asks for");
    values["layers"] = *options.layers;
    return {};
}

Status take_vocabulary(ModelValues& values, const SourceOptions& options) {
    if (!options.true_vocab) return {};
    std::int64_t vocab = value_or_zero(values, "vocab");
    if (*options.true_vocab > static_cast<std::uint64_t>(vocab)) {
        return base::fail(
            ErrorKind::usage,
            base::format("--true-vocab-size {}: the checkpoint has {} rows; --padded-vocab-size adds rows",
                         *options.true_vocab, vocab));
    }
    values["vocab"] = static_cast<std::int64_t>(*options.true_vocab);
    return {};
}

}  // namespace ckpt
