// Whatever the layout, nothing is lost, and the way to a layout does not matter.
#include <set>

#include "tests/property/ckpt_convert/cases.h"

using test::Case;

TEST_CASE("property: hf to a Megatron layout and back gives the same bytes") {
    test::for_random_models(1000, 8, [](const Case& at) {
        auto there = test::random_options(at, "hf", "a");
        std::string layout = test::text_of(there);
        CAPTURE(layout);
        test::must_convert(at.fs, there);
        auto back = test::options("a", "back");
        back.max_shard_bytes = at.random.pick<std::uint64_t>({1, 2000, 5'000'000});
        test::must_convert(at.fs, back);
        CHECK(test::difference(test::tensors_of(at.fs, "back"), test::tensors_of(at.fs, "hf")) == "");
        CHECK(at.fs.content("back/config.json") == at.fs.content("hf/config.json"));
    });
}

TEST_CASE("property: one Megatron layout to another gives what the direct way gives") {
    test::for_random_models(2000, 8, [](const Case& at) {
        auto to_a = test::random_options(at, "hf", "a");
        auto to_b = test::random_options(at, "hf", "b");
        to_b.params_dtype = at.random.pick<std::string>({"", "", "bf16", "fp16", "fp32"});
        std::string first = test::text_of(to_a), second = test::text_of(to_b);
        CAPTURE(first);
        CAPTURE(second);
        test::must_convert(at.fs, to_a);
        test::must_convert(at.fs, to_b);
        auto a_to_b = to_b;
        a_to_b.source.directory = "a";
        a_to_b.save_dir = "a_to_b";
        test::must_convert(at.fs, a_to_b);
        auto direct = test::view_of(at.fs, "b"), over_a = test::view_of(at.fs, "a_to_b");
        CHECK(test::difference(over_a.tensors, direct.tensors) == "");
        CHECK(test::difference(over_a.args, direct.args) == "");
        CHECK(test::difference(over_a.texts, direct.texts) == "");
    });
}

TEST_CASE("property: without a config the arguments tell enough for another layout") {
    test::for_random_models(3000, 4, [](const Case& at) {
        auto to_a = test::random_options(at, "hf", "a");
        auto to_b = test::random_options(at, "hf", "b");
        for (auto* options : {&to_a, &to_b}) {
            // Nothing but the config says what is padding, and what is a copy of a key or value head.
            options->vocab = {};
            options->topology = {};
            options->topology.pp = 1 + static_cast<int>(at.random.below(2) * (at.model.layers() % 2 == 0));
        }
        test::must_convert(at.fs, to_a);
        test::must_convert(at.fs, to_b);
        REQUIRE(base::remove_tree(at.fs, "a/hf_config"));
        auto a_to_b = to_b;
        a_to_b.source.directory = "a";
        a_to_b.source.family = at.model.mapping().family;
        a_to_b.save_dir = "a_to_b";
        std::string first = test::text_of(to_a), second = test::text_of(to_b);
        CAPTURE(first);
        CAPTURE(second);
        test::must_convert(at.fs, a_to_b);
        auto direct = test::view_of(at.fs, "b"), over_a = test::view_of(at.fs, "a_to_b");
        CHECK(test::difference(over_a.tensors, direct.tensors) == "");
        CHECK(test::difference(over_a.args, direct.args) == "");
    });
}

TEST_CASE("property: torch_dist on the way changes nothing") {
    test::for_random_models(4000, 4, [](const Case& at) {
        auto to_b = test::random_options(at, "hf", "b");
        std::string layout = test::text_of(to_b);
        CAPTURE(layout);
        auto to_dist = test::options("hf", "dist");
        to_dist.to = ckpt::Side::megatron;
        to_dist.torch_dist = true;
        to_dist.target = at.random.pick<std::string>({"mindspeed", "mcore"});
        to_dist.max_shard_bytes = at.random.pick<std::uint64_t>({500, 5000, 5'000'000});
        test::must_convert(at.fs, to_dist);
        test::must_convert(at.fs, to_b);
        auto over_dist = to_b;
        over_dist.source.directory = "dist";
        over_dist.save_dir = "over_dist";
        test::must_convert(at.fs, over_dist);
        CHECK(test::difference(test::view_of(at.fs, "over_dist").tensors, test::view_of(at.fs, "b").tensors) == "");
        test::must_convert(at.fs, test::options("dist", "back"));
        CHECK(test::difference(test::tensors_of(at.fs, "back"), test::tensors_of(at.fs, "hf")) == "");
    });
}

TEST_CASE("property: a wider element type on the way changes nothing") {
    test::for_random_models(4500, 2, [](const Case& at) {
        auto there = test::random_options(at, "hf", "a");
        there.params_dtype = "fp32";
        std::string layout = test::text_of(there);
        CAPTURE(layout);
        test::must_convert(at.fs, there);
        auto opened = ckpt::open_source(at.fs, test::knowledge(), test::options("hf", "").source);
        REQUIRE(opened);
        std::set<ckpt::DType> types;
        for (const auto& tensor : opened->index.tensors) types.insert(tensor.dtype);
        if (types.size() > 1) return;  // the way back has one type for all
        auto back = test::options("a", "back");
        back.params_dtype = *types.begin() == ckpt::DType::f16   ? "fp16"
                            : *types.begin() == ckpt::DType::f32 ? "fp32"
                                                                 : "bf16";
        test::must_convert(at.fs, back);
        CHECK(test::difference(test::tensors_of(at.fs, "back"), test::tensors_of(at.fs, "hf")) == "");
    });
}
