// ModelMapping: a file of rules/models/: the weights of a model family, and how Hugging Face and mcore store them.
//
//   values   sizes and switches, from config.json or from the arguments of a Megatron checkpoint
//   weights  the logical tensors: full, unsharded, with layout-neutral names
//   hf       the tensors of a Hugging Face checkpoint, each made of one or more weights
//   mcore    the same for one rank of a Megatron checkpoint
//   args     what the arguments object of a Megatron checkpoint says
//   flags    what a training run must be told on its command line to use the checkpoint
//
// The format is described in rules/models/README.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/mapping/argument_rule.h"
#include "ckpt_convert/mapping/stored_rule.h"
#include "ckpt_convert/mapping/value_rule.h"

namespace ckpt {

// What a layout must be for the framework to run the model.
struct Requirement {
    DialectSelector dialect;
    std::optional<Expression> that;
    std::string because;
};
constexpr auto record_of(const Requirement*) {
    return base::record(
        "requirement", "what a layout must be for the framework to run the model",
        base::field("that", &Requirement::that, "an expression over the values and the facts of the layout").needed(),
        base::field("because", &Requirement::because, "the reason, which is shown").needed(),
        base::field("dialect", &Requirement::dialect,
                    "the dialects that it is about; without it all. It is then also the message for a Hugging Face "
                    "checkpoint whose tensors do not fit, if it does not hold for one rank"));
}

// What names of layers for multi-token prediction begin with.
struct MtpNames {
    DialectNames mcore;  // instead of "decoder.layers.{local_layer}."
    std::string hf;      // instead of all to "{layer}."; empty: as other layers
};
constexpr auto record_of(const MtpNames*) {
    return base::record(
        "mtp", "what names of layers for multi-token prediction begin with",
        base::field("mcore", &MtpNames::mcore, "instead of `decoder.layers.{local_layer}.`; an object: by dialect")
            .needed(),
        base::field("hf", &MtpNames::hf, "instead of all up to `{layer}.`; without it they are named as other layers"));
}

// What a mapping file says of its family before anything else.
struct Family {
    std::string family;
    std::string title;
    std::vector<std::string> model_types;  // "model_type" of config.json
    std::vector<std::string> peer_names;   // what --model-type-hf calls it
    std::vector<std::string> trained_by;   // the targets that have its layers; empty: all
    std::vector<std::string> hf_prefixes;  // what "{prefix}" may stand for; the first is written
    // torch_dist has each layer's tensors by themselves, even if all are alike; absent: no.
    std::optional<Expression> layers_apart;
};

struct ModelMapping : Family {
    std::string origin;               // the file, for messages
    std::vector<std::string> source;  // where the facts come from, for people
    // By model type: what the class of such configs takes for keys that a config lacks.
    std::map<std::string, Json, std::less<>> config_defaults;
    std::vector<ValueRule> values;
    std::vector<WeightRule> weights;
    std::vector<StoredRule> hf;
    std::vector<StoredRule> mcore;
    std::vector<Requirement> requirements;  // of mcore layouts
    std::vector<ArgumentRule> args;
    std::vector<ArgumentRule> flags;
    MtpNames mtp;
    std::vector<std::string> ignore;  // glob patterns of tensors that carry no weights, on either side

    // The names of a layer's tensor in layers for multi-token prediction.
    std::string mtp_hf_name(const std::string& name) const;
    std::string mtp_mcore_name(const std::string& name, const Dialect& dialect) const;
    // The first of the forms that `hf` has, which is the one that is written; "" when it has none.
    std::string hf_form() const;
    // Versions of megatron-core at which a name changes.
    std::vector<CoreVersion> version_boundaries() const;
    bool ignores(std::string_view tensor) const;
};

// Glob with "*" for any run of characters.
bool matches_pattern(std::string_view pattern, std::string_view text);
bool matches_any(const std::vector<std::string>& patterns, std::string_view text);

// All families of rules/models/.
class MappingRegistry {
public:
    // Strict: unknown keys, names without definition, weights that one side never stores are rule_data errors.
    static Result<MappingRegistry> load(const base::DataStore& store);

    const std::vector<ModelMapping>& families() const { return families_; }
    // The family of a config.json. Fails with unsupported, and says what can be done.
    Result<const ModelMapping*> for_config(const JsonDocument& config) const;
    // The family by its own name or a peer's name for it.
    Result<const ModelMapping*> for_name(std::string_view name) const;

private:
    Status add_config_defaults(const base::DataStore& store, const std::string& path);

    std::vector<ModelMapping> families_;  // by family name
};

}  // namespace ckpt
