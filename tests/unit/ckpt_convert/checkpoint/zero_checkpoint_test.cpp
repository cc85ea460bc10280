#include "ckpt_convert/checkpoint/zero_checkpoint.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "ckpt_convert/formats/torch_file/torch_writer.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"
#include "tests/unit/ckpt_convert/formats/torch_dist_test_support.h"

namespace {

using base::ErrorKind;
using ckpt::TorchFilePlan;

// A checkpoint of two weights, [3, 2] and [3], of a run with two ranks, of which every part can be wrong.
struct Zero {
    std::vector<std::uint64_t> lengths{6, 3};  // of the vectors of ranks
    const char* flat = "single_partition_of_fp32_groups";
    std::string first = "zero_pp_rank_0_mp_rank_00_optim_states.pt",
                second = "zero_pp_rank_1_mp_rank_00_optim_states.pt";
    std::string model = "mp_rank_00_model_states.pt";
    ckpt::DType dtype = ckpt::DType::f32;
    std::size_t groups = 1;
    bool has_shapes = true, has_module = true;
    bool is_universal = false;
    char module_byte = 'x';  // of the module's tensors; those of the optimizer are made of x
    char tied_byte = 0;      // of the module's second name for its first tensor
    ckpt::Shape stored_shape{3, 2};
    std::vector<std::string> more = {};
    std::size_t model_ranks = 1;
    std::int64_t told_model_ranks = 0;  // 0: not told
    std::int64_t sharing_ranks = 0;

    // The second tensor has bytes of its own where they are given.
    static std::string file_of(const std::function<void(TorchFilePlan&, ckpt::pickle::Value*)>& fill, char byte = 'x',
                               char second = 0) {
        TorchFilePlan plan;
        auto* root = plan.dict();
        fill(plan, root);
        REQUIRE(plan.finish(root));
        std::vector<std::string> payloads;
        for (std::size_t i = 0; i < plan.tensor_count(); ++i)
            payloads.emplace_back(plan.tensor_bytes(i), i == 1 && second != 0 ? second : byte);
        return test::assemble(plan, payloads);
    }

    std::string model_file() const {
        return file_of(
            [&](TorchFilePlan& plan, ckpt::pickle::Value* root) {
                auto* module = plan.dict();
                plan.set(module, plan.string("a"), *plan.tensor(ckpt::DType::bf16, {3, 2}));
                plan.set(module, plan.string("tied"), *plan.tensor(ckpt::DType::bf16, {3, 2}));
                plan.set(module, plan.string("buffer"), *plan.tensor(ckpt::DType::i64, {}));
                if (has_module) plan.set(root, plan.string("module"), module);
                auto* aliases = plan.dict();
                plan.set(aliases, plan.string("tied"), plan.string("a"));
                plan.set(root, plan.string("shared_params"), aliases);
                if (told_model_ranks > 0) plan.set(root, plan.string("mp_world_size"), plan.integer(told_model_ranks));
                if (!has_shapes) return;
                auto* shapes = plan.dict();
                plan.set(shapes, plan.string("a"), plan.integers({3, 2}));
                plan.set(shapes, plan.string("b"), plan.integers({3}));
                auto* list = plan.list();
                list->as<ckpt::pickle::List>()->items.push_back(shapes);
                plan.set(root, plan.string("param_shapes"), list);
            },
            module_byte, tied_byte);
    }

    std::string universal_file(const ckpt::Shape& shape) const {
        return file_of([&](TorchFilePlan& plan, ckpt::pickle::Value* root) {
            plan.set(root, plan.string("param"), *plan.tensor(ckpt::DType::f32, shape));
        });
    }

    std::string optimizer_file(std::uint64_t length) const {
        return file_of([&](TorchFilePlan& plan, ckpt::pickle::Value* root) {
            auto* list = plan.list();
            for (std::size_t i = 0; i < groups; ++i)
                list->as<ckpt::pickle::List>()->items.push_back(*plan.tensor(dtype, {length}));
            auto* state = plan.dict();
            plan.set(state, plan.string(flat), list);
            auto* counts = plan.list();
            for (std::size_t i = 0; sharing_ranks > 0 && i < groups; ++i)
                counts->as<ckpt::pickle::List>()->items.push_back(plan.integer(sharing_ranks));
            plan.set(state, plan.string("partition_count"), counts);
            plan.set(root, plan.string("optimizer_state_dict"), state);
        });
    }

    base::Result<ckpt::ShardedCheckpoint> read() const {
        test::MemoryFileSystem fs;
        if (!model.empty()) fs.add("f/" + model, model_file());
        if (!first.empty()) fs.add("f/" + first, optimizer_file(lengths[0]));
        if (!second.empty()) fs.add("f/" + second, optimizer_file(lengths[1]));
        if (is_universal) {
            fs.add("f/zero/a/fp32.pt", universal_file(stored_shape));
            fs.add("f/zero/b/fp32.pt", universal_file({3}));
        }
        for (const std::string& name : more) fs.add("f/" + name, "x");
        for (std::size_t rank = 1; rank < model_ranks; ++rank) {
            for (const std::string& name : {model, first, second}) {
                std::string its = name;
                its.replace(its.find("mp_rank_0") + 9, 1, std::to_string(rank));
                fs.add("f/" + its, name == model ? model_file() : optimizer_file(lengths[name == second]));
            }
        }
        return ckpt::open_zero_checkpoint(fs, "f");
    }
};

struct Row {
    const char* name;
    std::function<void(Zero&)> spoil;
    const char* message;
    ErrorKind kind = ErrorKind::bad_input;
};

}  // namespace

TEST_CASE("ZeRO: weights from the flat groups, what is not in these from the module, copies once") {
    for (bool third : {false, true}) {
        Zero zero;
        if (third) zero.flat = "fp32_flat_groups", zero.lengths = {5, 5};
        auto found = zero.read();
        REQUIRE_MESSAGE(found, found.error().text());
        CHECK(found->ranks == 2);
        CHECK(found->has_optimizer);
        std::vector<std::string> names;
        for (const auto& tensor : found->content.tensors) names.push_back(tensor.fqn);
        CHECK(names == std::vector<std::string>{"a", "b", "buffer"});
        CHECK(found->content.tensors[0].dtype == ckpt::DType::f32);
        CHECK(found->content.tensors[2].dtype == ckpt::DType::i64);
    }
    for (const ckpt::Shape& shape : {ckpt::Shape{3, 2}, ckpt::Shape{6}}) {
        Zero universal;
        universal.is_universal = true;
        universal.first = universal.second = "";
        universal.stored_shape = shape;
        auto found = universal.read();
        REQUIRE_MESSAGE(found, found.error().text());
        CHECK(found->format == "universal checkpoint of DeepSpeed");
        CHECK(found->content.tensors.size() == 3);
        CHECK(found->content.tensors[0].shape == ckpt::Shape{3, 2});
    }
    Zero none;
    none.first = none.second = "";
    auto found = none.read();
    REQUIRE_MESSAGE(found, found.error().text());
    CHECK(found->content.tensors.size() == 2);
    CHECK(found->content.tensors[0].dtype == ckpt::DType::bf16);
}

TEST_CASE("ZeRO: what does not fit together is refused") {
    const Row rows[] = {
        {"a rank is missing", [](Zero& z) { z.first = ""; }, "the optimizer's file of rank 0 is missing"},
        {"numbers have gaps", [](Zero& z) { z.second = "zero_pp_rank_2_mp_rank_00_optim_states.pt"; },
         "of rank 1 is missing"},
        {"no model file", [](Zero& z) { z.model = ""; }, "names and shapes of the weights is missing"},
        {"too short",
         [](Zero& z) {
             z.lengths = {6, 2};
         },
         "the parameters have 9 elements, the ranks together 8"},
        {"short in the middle",
         [](Zero& z) {
             z.lengths = {3, 6};
         },
         "the parameters have 9 elements"},
        {"too long",
         [](Zero& z) {
             z.lengths = {6, 7};
         },
         "the parameters have 9 elements, the ranks together 13"},
        {"shares too long", [](Zero& z) { z.flat = "fp32_flat_groups"; }, "are files of other runs mixed?"},
        {"other weights", [](Zero& z) { z.module_byte = 'y'; },
         "a is not what the optimizer's copy of it in float32 is"},
        {"a tied name apart", [](Zero& z) { z.tied_byte = 'y'; }, "tied has other values than a, with which it shares"},
        {"a universal weight of another shape",
         [](Zero& z) {
             z.is_universal = true, z.first = z.second = "", z.stored_shape = {2, 3};
         },
         "it holds no tensor of shape [3, 2]"},
        {"two groups", [](Zero& z) { z.groups = 2; }, "it has 2 flat groups, but the weights are listed in 1"},
        {"no groups", [](Zero& z) { z.groups = 0; }, "offloaded to NVMe"},
        {"no flat groups", [](Zero& z) { z.flat = "other"; }, "it has no list of flat groups"},
        {"bf16 masters", [](Zero& z) { z.dtype = ckpt::DType::bf16; }, "a flat group is not a vector of float32"},
        {"no shapes", [](Zero& z) { z.has_shapes = false; }, "it has no param_shapes"},
        {"a pipeline", [](Zero& z) { z.has_module = false; }, "it has no module", ErrorKind::unsupported},
        {"tensor parallel ranks that nothing puts together", [](Zero& z) { z.model_ranks = 2; },
         "universal_checkpoint_info is missing", ErrorKind::unsupported},
        {"a rank of the model without its weights",
         [](Zero& z) { z.more = {"zero_pp_rank_0_mp_rank_01_optim_states.pt"}; },
         "names and shapes of the weights is missing"},
        {"a damaged expert", [](Zero& z) { z.more = {"layer_0_expert_1_mp_rank_00_model_states.pt"}; },
         "layer_0_expert_1_mp_rank_00_model_states.pt"},
        {"experts of another optimizer", [](Zero& z) { z.sharing_ranks = 1; },
         "fewer ranks share a than there are, as they share experts, and it is of none"},
        {"a world of more ranks", [](Zero& z) { z.sharing_ranks = 3; },
         "3 ranks share group 0 of the weights, and there are files of 2; is the copy complete, and of one run?"},
        {"ranks of two runs", [](Zero& z) { z.told_model_ranks = 2; },
         "it is of a run whose model 2 ranks share, and there are files of 1; is the copy complete?"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.name));
        Zero zero;
        row.spoil(zero);
        test::check_fails(zero.read(), row.kind, row.message);
    }
}
