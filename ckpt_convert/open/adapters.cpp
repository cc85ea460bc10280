#include "ckpt_convert/open/adapters.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"
#include "ckpt_convert/open/legacy_checkpoint.h"
#include "ckpt_convert/open/peft_directory.h"
#include "ckpt_convert/open/plain_names.h"
#include "ckpt_convert/open/sharded_source.h"
#include "ckpt_convert/plan/adapter_source.h"
#include "ckpt_convert/plan/factor_layout.h"
#include "ckpt_convert/plan/source_fit.h"
#include "ckpt_convert/plan/source_layout.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

AdapterScale scale_of(const SourceOptions& options, const Json& said) {
    AdapterScale out;
    out.alpha = options.adapter_alpha;
    const Json* alpha = said.find("lora_alpha");
    if (!out.alpha && alpha != nullptr && alpha->integer() != nullptr)
        out.alpha = static_cast<double>(*alpha->integer());
    if (!out.alpha && alpha != nullptr && alpha->real() != nullptr) out.alpha = *alpha->real();
    const Json* root = said.find("use_rslora");
    out.root = root != nullptr && root->boolean() != nullptr && *root->boolean();
    return out;
}

// Factors that are joined with the weights they belong to.
struct BoundAdapter {
    TensorIndex index;
    AdapterFactors factors;
    SourceBinding binding;
};

// `layout`: of the weights, as the files of the factors would have them.
Result<BoundAdapter> bind_adapter(const Model& weights, const Layout& layout, TensorIndex index,
                                  const SourceOptions& options) {
    BoundAdapter out;
    TRY_ASSIGN(out.factors, find_factors(weights, layout, index));
    TRY_ASSIGN(Layout factors, factor_layout(weights, out.factors, layout, {stored_factor_names()}));
    TRY_ASSIGN(out.binding, bind_source(out.factors.model, index, factors,
                                        [](std::string_view) { return std::optional<std::string>(); }));
    const Path& where = index.files.front()->path();
    for (std::uint64_t rank : out.factors.ranks) {
        if (rank == 0) continue;
        if (options.adapter_rank && *options.adapter_rank != rank) {
            return base::fail(
                ErrorKind::bad_input,
                base::format("the rank of the adapter is {}, not {} (--lora-r)", rank, *options.adapter_rank), where);
        }
    }
    for (const LogicalSource& factor : out.binding.tensors) {
        if (can_cast(factor.dtype, DType::f32)) continue;
        return base::fail(
            ErrorKind::unsupported,
            base::format("the factors of the adapter are {}, which is not a floating-point type", name(factor.dtype)),
            where);
    }
    out.index = std::move(index);
    return out;
}

// The factors, read from where they lie behind the tensors of the weights.
LogicalSource behind(LogicalSource factor, std::size_t tensors) {
    for (StoredPiece& piece : factor.pieces) piece.tensor += static_cast<std::uint32_t>(tensors);
    factor.replicas.clear();
    return factor;
}

Status check_scale(const AdapterFactors& factors, const AdapterScale& scale, const Path& where) {
    const auto rank = std::find_if(factors.ranks.begin(), factors.ranks.end(), [](auto one) { return one > 0; });
    if (scale.alpha || rank == factors.ranks.end()) return {};
    return base::fail(ErrorKind::usage,
                      base::format("there are adapters of rank {}, and nothing says how they are scaled; give "
                                   "--lora-alpha",
                                   *rank),
                      where);
}

Status merge(Source& source, BoundAdapter adapter, const AdapterScale& scale) {
    TRY(check_scale(adapter.factors, scale, adapter.index.files.front()->path()));
    TensorIndex& index = source.index;
    auto files = static_cast<std::uint32_t>(index.files == adapter.index.files ? 0 : index.files.size());
    std::size_t tensors = index.tensors.size();
    if (files > 0) index.files.insert(index.files.end(), adapter.index.files.begin(), adapter.index.files.end());
    for (IndexedTensor& tensor : adapter.index.tensors) {
        tensor.file += files;
        index.tensors.push_back(std::move(tensor));
    }
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < source.binding.tensors.size(); ++i) {
        std::uint64_t rank = adapter.factors.ranks[i];
        if (rank == 0) continue;
        LogicalSource& weight = source.binding.tensors[i];
        if (!can_cast(weight.dtype, DType::f32)) {
            return base::fail(ErrorKind::unsupported,
                              base::format("an adapter cannot be merged into {}, which is {}",
                                           source.model.tensors()[i].name, name(weight.dtype)),
                              source.directory);
        }
        LowRankSum sum;
        sum.left = behind(adapter.binding.tensors[adapter.factors.number(Factor::left, i)], tensors);
        sum.right = behind(adapter.binding.tensors[adapter.factors.number(Factor::right, i)], tensors);
        sum.rank = rank;
        sum.scale = static_cast<float>(*scale.alpha / scale.divisor(rank));
        weight.adapter = std::make_shared<const LowRankSum>(std::move(sum));
        ++count;
    }
    source.notes.push_back(base::format("the low-rank adapters of {} weights were merged", count));
    return {};
}

// The files of an adapter in a Megatron layout: the factors, and what their names and shapes tell of the layout.
struct MegatronAdapter {
    MegatronCheckpoint checkpoint;
    TensorIndex factors;
    std::size_t weights = 0;  // tensors beside them
    bool alone = true;        // none of these is changed by the factors
};

Result<MegatronAdapter> open_megatron_adapter(base::FileSystem& fs, const Knowledge& knowledge, const Path& directory) {
    if (!is_megatron_checkpoint(fs, directory)) {
        return base::fail(
            ErrorKind::bad_input,
            base::format("there is no LoRA adapter in it: neither {} nor a Megatron checkpoint", kPeftConfig),
            directory);
    }
    MegatronAdapter out;
    TRY_ASSIGN(out.checkpoint, open_megatron(fs, knowledge, directory));
    bool rank_files = !out.checkpoint.torch_dist;
    TensorIndex& index = out.checkpoint.index;
    TRY_ASSIGN(out.factors, take_adapters(index, knowledge.adapters, rank_files));
    if (out.factors.tensors.empty())
        return base::fail(ErrorKind::bad_input, "there is no LoRA adapter in it", directory);
    out.weights = index.tensors.size();
    out.alone = is_adapter_alone(index, out.factors);
    if (out.alone) index = adapted_weights(out.factors, rank_files);
    return out;
}

// The weights of a PEFT directory's adapter as its model's Hugging Face files would have them.
Result<Layout> peft_layout(const Model& model, const TensorIndex& factors) {
    return hf_layout(model, find_variant(model.mapping(), adapted_weights(factors, false)));
}

Result<TensorIndex> peft_factors(PeftDirectory& peft, const AdapterFormats& formats, const Path& directory) {
    TRY_ASSIGN(TensorIndex factors, take_adapters(peft.index, formats, false));
    if (peft.index.tensors.empty() && !factors.tensors.empty()) return factors;
    return base::fail(
        ErrorKind::unsupported,
        peft.index.tensors.empty()
            ? "there is no LoRA adapter in it"
            : base::format(
                  "{} is not a factor of a LoRA adapter; other kinds of adapters and weights that were trained "
                  "with them (modules_to_save) cannot be read",
                  peft.index.tensors.front().name),
        directory);
}

// The factors in a checkpoint that ranks wrote in shards, under PEFT's names.
struct ShardedAdapter {
    ShardedSource shards;  // the weights next to the factors, if any
    TensorIndex factors;
    AdapterScale scale;
};

Result<ShardedAdapter> open_sharded_adapter(base::FileSystem& fs, const Knowledge& knowledge,
                                            const SourceOptions& options, const Path& directory) {
    ShardedAdapter out;
    TRY_ASSIGN(out.shards, open_sharded(fs, knowledge.distributed, directory, options.hf_config_dir));
    TRY(check_readable(out.shards));
    TRY_ASSIGN(out.factors, take_adapters(out.shards.weights, knowledge.adapters, false));
    if (out.factors.tensors.empty())
        return base::fail(ErrorKind::bad_input, "there is no LoRA adapter in it", directory);
    const Path said = base::join(directory, kAdapterSays);
    JsonDocument config;
    if (fs.exists(said)) {
        TRY_ASSIGN(const std::string text, base::read_file(fs, said));
        TRY_ASSIGN(config, base::parse_json(text, said, base::kPythonJson));
    }
    out.scale = scale_of(options, config.root);
    return out;
}

// An adapter whose factors have the names of Hugging Face's weights. `config`: where config.json is.
Result<AdapterSource> named_adapter(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options,
                                    TensorIndex factors, const AdapterScale& scale, const Path& config) {
    AdapterSource out;
    out.scale = scale;
    Source& source = out.source;
    source.side = Side::huggingface;
    source.companions = config;
    TRY_ASSIGN(source.config, read_hf_config(fs, source.companions));
    TRY_ASSIGN(const ModelMapping* mapping, options.family.empty() ? knowledge.families.for_config(*source.config)
                                                                   : knowledge.families.for_name(options.family));
    TRY_ASSIGN(ModelValues values, values_from_config(*mapping, *source.config));
    values["mtp"] = 0;
    TRY_ASSIGN(out.weights, Model::make(*mapping, std::move(values)));
    TRY_ASSIGN(Layout layout, peft_layout(out.weights, factors));
    TRY_ASSIGN(BoundAdapter bound, bind_adapter(out.weights, layout, std::move(factors), options));
    TRY(share_equal_factors(bound.factors, bound.index, bound.binding));
    source.index = std::move(bound.index);
    source.binding = std::move(bound.binding);
    source.model = bound.factors.model;
    out.factors = std::move(bound.factors);
    return out;
}

Result<AdapterSource> open_peft_adapter(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options,
                                        const Path& directory) {
    TRY_ASSIGN(PeftDirectory peft, open_peft(fs, directory));
    TRY_ASSIGN(TensorIndex factors, peft_factors(peft, knowledge.adapters, directory));
    TRY_ASSIGN(AdapterSource out,
               named_adapter(fs, knowledge, options, std::move(factors), scale_of(options, peft.config.root),
                             options.hf_config_dir.empty() ? options.directory : options.hf_config_dir));
    out.source.title = "PEFT adapter";
    out.source.directory = directory;
    return out;
}

Result<AdapterSource> open_adapter_in_shards(base::FileSystem& fs, const Knowledge& knowledge,
                                             const SourceOptions& options, const Path& directory) {
    TRY_ASSIGN(ShardedAdapter adapter, open_sharded_adapter(fs, knowledge, options, directory));
    const Path config = adapter.shards.config.empty() ? options.directory : adapter.shards.config;
    TRY_ASSIGN(AdapterSource out,
               named_adapter(fs, knowledge, options, std::move(adapter.factors), adapter.scale, config));
    out.source.title = base::format("adapter in {}", title_of(adapter.shards));
    out.source.directory = directory;
    out.beside = adapter.shards.weights.tensors.size();
    out.alone = out.beside == 0;
    return out;
}

}  // namespace

double AdapterScale::divisor(std::uint64_t rank) const {
    auto number = static_cast<double>(rank);
    return root ? std::sqrt(number) : number;
}

Status merge_adapters(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options,
                      TensorIndex factors, Source& source) {
    if (!factors.tensors.empty() && !options.adapter.empty()) {
        return base::fail(ErrorKind::usage,
                          "the checkpoint of --load-dir has adapters of its own; --lora-load cannot be given too",
                          source.directory);
    }
    AdapterScale scale = scale_of(options, source.args);
    std::optional<Path> shards;
    if (!options.adapter.empty()) {
        TRY_ASSIGN(shards, find_sharded(fs, knowledge.distributed, options.adapter));
    }
    Layout layout;
    if (!factors.tensors.empty()) {
        TRY_ASSIGN(layout,
                   source.parallel ? mcore_layout(source.model, *source.parallel) : peft_layout(source.model, factors));
    } else if (options.adapter.empty()) {
        return {};
    } else if (is_peft_directory(fs, options.adapter)) {
        TRY_ASSIGN(PeftDirectory peft, open_peft(fs, options.adapter));
        scale = scale_of(options, peft.config.root);
        TRY_ASSIGN(factors, peft_factors(peft, knowledge.adapters, options.adapter));
        TRY_ASSIGN(layout, peft_layout(source.model, factors));
    } else if (shards) {
        TRY_ASSIGN(ShardedAdapter adapter, open_sharded_adapter(fs, knowledge, options, *shards));
        scale = adapter.scale;
        factors = std::move(adapter.factors);
        TRY_ASSIGN(layout, peft_layout(source.model, factors));
    } else {
        TRY_ASSIGN(MegatronAdapter adapter, open_megatron_adapter(fs, knowledge, options.adapter));
        if (!scale.alpha) scale = scale_of(options, adapter.checkpoint.args);
        TRY_ASSIGN(FoundLayout found, find_layout(adapter.checkpoint, source.model.mapping(), knowledge.targets));
        if (found.layers != source.model.layers()) {
            return base::fail(
                ErrorKind::bad_input,
                base::format("the adapter is of {} layers, but the model has {}", found.layers, source.model.layers()),
                options.adapter);
        }
        if (source.parallel) found.parallel.kv_sharing = source.parallel->kv_sharing;
        TRY_ASSIGN(ParallelLayout parallel, fit_layout(adapter.checkpoint, source.model, found));
        TRY_ASSIGN(layout, mcore_layout(source.model, parallel));
        factors = std::move(adapter.factors);
    }
    TRY_ASSIGN(BoundAdapter adapter, bind_adapter(source.model, layout, std::move(factors), options));
    return merge(source, std::move(adapter), scale);
}

Result<std::uint64_t> AdapterSource::rank() const {
    std::set<std::uint64_t> found(factors.ranks.begin(), factors.ranks.end());
    found.erase(0);
    if (found.size() == 1) return *found.begin();
    return base::fail(
        ErrorKind::unsupported,
        base::format("the adapter has the ranks {}, but there all have one: it can be merged only (without "
                     "--save-lora)",
                     base::joined(found, ", ")),
        source.directory);
}

Status AdapterSource::join(std::uint64_t joined) {
    TRY_ASSIGN(std::uint64_t before, rank());
    bind_zeros(factors, source.index, source.binding);
    source.model = factors.model;
    if (joined == before) return {};
    scale.alpha = *scale.alpha / scale.divisor(before) * scale.divisor(joined);
    source.notes.push_back(base::format(
        "weights that are one module there have adapters of their own: the rank of all becomes {} instead of {}, and "
        "alpha {}",
        joined, before, *scale.alpha));
    for (std::uint64_t& each : factors.ranks) each = each > 0 ? joined : 0;
    return {};
}

Status add_adapter_arguments(const AdapterSource& adapter, Json& args) {
    TRY_ASSIGN(std::uint64_t rank, adapter.rank());
    auto add = [&](std::string name, const Json& value) { args.object()->emplace_back(std::move(name), value); };
    add("lora_r", Json(static_cast<std::int64_t>(rank), 0));
    add("lora_alpha", Json(*adapter.scale.alpha, 0));
    if (adapter.scale.root) add("use_rslora", Json(true, 0));
    return {};
}

namespace {

Result<AdapterSource> read_adapter(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options) {
    const Path& directory = options.adapter.empty() ? options.directory : options.adapter;
    if (is_peft_directory(fs, directory)) return open_peft_adapter(fs, knowledge, options, directory);
    TRY_ASSIGN(const auto shards, find_sharded(fs, knowledge.distributed, directory));
    if (shards) return open_adapter_in_shards(fs, knowledge, options, *shards);
    AdapterSource out;
    TRY_ASSIGN(MegatronAdapter adapter, open_megatron_adapter(fs, knowledge, directory));
    TRY_ASSIGN(out.source, identify(fs, adapter.checkpoint, knowledge, options));
    out.weights = std::move(out.source.model);
    out.scale = scale_of(options, out.source.args);
    TRY_ASSIGN(Layout layout, mcore_layout(out.weights, *out.source.parallel));
    TRY_ASSIGN(BoundAdapter bound, bind_adapter(out.weights, layout, std::move(adapter.factors), options));
    out.source.index = std::move(bound.index);
    out.source.binding = std::move(bound.binding);
    out.source.model = bound.factors.model;
    out.factors = std::move(bound.factors);
    out.beside = adapter.weights;
    out.alone = adapter.alone;
    return out;
}

std::optional<double> product_scale(const AdapterScale& scale, std::uint64_t rank) {
    return scale.alpha && rank > 0 ? std::optional(*scale.alpha / scale.divisor(rank)) : std::nullopt;
}

// Of a PEFT directory of which nothing says whose weights it changes.
Result<Source> nameless_adapter(base::FileSystem& fs, const SourceOptions& options) {
    TRY_ASSIGN(PeftDirectory peft, open_peft(fs, options.directory));
    const Json* rank = peft.config.root.find("r");
    const auto* number = rank == nullptr ? nullptr : rank->integer();
    const std::uint64_t said = number == nullptr ? 0 : static_cast<std::uint64_t>(std::max<std::int64_t>(*number, 0));
    const auto scale = product_scale(scale_of(options, peft.config.root), said);
    TRY_ASSIGN(Source out, plain_source(std::move(peft.index), nullptr, "there is no config.json", options));
    out.adapter_scale = scale;
    out.adapter_rank = said;
    return out;
}

}  // namespace

Result<AdapterSource> open_adapter(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options) {
    TRY_ASSIGN(AdapterSource out, read_adapter(fs, knowledge, options));
    if (out.beside > 0)
        out.source.notes.push_back(base::format("{} weights next to the adapter are left out", out.beside));
    out.source.adapter_rank = *std::max_element(out.factors.ranks.begin(), out.factors.ranks.end());
    out.source.adapter_scale = product_scale(out.scale, out.source.adapter_rank);
    return out;
}

Status check_scaled(const AdapterSource& adapter) {
    return check_scale(adapter.factors, adapter.scale, adapter.source.directory);
}

Result<Source> open_comparable(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options,
                               Copies copies) {
    const bool is_peft = is_peft_directory(fs, options.directory);
    const Path& config = options.hf_config_dir.empty() ? options.directory : options.hf_config_dir;
    if (is_peft && !fs.exists(base::join(config, "config.json"))) return nameless_adapter(fs, options);
    auto source = is_peft ? Result<Source>() : open_source(fs, knowledge, options, copies);
    if (!is_peft && source) return source;
    auto adapter = open_adapter(fs, knowledge, options);
    if (adapter && (is_peft || adapter->alone)) return std::move(adapter->source);
    return is_peft ? Result<Source>(tl::unexpected(adapter.error())) : source;
}

}  // namespace ckpt
