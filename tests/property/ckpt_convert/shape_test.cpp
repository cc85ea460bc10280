// The plan of a training and the conversion of its checkpoint count the same parameters.
#include <doctest/doctest.h>

#include "ckpt_convert/job/shape_rules.h"
#include "tests/property/ckpt_convert/random_model.h"

namespace {

constexpr int kModels = 8;  // of each family

struct Rules {
    base::DataStore store;
    ckpt::MappingRegistry families = *ckpt::MappingRegistry::load(store);
    ckpt::ShapeRules shapes = *ckpt::load_shape_rules(store);
};

// Without the copy of the embedding that some layers for multi-token prediction bring along.
std::int64_t used_parameters(const ckpt::Model& model) {
    std::uint64_t out = 0;
    for (const ckpt::LogicalTensor& tensor : model.tensors())
        if (!tensor.unused && tensor.name != "mtp.embedding") out += *ckpt::checked_elements(tensor.shape);
    return static_cast<std::int64_t>(out);
}

ckpt::ModelShape random_shape(const Rules& rules, const ckpt::ModelMapping& family, test::Random& random,
                              std::int64_t& used) {
    test::MemoryFileSystem fs;
    const ckpt::Model model = test::add_random_hf(fs, "model", family, random);
    const auto text = base::read_file(fs, "model/config.json");
    REQUIRE(text);
    const auto config = base::parse_json(*text, "config.json");
    REQUIRE(config);
    ckpt::TrainedAs trained;
    trained.dialect.target = "mcore";
    trained.dialect.core = {0, 17};
    trained.dialect.layers = "te";
    trained.config = &config->root;
    const auto shape = ckpt::shape_of(model, trained, rules.shapes);
    const std::string trouble = shape ? "" : shape.error().message;
    CAPTURE(trouble);
    REQUIRE(shape);
    used = used_parameters(model);
    CHECK(shape->layer_count() == model.layers());
    return *shape;
}

// The formulas count no bias of a router.
bool follows_formulas(const ckpt::ModelShape& model, const ckpt::LayerShape& kind) {
    const ckpt::ParameterCounts counted = ckpt::layer_parameters(model, kind);
    return counted.sharded == kind.parameters.sharded && counted.experts == kind.parameters.experts &&
           kind.parameters.replicated - counted.replicated <= model.moe.experts;
}

}  // namespace

TEST_CASE("shape: of every family, as many parameters as tensors have") {
    const Rules rules;
    test::Random random(26);
    for (const ckpt::ModelMapping& family : rules.families.families()) {
        if (!test::has_random_models(family)) continue;
        CAPTURE(family.family);
        for (int i = 0; i < kModels; ++i) {
            std::int64_t used = 0;
            const ckpt::ModelShape shape = random_shape(rules, family, random, used);
            CHECK(shape.parameters() + shape.mtp * shape.mtp_layer.parameters.total() == used);
        }
    }
}

TEST_CASE("shape: the formulas of usual decoders give what their tensors add up to") {
    const Rules rules;
    test::Random random(27);
    for (const std::string name : {"qwen25", "qwen3", "qwen3_moe", "mixtral", "deepseek3"}) {
        CAPTURE(name);
        const auto family = rules.families.for_name(name);
        REQUIRE(family);
        for (int i = 0; i < kModels; ++i) {
            std::int64_t used = 0;
            const ckpt::ModelShape shape = random_shape(rules, **family, random, used);
            CHECK(shape.unverified.empty());
            for (const ckpt::LayerShape& kind : shape.kinds) CHECK(follows_formulas(shape, kind));
        }
    }
}
