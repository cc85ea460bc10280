#include "ckpt_convert/app/inspect.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"
#include "ckpt_convert/mapping/model_mapping.h"
#include "ckpt_convert/open/adapters.h"
#include "ckpt_convert/open/legacy_checkpoint.h"
#include "ckpt_convert/open/missing_checkpoint.h"
#include "ckpt_convert/open/peft_directory.h"
#include "ckpt_convert/open/sharded_source.h"
#include "ckpt_convert/plan/adapter_source.h"
#include "ckpt_convert/target/rank_matrix.h"

namespace ckpt {
namespace {

struct Found {
    std::string kind;  // "huggingface", "megatron", "sharded", "adapter", "file"
    std::string headline;
    std::vector<std::pair<std::string, std::string>> facts;
    TensorIndex index;
    Path root;
};

void add_layout_facts(Found& found, const Source& source) {
    const ParallelLayout& layout = *source.parallel;
    const Placement& placement = layout.placement;
    const std::uint32_t layers = source.model.layers();
    const auto vocab = static_cast<std::uint64_t>(source.model.values().at("vocab"));
    if (!source.legacy) found.facts.emplace_back("tensor names", layout.dialect.text());
    if (placement.slots != layers) found.facts.emplace_back("layers with noop layers", std::to_string(placement.slots));
    if (layout.padded_vocab > vocab)
        found.facts.emplace_back("rows of padding", std::to_string(layout.padded_vocab - vocab));
    for (std::size_t pp = 0; pp < placement.stages.size() && placement.pp() > 1; ++pp) {
        std::vector<std::string> chunks;
        for (const auto& chunk : placement.stages[pp]) chunks.push_back(layer_ranges(chunk));
        found.facts.emplace_back(base::format("layers of pipeline rank {}", pp), base::joined(chunks, " | "));
    }
}

// What the weights say when they are matched with a model family; why not, when they cannot be.
void add_model_facts(Found& found, const Result<Source>& source) {
    if (!source) {
        found.facts.emplace_back("not convertible", source.error().unescaped_text());
        return;
    }
    found.facts.emplace_back("family", source->model.mapping().family);
    found.facts.emplace_back("layers", std::to_string(source->model.layers()));
    found.facts.emplace_back("parameters", base::human_count(source->model.parameters()));
    if (source->parallel) add_layout_facts(found, *source);
}

SourceOptions options_for(const Path& directory) {
    SourceOptions options;
    options.directory = directory;
    return options;
}

Result<Found> found_hf(base::FileSystem& fs, const Knowledge& knowledge, const Path& path) {
    Found found{"huggingface", "Hugging Face checkpoint", {}, {}, path};
    TRY_ASSIGN(found.index, open_hf_weights(fs, path));
    auto config = read_hf_config(fs, path);
    if (!config) {
        found.facts.emplace_back("config", config.error().message);
        return found;
    }
    const Json* type = config->root.find("model_type");
    if (type != nullptr && type->string() != nullptr) found.facts.emplace_back("model type", *type->string());
    add_model_facts(found, source_of({path, std::move(*config), found.index}, knowledge, options_for(path)));
    return found;
}

std::string argument_text(const Json& value) {
    if (const auto* integer = value.integer()) return std::to_string(*integer);
    if (const auto* flag = value.boolean()) return *flag ? "true" : "false";
    if (const auto* real = value.real()) return base::format("{}", *real);
    if (const auto* text = value.string()) return *text;
    return value.is_null() ? "none" : value.kind_name();
}

Result<Found> found_megatron(base::FileSystem& fs, const Knowledge& knowledge, const Path& path) {
    TRY_ASSIGN(MegatronCheckpoint checkpoint, open_megatron_checkpoint(fs, path));
    TensorIndex as_stored = checkpoint.index;
    TRY(name_as_core(knowledge, checkpoint));
    Found found{"megatron",
                base::format("Megatron checkpoint ({} format)", checkpoint.torch_dist ? "torch_dist" : "torch"),
                {},
                std::move(as_stored),
                checkpoint.directory};
    found.facts.emplace_back("iteration", checkpoint.iteration);
    if (checkpoint.legacy) {
        found.headline = "Megatron legacy checkpoint (torch format)";
        found.facts.emplace_back("checkpoint version", base::format("{}", checkpoint.version.value_or(0)));
    }
    if (!checkpoint.torch_dist) {
        found.facts.emplace_back("tensor parallel", std::to_string(checkpoint.tp));
        found.facts.emplace_back("pipeline parallel", std::to_string(checkpoint.pp));
        if (checkpoint.ep > 1) found.facts.emplace_back("expert parallel", std::to_string(checkpoint.ep));
    }
    if (checkpoint.virtual_stages)
        found.facts.emplace_back("virtual stages", std::to_string(checkpoint.ranks.front().chunks));
    Json args = checkpoint.args;
    auto factors = take_adapters(checkpoint.index, knowledge.adapters, !checkpoint.torch_dist);
    if (factors && !factors->tensors.empty()) {
        found.facts.emplace_back("factors of LoRA adapters", std::to_string(factors->tensors.size()));
    }
    bool adapter_alone = factors && is_adapter_alone(checkpoint.index, *factors);
    if (adapter_alone) checkpoint.index = adapted_weights(*factors, !checkpoint.torch_dist);
    add_model_facts(found, adapter_alone ? identify(fs, checkpoint, knowledge, options_for(path))
                                         : source_of(fs, std::move(checkpoint), knowledge, options_for(path)));
    if (args.object() == nullptr) return found;
    for (const auto& [name, value] : *args.object()) {
        if (!value.is_null()) found.facts.emplace_back("args." + name, argument_text(value));
    }
    return found;
}

Result<Found> found_peft(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(PeftDirectory peft, open_peft(fs, path));
    Found found{"adapter", "PEFT adapter", {}, std::move(peft.index), path};
    for (const char* key : {"r", "lora_alpha"}) {
        const Json* value = peft.config.root.find(key);
        if (value != nullptr) found.facts.emplace_back(key, argument_text(*value));
    }
    return found;
}

// Every tensor as one, whatever its shards.
TensorIndex without_parts(const TensorIndex& index) {
    TensorIndex out;
    out.files = index.files;
    for (const IndexedTensor& tensor : index.tensors) {
        if (!out.tensors.empty() && out.tensors.back().name == tensor.name) continue;
        out.tensors.push_back(tensor);
        if (!tensor.whole_shape.empty()) out.tensors.back().shape = tensor.whole_shape;
    }
    return out;
}

std::uint64_t most_shards(const TorchDistIndex& content) {
    std::uint64_t out = 0;
    for (const auto& tensor : content.tensors) {
        std::uint64_t shards = tensor.chunks.size();
        if (tensor.flat.vector) {
            const std::uint64_t elements = *checked_elements(tensor.shape);
            for (std::uint64_t at = 0; at < elements; ++shards)
                at += tensor.flat.vector->run(tensor.flat.first, elements, at, elements - at).elements;
        }
        out = std::max(out, shards);
    }
    return out;
}

Result<Found> found_sharded(base::FileSystem& fs, const Knowledge& knowledge, const Path& path, const Path& directory) {
    TRY_ASSIGN(ShardedSource source, open_sharded(fs, knowledge.distributed, directory, ""));
    Found found{"sharded", source.checkpoint.format, {}, without_parts(source.weights), directory};
    const TorchDistIndex& content = source.checkpoint.content;
    if (directory != path) found.facts.emplace_back("directory", directory);
    if (!source.saved_by.empty()) found.facts.emplace_back("saved by", source.saved_by);
    if (!content.version.empty()) found.facts.emplace_back("version", content.version);
    if (source.checkpoint.ranks > 0)
        found.facts.emplace_back("ranks that wrote files", std::to_string(source.checkpoint.ranks));
    found.facts.emplace_back("shards of a tensor", base::format("up to {}", most_shards(content)));
    found.facts.emplace_back("weights", std::to_string(source.weight_count));
    found.facts.emplace_back("state of the optimizer", source.has_optimizer ? "yes" : "no");
    if (source.step) found.facts.emplace_back("steps of the optimizer", base::format("{}", *source.step));
    TensorIndex weights = source.weights;
    TRY_ASSIGN(const TensorIndex factors, take_adapters(weights, knowledge.adapters, false));
    if (const TensorIndex whole = without_parts(factors); !whole.tensors.empty())
        found.facts.emplace_back("factors of LoRA adapters", std::to_string(whole.tensors.size()));
    for (const std::string& beside : source.beside) found.facts.emplace_back("there is also", beside);
    found.facts.emplace_back("config.json", source.config.empty() ? "none" : base::join(source.config, "config.json"));
    add_model_facts(found, open_comparable(fs, knowledge, options_for(path), Copies::trusted));
    return found;
}

Result<Found> found_file(base::FileSystem& fs, const Knowledge& knowledge, std::string headline, const Path& path) {
    Found found{"file", std::move(headline), {}, {}, base::parent(path)};
    if (auto added = add_every_tensor(found.index, fs, path); !added) {
        TRY(knowledge.foreign.refuse(fs, path));
        return tl::unexpected(added.error());
    }
    return found;
}

Result<Found> find(base::FileSystem& fs, const Knowledge& knowledge, const Path& path) {
    if (!fs.exists(path)) return tl::unexpected(missing_checkpoint(fs, path));
    TRY_ASSIGN(auto info, fs.info(path));
    if (info.kind == FileKind::directory) {
        if (is_peft_directory(fs, path)) return found_peft(fs, path);
        const Path rank_file = base::join(path, kRankFile);
        if (fs.exists(rank_file)) return found_file(fs, knowledge, "rank of a Megatron checkpoint", rank_file);
        TRY_ASSIGN(const auto shards, find_sharded(fs, knowledge.distributed, path));
        if (shards) return found_sharded(fs, knowledge, path, *shards);
        TRY(refuse_foreign(fs, knowledge, path));
        return is_megatron_checkpoint(fs, path) ? found_megatron(fs, knowledge, path) : found_hf(fs, knowledge, path);
    }
    return found_file(fs, knowledge, "weight file", path);
}

std::string relative(const Found& found, const IndexedTensor& tensor) {
    const Path& path = found.index.files[tensor.file]->path();
    std::string prefix = found.root.ends_with('/') ? found.root : found.root + "/";
    return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

std::map<std::string, std::uint64_t> bytes_by_dtype(const TensorIndex& index) {
    std::map<std::string, std::uint64_t> out;
    for (const auto& tensor : index.tensors) out[std::string(name(tensor.dtype))] += tensor.bytes();
    return out;
}

// The tensors of a layer, in one directory: in rank files the numbers of layers begin anew.
struct LayerRow {
    std::uint64_t tensors = 0;
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0;
};
// Directory, what is in front of the first number of the name, the number.
using LayerKey = std::tuple<std::string, std::string, std::optional<std::uint64_t>>;

LayerKey layer_key(const Found& found, const IndexedTensor& tensor) {
    const std::string directory = base::parent(relative(found, tensor));
    std::string stem;
    for (const std::string_view part : base::split(tensor.name, '.')) {
        std::uint64_t number = 0;
        const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), number);
        if (code == std::errc() && end == part.data() + part.size()) return {directory, stem, number};
        stem += (stem.empty() ? "" : ".") + std::string(part);
    }
    return {directory, "(no layer)", std::nullopt};
}

std::map<LayerKey, LayerRow> layer_rows(const Found& found) {
    std::map<LayerKey, LayerRow> out;
    for (const auto& tensor : found.index.tensors) {
        LayerRow& row = out[layer_key(found, tensor)];
        ++row.tensors;
        row.elements += checked_elements(tensor.shape).value_or(0);
        row.bytes += tensor.bytes();
    }
    return out;
}

std::string layer_name(const LayerKey& key) {
    const auto& number = std::get<2>(key);
    return number ? base::format("{}.{}", std::get<1>(key), *number) : std::get<1>(key);
}

void write_layers(base::JsonWriter& json, const Found& found) {
    json.key("layers").begin_array();
    for (const auto& [key, row] : layer_rows(found)) {
        json.begin_object().key("name").string(layer_name(key)).key("directory").string(std::get<0>(key));
        json.key("tensors").unsigned_integer(row.tensors).key("elements").unsigned_integer(row.elements);
        json.key("bytes").unsigned_integer(row.bytes).end_object();
    }
    json.end_array();
}

void write_tensors(base::JsonWriter& json, const Found& found) {
    json.key("tensors").begin_array();
    for (const auto& tensor : found.index.tensors) {
        json.begin_object()
            .key("name")
            .string(tensor.name)
            .key("dtype")
            .string(name(tensor.dtype))
            .key("shape")
            .begin_array();
        for (std::uint64_t extent : tensor.shape) json.unsigned_integer(extent);
        json.end_array().key("bytes").unsigned_integer(tensor.bytes()).key("file").string(relative(found, tensor));
        json.key("offset").unsigned_integer(tensor.offset).end_object();
    }
    json.end_array();
}

std::string as_json(const Found& found, const InspectOptions& options) {
    base::JsonWriter json(1);
    json.begin_object().key("schema").string("checkpoint-listing/1").key("kind").string(found.kind);
    json.key("facts").begin_object();
    for (const auto& [key, value] : found.facts) json.key(key).string(value);
    json.end_object();
    json.key("elements")
        .unsigned_integer(found.index.total_elements())
        .key("bytes")
        .unsigned_integer(found.index.total_bytes());
    if (options.layers) write_layers(json, found);
    else if (!options.summary) write_tensors(json, found);
    json.end_object();
    return std::move(json).take() + "\n";
}

std::string layers_text(const base::Language& say, const Found& found) {
    const auto rows = layer_rows(found);
    std::size_t widest = 5;
    for (const auto& [key, row] : rows) widest = std::max(widest, base::printable(layer_name(key)).size());
    std::string out = say.format("\n  {:<{}}  {:>7}  {:>10}  {:>10}  {}\n", say.text("layer"), widest,
                                 say.text("tensors"), say.text("elements"), say.text("size"), say.text("directory"));
    for (const auto& [key, row] : rows)
        out += base::show("  {:<{}}  {:>7}  {:>10}  {:>10}  {}\n", layer_name(key), widest, row.tensors,
                          base::human_count(row.elements), base::human_bytes(row.bytes), std::get<0>(key));
    return out;
}

std::string as_text(const base::Language& say, const Found& found, const InspectOptions& options) {
    std::string out = say.show("{}: {}\n", options.path, say.said(found.headline));
    for (const auto& [key, value] : found.facts)
        out += say.show("  {:<34} {}\n", say.said(key),
                        value.find(' ') == value.npos ? say.text(value) : say.said_of_name(value));
    std::vector<std::string> dtypes;
    for (const auto& [dtype, bytes] : bytes_by_dtype(found.index))
        dtypes.push_back(base::format("{} {}", dtype, base::human_bytes(bytes)));
    out += say.format("  {} in {}, {} elements, {} ({})\n", say.plural(found.index.tensors.size(), "tensor"),
                      say.plural(found.index.files.size(), "file"), base::human_count(found.index.total_elements()),
                      base::human_bytes(found.index.total_bytes()), base::joined(dtypes, ", "));
    if (options.summary) return out;
    if (options.layers) return out + layers_text(say, found);
    std::size_t widest = 4, widest_shape = 5;
    for (const auto& tensor : found.index.tensors) {
        widest = std::max(widest, base::printable(tensor.name).size());
        widest_shape = std::max(widest_shape, to_string(tensor.shape).size());
    }
    out += say.format("\n  {:<{}}  {:<8} {:<{}}  {:>10}  {}\n", say.text("name"), widest, "dtype", say.text("shape"),
                      widest_shape, say.text("size"), say.text("file"));
    for (const auto& tensor : found.index.tensors) {
        out += base::show("  {:<{}}  {:<8} {:<{}}  {:>10}  {}\n", tensor.name.get(), widest, name(tensor.dtype),
                          to_string(tensor.shape), widest_shape, base::human_bytes(tensor.bytes()),
                          relative(found, tensor));
    }
    return out;
}

}  // namespace

Result<std::string> inspect(base::FileSystem& fs, const Knowledge& knowledge, const InspectOptions& options, bool json,
                            const base::Language& language) {
    TRY_ASSIGN(Found found, find(fs, knowledge, options.path));
    if (!options.filter.empty()) {
        std::erase_if(found.index.tensors,
                      [&](const IndexedTensor& tensor) { return !matches_pattern(options.filter, tensor.name); });
        if (found.index.tensors.empty())
            return base::fail(
                ErrorKind::usage,
                base::format("--filter: no tensor is called \"{}\"; * stands for any text", options.filter));
    }
    return json ? as_json(found, options) : as_text(language, found, options);
}

}  // namespace ckpt
