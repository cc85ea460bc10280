#include "ckpt_convert/app/planned_model.h"

#include "base/format.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/job/shape_rules.h"
#include "ckpt_convert/open/language_part.h"
#include "ckpt_convert/open/option_values.h"

namespace ckpt {
namespace {

using Sizes = std::map<std::string, std::int64_t, std::less<>>;

// `option`: for messages.
Result<Sizes> sizes_of(std::string_view option, std::string_view text) {
    Sizes out;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string item(text.substr(0, comma));
        const std::size_t equals = item.find('=');
        if (equals == std::string::npos)
            return base::fail(ErrorKind::usage, base::format("{}: NAME=NUMBER is expected, not \"{}\"", option, item));
        TRY_ASSIGN(out[item.substr(0, equals)], whole_option(std::string(option), item.substr(equals + 1)));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return out;
}

// What is above is a slip: products of more would not fit into a number.
constexpr std::int64_t kMostWidth = 1 << 20, kMostExperts = 1 << 16, kMostRows = std::int64_t{1} << 32;
constexpr double kMostParameters = 1e18;

struct SizeName {
    const char* name;
    std::int64_t GivenSizes::*member;
    bool needed = false;
    std::int64_t most = kMostWidth;
};
constexpr SizeName kSizeNames[] = {
    {"layers", &GivenSizes::layers, true},
    {"hidden", &GivenSizes::hidden, true},
    {"heads", &GivenSizes::heads, true},
    {"vocab", &GivenSizes::vocab, true, kMostRows},
    {"ffn", &GivenSizes::ffn, true},
    {"kv_heads", &GivenSizes::kv_heads},
    {"head_dim", &GivenSizes::head_dim},
    {"experts", &GivenSizes::experts, false, kMostExperts},
    {"topk", &GivenSizes::topk},
    {"moe_ffn", &GivenSizes::moe_ffn},
    {"shared_ffn", &GivenSizes::shared_ffn},
    {"dense_layers", &GivenSizes::dense_layers},
    {"moe_every", &GivenSizes::moe_every},
    {"mtp", &GivenSizes::mtp},
    {"q_rank", &GivenSizes::q_rank},
    {"kv_rank", &GivenSizes::kv_rank},
    {"nope_dim", &GivenSizes::nope_dim},
    {"rope_dim", &GivenSizes::rope_dim},
    {"value_dim", &GivenSizes::value_dim},
    {"positions", &GivenSizes::positions, false, kMostRows},
};
struct SwitchName {
    const char* name;
    bool GivenSizes::*member;
};
constexpr SwitchName kSwitchNames[] = {
    {"tied", &GivenSizes::tied},        {"gated", &GivenSizes::gated},       {"rms_norm", &GivenSizes::rms_norm},
    {"bias", &GivenSizes::linear_bias}, {"qkv_bias", &GivenSizes::qkv_bias}, {"qk_norm", &GivenSizes::qk_norm},
};

struct TowerSize {
    const char* name;
    std::int64_t TowerShape::*member;
    bool needed = false;
};
constexpr TowerSize kTowerSizes[] = {
    {"hidden", &TowerShape::hidden, true},   {"layers", &TowerShape::layers, true},
    {"heads", &TowerShape::heads, true},     {"ffn", &TowerShape::ffn, true},
    {"patches", &TowerShape::patches, true}, {"images", &TowerShape::images},
    {"merge", &TowerShape::merge},           {"patch_values", &TowerShape::patch_values},
    {"stages", &TowerShape::stages},
};

// Sizes of the model that nothing can be planned with, whoever says them.
Status check_sizes(const ModelShape& shape, ErrorKind kind) {
    const auto within = [](std::int64_t size, std::int64_t most) { return size >= 0 && size <= most; };
    if (!within(shape.hidden, kMostWidth))
        return base::fail(kind, base::format("a hidden size of {} is not plausible", shape.hidden));
    if (!within(shape.vocab, kMostRows))
        return base::fail(kind, base::format("a vocabulary of {} rows is not plausible", shape.vocab));
    double parameters = static_cast<double>(shape.vocab) * static_cast<double>(shape.hidden);
    for (const LayerShape& layer : shape.kinds) {
        if (!within(layer.heads, kMostWidth) || !within(layer.head_dim, kMostWidth) || !within(layer.ffn, kMostWidth))
            return base::fail(kind,
                              base::format("layers of {} attention heads of {}, with MLPs {} wide, are not plausible",
                                           layer.heads, layer.head_dim, layer.ffn));
        if (layer.attention == Attention::grouped && layer.kv_heads > 0 && layer.heads % layer.kv_heads != 0)
            return base::fail(kind, base::format("{} attention heads cannot share {} heads of keys and values evenly",
                                                 layer.heads, layer.kv_heads));
    }
    for (const std::uint16_t layer : shape.layers)
        parameters += static_cast<double>(shape.kinds[layer].parameters.total());
    if (parameters <= kMostParameters) return {};
    return base::fail(kind, base::format("a model of {:.3g} parameters is not plausible", parameters));
}

Result<PlannedModel> of_sizes(Sizes given) {
    GivenSizes sizes;
    for (const SizeName& name : kSizeNames) {
        auto found = given.extract(name.name);
        if (!found.empty()) sizes.*name.member = found.mapped();
        if (name.needed && sizes.*name.member < 1)
            return base::fail(ErrorKind::usage, base::format("--sizes: {} is needed, and above 0", name.name));
        if (sizes.*name.member < 0 || sizes.*name.member > name.most)
            return base::fail(ErrorKind::usage, base::format("--sizes: {} is not plausible", name.name));
    }
    for (const SwitchName& name : kSwitchNames) {
        auto found = given.extract(name.name);
        if (!found.empty()) sizes.*name.member = found.mapped() != 0;
    }
    if (!given.empty())
        return base::fail(ErrorKind::usage, base::format("--sizes: there is no size \"{}\"", given.begin()->first));
    if (sizes.layers > kMaxLayers)
        return base::fail(ErrorKind::usage, base::format("--sizes: {} is not plausible", "layers"));
    if (sizes.moe_every < 1) sizes.moe_every = 1;
    PlannedModel out;
    out.title = base::format("a model of {} layers", sizes.layers);
    out.shape = shape_of(sizes);
    TRY(check_sizes(out.shape, ErrorKind::usage));
    return out;
}

class Planned {
public:
    Planned(const Knowledge& knowledge, const base::DataStore& store, const Dialect& dialect)
        : knowledge_(knowledge), store_(store) {
        trained_.dialect = dialect;
    }

    Result<PlannedModel> of_family(const std::string& family, const Sizes& sizes) {
        TRY_ASSIGN(const ModelMapping* mapping, knowledge_.families.for_name(family));
        ModelValues values;
        for (const auto& [name, value] : sizes) values[name] = value;
        // What nobody says is what the family's file says.
        const JsonDocument none{"--sizes", Json(Json::Object(), 0), {}};
        for (const ValueRule& rule : mapping->values) {
            if (rule.each == Each::layer || values.contains(rule.name)) continue;
            if (!rule.fallback)
                return base::fail(ErrorKind::usage, base::format("--sizes: {} is needed, and above 0", rule.name));
            TRY_ASSIGN(values[rule.name], rule.fallback->evaluate(lookup_in(values)));
        }
        TRY_ASSIGN(const Model model, Model::make(*mapping, std::move(values)));
        return of(model);
    }

    Result<PlannedModel> of_config(const JsonDocument& config, const std::string& family) {
        TRY_ASSIGN(const auto language, language_config(knowledge_.containers, config));
        const JsonDocument& own = language ? language->document : config;
        TRY_ASSIGN(const ModelMapping* mapping, family.empty() ? family_of(own) : knowledge_.families.for_name(family));
        TRY_ASSIGN(ModelValues values, values_from_config(*mapping, own));
        TRY_ASSIGN(const Model model, Model::make(*mapping, std::move(values)));
        trained_.config = &own.root;
        TRY_ASSIGN(PlannedModel out, of(model));
        const Json* positions = own.root.find_path("max_position_embeddings");
        if (positions != nullptr && positions->integer() != nullptr && *positions->integer() > 0)
            out.positions = *positions->integer();
        else if (out.shape.positions > 0) out.positions = out.shape.positions;
        out.is_part = language.has_value();
        return out;
    }

    Result<PlannedModel> of_checkpoint(const Source& source) {
        trained_.config = source.config ? &source.config->root : nullptr;
        trained_.arguments = source.args.object() != nullptr ? &source.args : nullptr;
        TRY_ASSIGN(PlannedModel out, of(source.model));
        out.saved = source.parallel;
        return out;
    }

private:
    // A plan needs no names of tensors, so a family that is not known can be planned all the same.
    Result<const ModelMapping*> family_of(const JsonDocument& config) const {
        const auto found = knowledge_.families.for_config(config);
        const Json* type = config.root.find("model_type");
        if (found || found.error().kind != ErrorKind::unsupported || type == nullptr || type->string() == nullptr)
            return found;
        return base::fail(ErrorKind::unsupported,
                          base::format("no mapping file knows the model type \"{}\"; plan it by its sizes, --sizes "
                                       "layers=32,hidden=4096,heads=32,ffn=11008,vocab=32000, or as a family that has "
                                       "its structure, --model-type-hf NAME",
                                       *type->string()),
                          config.where(*type));
    }

    Result<PlannedModel> of(const Model& model) {
        TRY_ASSIGN(const ShapeRules rules, load_shape_rules(store_));
        TRY_ASSIGN(ModelShape shape, shape_of(model, trained_, rules));
        TRY(check_sizes(shape, ErrorKind::bad_input));
        PlannedModel out;
        out.title = base::format("{}, {} layers", shape.family, model.layers());
        out.shape = std::move(shape);
        out.model = model;
        return out;
    }

    const Knowledge& knowledge_;
    const base::DataStore& store_;
    TrainedAs trained_;
};

}  // namespace

Result<TowerShape> given_tower(const std::string& sizes) {
    TRY_ASSIGN(Sizes given, sizes_of("--tower", sizes));
    TowerShape out;
    out.name = "tower";
    for (const TowerSize& size : kTowerSizes) {
        auto found = given.extract(size.name);
        if (!found.empty()) out.*size.member = found.mapped();
        if (size.needed && out.*size.member < 1)
            return base::fail(ErrorKind::usage, base::format("--tower: {} is needed, and above 0", size.name));
        if (out.*size.member < 0 || out.*size.member > (std::int64_t{1} << 24))
            return base::fail(ErrorKind::usage, base::format("--tower: {} is not plausible", size.name));
    }
    if (auto gated = given.extract("gated"); !gated.empty()) out.gated = gated.mapped() != 0;
    if (auto trained = given.extract("trained"); !trained.empty()) out.trained = trained.mapped() != 0;
    if (!given.empty())
        return base::fail(ErrorKind::usage, base::format("--tower: there is no size \"{}\"", given.begin()->first));
    return out;
}

Result<PlannedModel> planned_model(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                   const SourceOptions& source, const std::string& sizes, const Dialect& dialect) {
    Planned planned(knowledge, store, dialect);
    if (!sizes.empty()) {
        if (!source.directory.empty())
            return base::fail(ErrorKind::usage, "a model and --sizes say the same thing; give one of them");
        TRY_ASSIGN(Sizes given, sizes_of("--sizes", sizes));
        if (!source.family.empty()) return planned.of_family(source.family, given);
        return of_sizes(std::move(given));
    }
    if (source.directory.empty())
        return base::fail(ErrorKind::usage, "a model is needed: a directory, a config.json, or --sizes");
    if (source.directory.ends_with(".json")) {
        TRY_ASSIGN(const std::string text, base::read_file(fs, source.directory));
        TRY_ASSIGN(const JsonDocument config, base::parse_json(text, source.directory));
        if (config.root.object() == nullptr)
            return base::fail(ErrorKind::bad_input, "config.json must hold an object", source.directory);
        return planned.of_config(config, source.family);
    }
    // Weights are not needed, and a model that is only downloaded in part has no whole index of them.
    if (fs.exists(base::join(source.directory, "config.json"))) {
        TRY_ASSIGN(const JsonDocument config, read_hf_config(fs, source.directory));
        return planned.of_config(config, source.family);
    }
    TRY_ASSIGN(const Source opened, open_source(fs, knowledge, source, Copies::trusted));
    return planned.of_checkpoint(opened);
}

}  // namespace ckpt
