#include "ckpt_convert/plan/source_layout.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "base/format.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;

// A name with one "{local_layer}", split at it.
struct LayerName {
    std::string prefix;
    std::string suffix;

    // The number in `name`, when it has this form.
    std::optional<std::uint32_t> number(std::string_view name) const {
        if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
            return std::nullopt;
        std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
        std::uint32_t value = 0;
        auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
        return value;
    }
};

std::vector<LayerName> layer_names(const ModelMapping& mapping, std::string_view dialect) {
    constexpr std::string_view kCapture = "{local_layer}";
    std::vector<LayerName> out;
    for (const StoredRule& rule : mapping.mcore) {
        const std::string& name = rule.name(dialect);
        std::size_t at = name.find(kCapture);
        if (rule.stage == Stage::layer && at != std::string::npos)
            out.push_back({name.substr(0, at), name.substr(at + kCapture.size())});
    }
    return out;
}

struct Names {
    std::string_view chunk;
    std::string_view name;
};

Names split_key(std::string_view indexed_name) {
    std::size_t slash = indexed_name.find('/');
    return {indexed_name.substr(0, slash), indexed_name.substr(slash + 1)};
}

// How many tensors of the checkpoint have a name of this dialect that other dialects do not share.
std::size_t matches(const MegatronCheckpoint& checkpoint, const ModelMapping& mapping, std::string_view dialect) {
    std::vector<LayerName> names = layer_names(mapping, dialect);
    std::size_t count = 0;
    for (const auto& tensor : checkpoint.index.tensors) {
        std::string_view name = split_key(tensor.name).name;
        count += std::any_of(names.begin(), names.end(),
                             [&](const LayerName& form) { return form.number(name).has_value(); });
    }
    return count;
}

using LocalLayers =
    std::map<std::pair<std::uint32_t, std::string>, std::set<std::uint32_t>>;  // (file, chunk) -> numbers

LocalLayers find_local_layers(const MegatronCheckpoint& checkpoint, const std::vector<LayerName>& names) {
    LocalLayers out;
    for (const auto& tensor : checkpoint.index.tensors) {
        Names key = split_key(tensor.name);
        for (const LayerName& form : names) {
            if (auto number = form.number(key.name)) out[{tensor.file, std::string(key.chunk)}].insert(*number);
        }
    }
    return out;
}

// The number of slots that Megatron's num_layers speaks of; 0 when the arguments do not say.
std::uint32_t saved_slots(const base::Json& args) {
    const base::Json* saved = args.find("num_layers");
    return saved != nullptr && saved->integer() != nullptr && *saved->integer() > 0
               ? static_cast<std::uint32_t>(*saved->integer())
               : 0;
}

}  // namespace

Result<FoundLayout> find_layout(const MegatronCheckpoint& checkpoint, const ModelMapping& mapping,
                                std::uint32_t layers) {
    FoundLayout found;
    std::size_t best = 0;
    for (const std::string& dialect : mapping.dialects()) {
        std::size_t count = matches(checkpoint, mapping, dialect);
        if (found.dialect.empty() || count > best) {
            found.dialect = dialect;
            best = count;
        }
    }
    LocalLayers local = find_local_layers(checkpoint, layer_names(mapping, found.dialect));
    std::uint32_t chunks = checkpoint.ranks.front().chunks;
    found.placement.virtual_stages = checkpoint.virtual_stages;
    found.placement.stages.assign(static_cast<std::size_t>(checkpoint.pp), std::vector<std::vector<LayerSlot>>(chunks));
    std::uint32_t next = 0;
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
        for (int pp = 0; pp < checkpoint.pp; ++pp) {
            auto of_rank = [&](int tp) {
                return local[{static_cast<std::uint32_t>(pp * checkpoint.tp + tp),
                              chunk_key(checkpoint.virtual_stages, chunk)}];
            };
            std::set<std::uint32_t> numbers = of_rank(0);
            for (int tp = 1; tp < checkpoint.tp; ++tp) {
                if (of_rank(tp) == numbers) continue;
                return base::fail(ErrorKind::bad_input,
                                  base::format("pipeline rank {}: TP ranks 0 and {} hold different layers", pp, tp),
                                  checkpoint.directory);
            }
            for (std::uint32_t number : numbers)
                found.placement.stages[static_cast<std::size_t>(pp)][chunk].push_back({number, next++});
        }
    }
    if (next != layers) {
        return base::fail(ErrorKind::bad_input,
                          base::format("the checkpoint holds {} layers, but the configuration says {}", next, layers),
                          checkpoint.directory);
    }
    found.placement.slots = std::max(saved_slots(checkpoint.args), layers);
    return found;
}

}  // namespace ckpt
