#include "ckpt_convert/mapping/model_schema.h"

#include <cstdint>
#include <map>
#include <vector>

#include "ckpt_convert/mapping/mapping_file.h"

namespace ckpt {
namespace {

// A small model of a family, and what must become of it.
struct ModelCase {
    template <class Value>
    using ByName = std::map<std::string, Value, std::less<>>;

    std::string editor_schema;
    ByName<Json> config;
    std::vector<std::string> options, take, layers, experts_as, float32;
    std::string tensors_of;
    ByName<std::vector<std::uint64_t>> tensors;
    ByName<std::uint64_t> padding, unused;
    ByName<std::string> refused;
    bool leave_out = false;
};

// Which layouts a model of such layers has besides those of all models.
constexpr auto kLayerKinds = std::to_array<std::string_view>({"experts", "latent_attention", "linear_attention"});
constexpr auto kExpertForms = std::to_array<std::string_view>({"fused", "columns"});

constexpr auto record_of(const ModelCase*) {
    using base::field;
    using Case = ModelCase;
    return base::record(
        "case", "a small model of a family, and what must become of it",
        field("$schema", &Case::editor_schema, "the schema that an editor completes it by"),
        field("config", &Case::config, "its config.json").needed(),
        field("hf", &Case::tensors, "the tensors of such a checkpoint, and their shapes").needed(),
        field("tensors_of", &Case::tensors_of,
              "who says so. With `transformers` its class makes a model of the config, which must have these tensors "
              "(`tests/oracle/model_tensors.py`)")
            .needed(),
        field("options", &Case::options, "the options of the conversion whose plan is recorded").needed(),
        field("take", &Case::take, "options of every conversion from it"),
        field(
            "layers", &Case::layers,
            "what its layers have besides attention and an MLP, so that more layouts can hold it: `experts` are dealt "
            "out and packed, `latent_attention` is known by its shapes and split, `linear_attention` is not split by "
            "MindSpeed-LLM, and its norm is stored less 1 elsewhere")
            .one_of(kLayerKinds),
        field("refused", &Case::refused, "by layout that cannot hold the model, words of the message"),
        field(
            "experts_as", &Case::experts_as,
            "other ways to store its experts, which must be read as the same: all of a layer in one tensor (`fused`), "
            "and each of them transposed there (`columns`)")
            .one_of(kExpertForms),
        field("float32", &Case::float32,
              "ends of names of biases of the router, which stay float32 when everything else is cast"),
        field("padding", &Case::padding,
              "by the end of a name, how many elements of such a vector are not zeros after the others"),
        field("unused", &Case::unused,
              "by the end of a name, how many elements are zeros before the others, as the model uses none of them and "
              "a layout has no place for them"),
        field("leave_out", &Case::leave_out, "it is also the model whose tensors `--leave-out` leaves out"));
}

}  // namespace

std::string model_file_schema() {
    return base::SchemaWriter(
               "urn:ascend-migration:model", "Model file of ckpt_convert",
               [](base::SchemaWriter& out) {
                   out.description(
                       "See rules/models/README.md. `ckpt_convert models check` checks more than this can say.");
                   out.key("anyOf").begin_array();
                   out.open_item();
                   base::InJson<FamilyFile>::describe(out);
                   out.close().open_item();
                   base::InJson<BlockFile>::describe(out);
                   out.close().end_list();
               })
        .take();
}

std::string model_case_schema() {
    return base::SchemaWriter("urn:ascend-migration:model-case", "Case of a model file of ckpt_convert",
                              &base::InJson<ModelCase>::define)
        .take();
}

}  // namespace ckpt
