// Ways back that need more than the names of the tensors.
#include "tests/property/ckpt_convert/cases.h"

namespace {

// The first random llama that TP 4 divides and that has two KV groups.
void add_model_with_two_groups(test::MemoryFileSystem& fs) {
    const ckpt::ModelMapping& llama = **test::knowledge().families.for_name("llama2");
    for (std::uint32_t seed = 1;; ++seed) {
        test::Random random(seed);
        ckpt::Model model = test::add_random_hf(fs, "hf", llama, random);
        auto divides = [&](const char* name) { return model.values().find(name)->second % 4 == 0; };
        bool fits = divides("heads") && divides("ffn") && divides("vocab");
        if (fits && model.values().find("kv_groups")->second == 2) return;
    }
}

}  // namespace

TEST_CASE("property: biases of the MLP come back, also when the attention has none") {
    test::MemoryFileSystem fs;
    const ckpt::ModelMapping& llama = **test::knowledge().families.for_name("llama2");
    for (std::uint32_t seed = 1;; ++seed) {
        test::Random random(seed);
        ckpt::Model model = test::add_random_hf(fs, "hf", llama, random, "mlp_bias");
        if (model.values().find("out_bias")->second == 0) break;
    }
    test::must_convert(fs, test::options("hf", "mg"));
    test::must_convert(fs, test::options("mg", "back"));
    CHECK(test::difference(test::tensors_of(fs, "back"), test::tensors_of(fs, "hf")) == "");
}

TEST_CASE("property: KV groups split over ranks are found without a config") {
    test::MemoryFileSystem fs;
    add_model_with_two_groups(fs);
    auto there = test::options("hf", "mg", 4);
    there.topology.kv_sharing = ckpt::KvSharing::split;
    test::must_convert(fs, there);
    REQUIRE(base::remove_tree(fs, "mg/hf_config"));
    test::must_convert(fs, test::reshard("mg", "other", 2));
}
