// The files of rules/models/ as they stand in JSON: a family, and a block that families share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

// What a family and a block have in common.
struct MappingSections {
    std::vector<std::string> include;
    Named<ValueRule> values;
    Named<WeightRule> weights;
    List<HfTensor> hf;
    List<McoreTensor> mcore;
    std::optional<MtpNames> mtp;
    List<Requirement> requirements;
    Named<ArgumentRule> args, flags;
    std::vector<std::string> ignore;
};
constexpr auto record_of(const MappingSections*) {
    using base::field;
    using Sections = MappingSections;
    return base::record(
        "sections", "",
        field("include", &Sections::include,
              "blocks whose sections come before the file's own; a block may include blocks"),
        field("values", &Sections::values, "sizes and switches that the rest of the file computes with, by name"),
        field("weights", &Sections::weights, "the logical tensors, by name"),
        field("hf", &Sections::hf, "the tensors of a Hugging Face checkpoint, each made of one or more weights"),
        field("mcore", &Sections::mcore, "the same for one rank of a Megatron checkpoint"),
        field("mtp", &Sections::mtp, "what names of layers for multi-token prediction begin with"),
        field("requires", &Sections::requirements,
              "what a layout must be for the framework to run the model; a conversion to another one is refused"),
        field("args", &Sections::args, "the arguments object that a Megatron checkpoint carries, by name"),
        field("flags", &Sections::flags, "the command line of a training run (`training_args.sh`), by flag"),
        field(
            "ignore", &Sections::ignore,
            "patterns (`*` for any characters) of tensors that carry no weights, such as rotary frequencies, on either "
            "side"));
}

inline constexpr Literal kModelSchema = "model-mapping/1";

struct FamilyFile : RuleFile<kModelSchema>, Family, MappingSections {};
constexpr auto record_of(const FamilyFile*) {
    using base::field;
    const auto head = base::extended(
        record_of(static_cast<const RuleFile<kModelSchema>*>(nullptr)), "", "",
        field("family", &FamilyFile::family, "the name on the command line").needed(),
        field("title", &FamilyFile::title, "what it covers, for people").needed(),
        field("model_types", &FamilyFile::model_types,
              "values of `model_type` in config.json that this family reads; each belongs to one family"),
        field("peer_names", &FamilyFile::peer_names, "what `--model-type-hf` of other converters calls it"),
        field("trained_by", &FamilyFile::trained_by,
              "the targets (`rules/targets/`) that have its layers; without it, all. A conversion for another one is "
              "noted"),
        field(
            "hf_prefixes", &FamilyFile::hf_prefixes,
            "what `{prefix}` in Hugging Face names may stand for; the first is written, the one that is found is read"),
        field("layers_apart", &FamilyFile::layers_apart,
              "where it is not 0 Megatron has each layer's tensors by themselves in torch_dist. Otherwise layers that "
              "are "
              "all alike are one tensor, and so are the layers that have a tensor with `{nth}` in its name"));
    return joined("family", "a model family", head, record_of(static_cast<const MappingSections*>(nullptr)));
}

struct BlockFile : MappingSections {
    std::string editor_schema, about;
    std::vector<std::string> source;
};
constexpr auto record_of(const BlockFile*) {
    using base::field;
    const auto head =
        base::record("", "", field("$schema", &BlockFile::editor_schema, "the schema that an editor completes it by"),
                     field("about", &BlockFile::about, "what it says, for people").needed(),
                     field("source", &BlockFile::source, "where the facts come from: citations"));
    return joined("block", "what several families share", head,
                  record_of(static_cast<const MappingSections*>(nullptr)));
}

}  // namespace ckpt
