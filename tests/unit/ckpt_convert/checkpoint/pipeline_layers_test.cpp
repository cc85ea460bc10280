#include "ckpt_convert/checkpoint/pipeline_layers.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ckpt_convert/formats/torch_file/torch_writer.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"

namespace {

using base::ErrorKind;

// A layer with one weight of [2], or a list.
std::string pipeline_layer(bool is_dict = true) {
    ckpt::TorchFilePlan plan;
    auto* root = is_dict ? plan.dict() : plan.list();
    if (is_dict) plan.set(root, plan.string("weight"), *plan.tensor(ckpt::DType::bf16, {2}));
    REQUIRE(plan.finish(root));
    return test::assemble(plan, std::vector<std::string>(plan.tensor_count(), "abcd"));
}

std::vector<std::string> tensors_in(const ckpt::ShardedCheckpoint& checkpoint) {
    std::vector<std::string> out;
    for (const auto& tensor : checkpoint.content.tensors) out.push_back(tensor.fqn);
    return out;
}

}  // namespace

TEST_CASE("pipeline layers: tensors have the number of their layer, in the order of the numbers") {
    test::MemoryFileSystem fs;
    for (const char* name : {"layer_02-model_00-model_states.pt", "layer_01-model_states.pt",
                             "layer_110-model_states.pt", "mp_rank_00_model_states.pt"})
        fs.add(std::string("f/") + name, pipeline_layer());
    REQUIRE(ckpt::is_sharded_checkpoint(fs, "f"));
    const auto found = ckpt::open_sharded_checkpoint(fs, "f");
    REQUIRE_MESSAGE(found, found.error().text());
    CHECK(found->format == "DeepSpeed pipeline");
    CHECK(tensors_in(*found) == std::vector<std::string>{"1.weight", "2.weight", "110.weight"});
    CHECK(found->content.tensors[0].path == std::vector<std::string>{"module", "1.weight"});
    CHECK(found->content.tensors[1].chunks.size() == 1);
    CHECK_FALSE(found->has_optimizer);
    fs.add("f/zero_pp_rank_0_mp_rank_01_optim_states.pt", "x");
    test::check_fails(ckpt::open_pipeline_layers(fs, "f"), ErrorKind::bad_input,
                      "names and shapes of the weights is missing");
}

TEST_CASE("pipeline layers: what does not belong together is named") {
    test::MemoryFileSystem fs;
    fs.add("f/layer_01-model_states.pt", pipeline_layer());
    fs.add("f/layer_01-model_00-model_states.pt", pipeline_layer());
    test::check_fails(ckpt::open_pipeline_layers(fs, "f"), ErrorKind::bad_input, "is the same layer");
    fs.add("f_g/layer_01-model_01-model_states.pt", pipeline_layer());
    test::check_fails(ckpt::open_pipeline_layers(fs, "f_g"), ErrorKind::bad_input,
                      "the file of layer 1 of tensor parallel rank 0 is missing");
    fs.add("f_g/layer_01-model_00-model_states.pt", pipeline_layer());
    test::check_fails(ckpt::open_pipeline_layers(fs, "f_g"), ErrorKind::unsupported, "how its slices make up");
    fs.add("f_g/layer_02-model_00-model_states.pt", pipeline_layer());
    test::check_fails(ckpt::open_pipeline_layers(fs, "f_g"), ErrorKind::bad_input,
                      "the file of layer 2 of tensor parallel rank 1 is missing");
    fs.add("f_h/layer_01-model_states.pt", pipeline_layer(false));
    test::check_fails(ckpt::open_pipeline_layers(fs, "f_h"), ErrorKind::bad_input, "no dict of the tensors of a layer");
    CHECK_FALSE(ckpt::is_pipeline_layer("layer_0_expert_1_mp_rank_00_model_states.pt"));
    CHECK_FALSE(ckpt::is_pipeline_layer("layer_-model_states.pt"));
}
