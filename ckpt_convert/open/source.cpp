#include "ckpt_convert/open/source.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/checkpoint/rank_safetensors.h"
#include "ckpt_convert/mapping/parameter_names.h"
#include "ckpt_convert/open/adapters.h"
#include "ckpt_convert/open/copies.h"
#include "ckpt_convert/open/decisive_arguments.h"
#include "ckpt_convert/open/language_part.h"
#include "ckpt_convert/open/legacy_checkpoint.h"
#include "ckpt_convert/open/other_names.h"
#include "ckpt_convert/open/plain_names.h"
#include "ckpt_convert/open/wanted_values.h"
#include "ckpt_convert/plan/boxed_parts.h"
#include "ckpt_convert/plan/name_form.h"
#include "ckpt_convert/plan/source_fit.h"
#include "ckpt_convert/plan/source_layout.h"
#include "ckpt_convert/plan/state_source.h"

namespace ckpt {
namespace {

// Why a tensor that a mapping file ignores is left out.
constexpr const char* kNoWeights = "they carry no weights (buffers such as rotary inv_freq)";

constexpr std::string_view kPrefixCapture = "{prefix}";

// The names that belong to layers beyond the ones wanted.
Result<std::set<std::string, std::less<>>> names_beyond(const Model& whole, const Layout& wanted,
                                                        const HfVariant& variant) {
    std::set<std::string, std::less<>> out;
    const auto all = hf_layout(whole, variant);
    // A program that has no names for such layers does not have them.
    if (!all && variant.names != nullptr) return out;
    if (!all) return tl::unexpected(all.error());
    for (const auto& tensor : all->tensors) out.insert(tensor.name);
    for (const auto& tensor : wanted.tensors) out.erase(tensor.name);
    return out;
}

// How many layers for multi-token prediction the files have: all that the config says, or none.
Result<std::int64_t> mtp_layers_in(const TensorIndex& index, const ModelMapping& mapping, ModelValues values,
                                   const HfVariant& variant) {
    std::int64_t count = value_or_zero(values, "mtp");
    if (count == 0) return count;
    TRY_ASSIGN(Model with, Model::make(mapping, values));
    values["mtp"] = 0;
    TRY_ASSIGN(Model without, Model::make(mapping, std::move(values)));
    TRY_ASSIGN(Layout rest, hf_layout(without, variant));
    TRY_ASSIGN(auto names, names_beyond(with, rest, variant));
    bool found = std::any_of(index.tensors.begin(), index.tensors.end(),
                             [&](const IndexedTensor& tensor) { return names.contains(tensor.name.get()); });
    return found ? count : 0;
}

// Which of the prefixes the tensors of a Hugging Face checkpoint have.
std::string find_prefix(const ModelMapping& mapping, const TensorIndex& index) {
    for (const std::string& prefix : mapping.hf_prefixes) {
        const auto has = [&](const IndexedTensor& tensor) { return tensor.name.get().starts_with(prefix); };
        if (!prefix.empty() && std::any_of(index.tensors.begin(), index.tensors.end(), has)) return prefix;
    }
    return mapping.hf_prefixes.empty() ? "" : mapping.hf_prefixes.back();
}

// The ways to store the same tensors of which the checkpoint has a name, in the order of the mapping.
std::vector<std::string> forms_in(const TensorIndex& index, const ModelMapping& mapping, const std::string& prefix) {
    std::vector<std::string> out;
    for (const StoredRule& rule : mapping.hf) {
        if (rule.form.empty() || base::contains(out, rule.form)) continue;
        std::string name = rule.names.front().second;
        if (name.starts_with(kPrefixCapture)) name = prefix + name.substr(kPrefixCapture.size());
        NameForm form(name);
        if (std::any_of(index.tensors.begin(), index.tensors.end(),
                        [&](const IndexedTensor& tensor) { return form.match(tensor.name).has_value(); }))
            out.push_back(rule.form);
    }
    return out;
}

// The form whose shapes the checkpoint has: several may have the same names. In doubt the one that the names gave.
Result<std::string> find_form(const TensorIndex& index, const Model& model, HfVariant variant) {
    const std::vector<std::string> forms = forms_in(index, model.mapping(), variant.prefix);
    if (forms.size() < 2) return variant.form;
    std::map<std::string_view, const Shape*> shapes;
    for (const IndexedTensor& tensor : index.tensors)
        shapes.emplace(tensor.name, &(tensor.whole_shape.empty() ? tensor.shape : tensor.whole_shape).get());
    auto differs = [&](const LayoutTensor& tensor) {
        auto found = shapes.find(tensor.name);
        return found != shapes.end() && *found->second != tensor.shape_in_file();
    };
    std::map<std::ptrdiff_t, std::string> by_difference;
    for (const std::string& form : forms) {
        variant.form = form;
        TRY_ASSIGN(Layout layout, hf_layout(model, variant));
        by_difference.emplace(std::count_if(layout.tensors.begin(), layout.tensors.end(), differs), form);
    }
    return by_difference.begin()->second;
}

// Where config.json of a Megatron checkpoint is; empty when nowhere.
Path find_config_dir(base::FileSystem& fs, const SourceOptions& options) {
    if (!options.hf_config_dir.empty()) return options.hf_config_dir;
    for (const Path& candidate :
         {base::join(options.directory, kHfConfigDir), base::join(base::parent(options.directory), kHfConfigDir)}) {
        if (fs.exists(base::join(candidate, "config.json"))) return candidate;
    }
    return "";
}

// By name, by the config, or by the names of the tensors.
Result<const ModelMapping*> family_of(const MegatronCheckpoint& checkpoint, const Knowledge& knowledge,
                                      const SourceOptions& options, Source& source) {
    if (!options.family.empty()) return knowledge.families.for_name(options.family);
    if (source.config) return knowledge.families.for_config(*source.config);
    auto fitting = fitting_families(checkpoint, knowledge.families, knowledge.targets);
    if (fitting.empty()) {
        return base::fail(ErrorKind::unsupported,
                          "the tensors are those of no known model family; name it with --model-type-hf, or give the "
                          "directory of the original model with --hf-cfg-dir",
                          checkpoint.directory);
    }
    // The plainest of them: the others ask for more in a training run, of which nothing says that it is so.
    std::stable_sort(fitting.begin(), fitting.end(), [](const ModelMapping* a, const ModelMapping* b) {
        return a->args.size() + a->flags.size() < b->args.size() + b->flags.size();
    });
    std::vector<std::string> names;
    for (const ModelMapping* mapping : fitting) names.push_back(mapping->family);
    std::string note = base::format("without a config.json the model family is found from the tensors: {}", names[0]);
    if (names.size() > 1)
        note = base::format(
            "without a config.json the tensors may be those of any of these families, and {} is taken: "
            "name the right one with --model-type-hf; {}",
            names[0], base::joined(names, ", "));
    source.notes.push_back(std::move(note));
    return fitting.front();
}

// What config.json and the saved arguments both say must agree. Layers and vocabulary are compared with the tensors.
// With more TP ranks than KV groups, copies make the saved number of groups equal TP.
Status check_agreement(const ModelMapping& mapping, const ModelValues& values, const MegatronCheckpoint& checkpoint,
                       const JsonDocument& config, ParallelLayout& parallel) {
    // What arguments leave out says nothing of what only a config has.
    ModelValues usual = values;
    for (const ValueRule& rule : mapping.values) {
        if (!rule.arguments.empty() || !rule.fallback || rule.each == Each::layer) continue;
        if (const auto value = rule.fallback->evaluate(lookup_in(values))) usual[rule.name] = *value;
    }
    for (const ValueRule& rule : mapping.values) {
        if (rule.name == "layers" || rule.name == "vocab" || rule.name == "mtp" || rule.each == Each::layer) continue;
        TRY_ASSIGN(auto saved, value_from_arguments(rule, checkpoint.args, usual, checkpoint.directory));
        std::int64_t expected = values.at(rule.name);
        // Without groups each head has its own.
        if (rule.name == "kv_groups" && expected > 0 && parallel.tp > expected)
            parallel.kv_sharing =
                saved.value_or(value_or_zero(values, "heads")) == parallel.tp ? KvSharing::repeat : KvSharing::split;
        bool repeated = rule.name == "kv_groups" && parallel.kv_sharing == KvSharing::repeat;
        if (!saved || *saved == expected || repeated) continue;
        return base::fail(ErrorKind::bad_input,
                          base::format("{} is {} in {}, but {} in the arguments saved with the weights; is this the "
                                       "config of the same model?",
                                       rule.name, expected, config.name, *saved),
                          checkpoint.directory);
    }
    return {};
}

Result<ModelValues> megatron_values(const ModelMapping& mapping, const MegatronCheckpoint& checkpoint,
                                    FoundLayout& found, const std::optional<JsonDocument>& config,
                                    const SourceOptions& options) {
    if (!config) {
        if (checkpoint.args.object() == nullptr || checkpoint.args.object()->empty())
            return base::fail(
                ErrorKind::bad_input,
                "nothing says the sizes of the model: there is no config.json, and no arguments are saved "
                "with the weights; name the directory of the original model with --hf-cfg-dir",
                checkpoint.directory);
        // Nothing says how much of the vocabulary is padding, so all of it is kept.
        TRY_ASSIGN(ModelValues values, values_from_arguments(mapping, checkpoint.args, checkpoint.directory));
        values["layers"] = found.layers;
        values["mtp"] = found.mtp_layers;
        values["vocab"] = static_cast<std::int64_t>(found.parallel.padded_vocab);
        // Copied heads would count as groups of their own, so there are parts of groups.
        std::int64_t groups = value_or_zero(values, "kv_groups");
        if (groups > 0 && found.parallel.tp > groups) found.parallel.kv_sharing = KvSharing::split;
        return values;
    }
    TRY_ASSIGN(ModelValues values, values_from_config(mapping, *config));
    take_settings(values, options);
    TRY(check_agreement(mapping, values, checkpoint, *config, found.parallel));
    values["mtp"] = found.mtp_layers;
    if (value_or_zero(values, "layers") != found.layers) {
        return base::fail(ErrorKind::bad_input,
                          base::format("the checkpoint holds {} layers, but {} says {}", found.layers, config->name,
                                       value_or_zero(values, "layers")),
                          checkpoint.directory);
    }
    std::uint64_t rows = found.parallel.padded_vocab;  // 0: an adapter has no embedding, which would say it
    if (rows > 0 && rows < static_cast<std::uint64_t>(value_or_zero(values, "vocab"))) {
        return base::fail(ErrorKind::bad_input,
                          base::format("the checkpoint has {} rows of vocabulary, but {} says {}; if the model was "
                                       "trained with the smaller number, set vocab_size in a copy of the config to it",
                                       rows, config->name, value_or_zero(values, "vocab")),
                          checkpoint.directory);
    }
    return values;
}

// `all`: the values of the whole model, of which the options may take a part.
Result<SourceBinding> bind_hf(const Model& model, const Source& source, ModelValues all, const HfVariant& variant,
                              const TensorNames& boxed, const SourceOptions& options) {
    TRY_ASSIGN(Layout layout, hf_layout(model, variant));
    take_boxed(layout, boxed);
    std::set<std::string, std::less<>> beyond;
    bool less_mtp = value_or_zero(all, "mtp") > value_or_zero(model.values(), "mtp");
    if (options.layers || less_mtp) {
        for (const auto& [value, number] : source.apart) all[value] = number;
        TRY_ASSIGN(Model whole, Model::make(model.mapping(), std::move(all)));
        TRY_ASSIGN(beyond, names_beyond(whole, layout, variant));
    }
    auto leave_out = [&](std::string_view tensor) -> std::optional<std::string> {
        if (model.mapping().ignores(tensor) ||
            (variant.names != nullptr && variant.names->ignores(variant.rank_names ? without_rank(tensor) : tensor)))
            return kNoWeights;
        if (beyond.contains(tensor))
            return options.layers ? "they belong to layers beyond --num-layers"
                                  : "they belong to layers for multi-token prediction, which --mtp-num-layers keeps";
        for (const std::string& pattern : options.leave_out) {
            if (matches_pattern(pattern, tensor)) return base::format("--leave-out \"{}\"", pattern);
        }
        return std::nullopt;
    };
    auto binding = bind_source(model, source.index, layout, leave_out);
    if (binding) return binding;
    // Of a model that no framework runs, its tensors are not the point.
    TRY(check_runs(model));
    return tl::unexpected(binding.error());
}

}  // namespace

Result<Knowledge> Knowledge::load(const base::DataStore& store) {
    Knowledge out;
    TRY_ASSIGN(out.families, MappingRegistry::load(store));
    TRY_ASSIGN(out.targets, TargetRegistry::load(store));
    TRY_ASSIGN(out.quantisation, load_quantisation_formats(store));
    TRY_ASSIGN(out.adapters, AdapterFormats::load(store));
    TRY_ASSIGN(out.containers, load_containers(store));
    TRY_ASSIGN(out.foreign, ForeignFormats::load(store));
    TRY_ASSIGN(out.distributed, DistributedNames::load(store));
    TRY_ASSIGN(out.namings, Namings::load(store));
    TRY_ASSIGN(out.legacy, LegacyNames::load(store));
    TRY_ASSIGN(out.decisive, DecisiveArguments::load(store));
    TRY_ASSIGN(out.adam, AdamSettings::load(store));
    TRY_ASSIGN(out.parameter_names, load_parameter_names(store));
    return out;
}

HfVariant find_variant(const ModelMapping& mapping, const TensorIndex& index) {
    HfVariant variant;
    variant.prefix = find_prefix(mapping, index);
    const std::vector<std::string> forms = forms_in(index, mapping, variant.prefix);
    if (!forms.empty()) variant.form = forms.front();
    return variant;
}

Result<Source> source_of(HfCheckpoint checkpoint, const Knowledge& knowledge, const SourceOptions& given,
                         Copies copies) {
    TRY(knowledge.foreign.refuse_quantised(checkpoint.config));
    SourceOptions options = given;
    const auto family = options.family.empty() ? knowledge.families.for_config(checkpoint.config)
                                               : knowledge.families.for_name(options.family);
    if (!family && takes_plain_names(options) && checkpoint.names.empty()) {
        TRY_ASSIGN(Source plain, plain_source(std::move(checkpoint.index), nullptr, family.error().message, options));
        plain.companions = options.directory;
        plain.config = std::move(checkpoint.config);
        return plain;
    }
    TRY_ASSIGN(const ModelMapping* mapping, family);
    TRY_ASSIGN(ModelValues all, values_from_config(*mapping, checkpoint.config));
    take_settings(all, options);
    if (wants_all_layers(options, value_or_zero(all, "layers"))) options.layers.reset();
    ModelValues values = all;
    TRY(take_layers(values, options));
    TRY(take_vocabulary(values, options));
    Source source;
    source.side = Side::huggingface;
    source.title = "Hugging Face";
    source.directory = source.companions = options.directory;
    source.index = std::move(checkpoint.index);
    HfVariant variant = find_variant(*mapping, source.index);
    variant.vocab_rows = static_cast<std::uint64_t>(value_or_zero(all, "vocab"));
    if (const Naming* names = knowledge.namings.find(checkpoint.names)) {
        TRY_ASSIGN(variant, variant_under(*names, *mapping, source.index));
        if (options.keep_padding && variant.vocab_rows > 0)
            values["vocab"] = static_cast<std::int64_t>(variant.vocab_rows);
    }
    if (options.mtp_layers) {
        values["mtp"] = *options.mtp_layers;
    } else if (!options.layers) {
        TRY_ASSIGN(values["mtp"], mtp_layers_in(source.index, *mapping, all, variant));
    }
    TRY_ASSIGN(source.model, Model::make(*mapping, std::move(values)));
    if (variant.names == nullptr) {
        TRY_ASSIGN(variant.form, find_form(source.index, source.model, variant));
    }
    TRY_ASSIGN(const Layout layout, hf_layout(source.model, variant));
    const TensorNames boxed = box_parts(source.index, layout);
    auto bind = [&](const Model& model) { return bind_hf(model, source, all, variant, boxed, options); };
    TRY(bind_copies(source, copies, bind));
    bind_absent(source.model, source.index, source.binding);
    source.config = std::move(checkpoint.config);
    source.variant = std::move(variant);
    return source;
}

Result<SourceBinding> bind_states(const Source& source, TensorIndex& index) {
    TRY_ASSIGN(Layout layout, hf_layout(source.model, source.variant));
    index.give_axes();
    take_boxed(layout, box_parts(index, layout));
    // Some programs declare as parameters what no gradient reaches; the state of these says nothing.
    TensorNames buffers;
    for (const LayoutTensor& tensor : layout.tensors) {
        if (!is_parameter(source.model, tensor.pieces)) buffers.insert(tensor.name);
    }
    auto leave_out = [&](std::string_view tensor) -> std::optional<std::string> {
        return buffers.contains(tensor) ? std::optional<std::string>("they are of buffers") : std::nullopt;
    };
    return bind_source(source.model, index, layout, leave_out, Bound::parameters);
}

Result<Source> identify(base::FileSystem& fs, const MegatronCheckpoint& checkpoint, const Knowledge& knowledge,
                        const SourceOptions& options) {
    Source source;
    source.side = Side::megatron;
    source.directory = checkpoint.directory;
    source.companions = find_config_dir(fs, options);
    if (!source.companions.empty()) {
        TRY_ASSIGN(source.config, read_hf_config(fs, source.companions));
        TRY_ASSIGN(auto language, language_config(knowledge.containers, *source.config));
        if (language) {
            source.config = std::move(language->document);
            source.config_text = std::move(language->text);
        }
    }
    TRY_ASSIGN(const ModelMapping* mapping, family_of(checkpoint, knowledge, options, source));
    TRY(check_decisive(knowledge, *mapping, checkpoint));
    TRY_ASSIGN(FoundLayout found, find_layout(checkpoint, *mapping, knowledge.targets));
    TRY_ASSIGN(ModelValues values, megatron_values(*mapping, checkpoint, found, source.config, options));
    if (options.keep_padding) values["vocab"] = static_cast<std::int64_t>(found.parallel.padded_vocab);
    if (options.layers && *options.layers != found.layers && *options.layers != found.parallel.placement.slots)
        return base::fail(ErrorKind::unsupported,
                          base::format("--num-layers {}: the input has {} layers, and fewer are taken from a Hugging "
                                       "Face checkpoint only: convert to that first",
                                       *options.layers, found.layers));
    TRY(take_vocabulary(values, options));
    TRY_ASSIGN(source.model, Model::make(*mapping, std::move(values)));
    TRY_ASSIGN(source.parallel, fit_layout(checkpoint, source.model, found));
    source.title =
        checkpoint.torch_dist
            ? "Megatron torch_dist"
            : base::format("Megatron{} {}{}", checkpoint.legacy ? " legacy" : "", parallel_sizes(*source.parallel),
                           source.parallel->placement.virtual_stages
                               ? base::format(" x VPP {}", source.parallel->placement.chunks())
                               : "");
    source.args = checkpoint.args;
    source.legacy = checkpoint.legacy;
    source.has_optimizer = checkpoint.has_optimizer;
    return source;
}

Result<Source> source_of(base::FileSystem& fs, MegatronCheckpoint checkpoint, const Knowledge& knowledge,
                         const SourceOptions& options, Copies copies) {
    TRY_ASSIGN(Source source, identify(fs, checkpoint, knowledge, options));
    if (checkpoint.legacy) TRY(order_qkv(knowledge.legacy, checkpoint, source));
    source.index = std::move(checkpoint.index);
    auto bound = bind_copies(source, copies, [&](const Model& model) -> Result<SourceBinding> {
        TRY_ASSIGN(Layout layout, mcore_layout(model, *source.parallel));
        return bind_source(model, source.index, layout, [&](std::string_view tensor) {
            return model.mapping().ignores(tensor) ? std::optional<std::string>(kNoWeights) : std::nullopt;
        });
    });
    if (!bound && source.legacy)
        return base::fail_with_context(std::move(bound).error(),
                                       "of a legacy checkpoint, by the names of megatron-core");
    TRY(std::move(bound));
    auto padding =
        source.parallel->padded_vocab - static_cast<std::uint64_t>(value_or_zero(source.model.values(), "vocab"));
    if (padding > 0) {
        source.notes.push_back(base::format("{} rows of the vocabulary are padding and left out", padding));
    }
    bind_absent(source.model, source.index, source.binding);
    return source;
}

}  // namespace ckpt
