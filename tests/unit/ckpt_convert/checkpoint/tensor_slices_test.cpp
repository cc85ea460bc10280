#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/pipeline_layers.h"
#include "ckpt_convert/checkpoint/zero_checkpoint.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"

namespace {

using base::ErrorKind;
using ckpt::Shape;
using ckpt::TorchFilePlan;
using ckpt::pickle::Value;
using Shapes = std::vector<std::pair<const char*, Shape>>;

void append(Value* list, Value* value) { list->as<ckpt::pickle::List>()->items.push_back(value); }

Value* texts(TorchFilePlan& plan, const std::vector<const char*>& all) {
    Value* out = plan.list();
    for (const char* text : all) append(out, plan.string(text));
    return out;
}

std::string file_of(const std::function<void(TorchFilePlan&, Value*)>& fill, char byte = 'x') {
    TorchFilePlan plan;
    Value* root = plan.dict();
    fill(plan, root);
    REQUIRE(plan.finish(root));
    std::vector<std::string> payloads;
    for (std::size_t i = 0; i < plan.tensor_count(); ++i) payloads.emplace_back(plan.tensor_bytes(i), byte);
    return test::assemble(plan, payloads);
}

std::uint64_t elements(const Shapes& shapes) {
    std::uint64_t out = 0;
    for (const auto& [name, shape] : shapes) out += *ckpt::checked_elements(shape);
    return out;
}

// The parameters of a rank of those that share a model, and the optimizer of its only data parallel rank.
void add_rank(test::MemoryFileSystem& fs, std::size_t rank, std::int64_t ranks, const Shapes& shapes, bool has_module,
              const std::function<void(TorchFilePlan&, Value*)>& add_info = {}, char byte = 'x',
              std::int64_t step = 1) {
    fs.add("f/mp_rank_0" + std::to_string(rank) + "_model_states.pt",
           file_of(
               [&](TorchFilePlan& plan, Value* root) {
                   auto set = [&](const char* key, Value* value) { TorchFilePlan::set(root, plan.string(key), value); };
                   set("mp_world_size", plan.integer(ranks));
                   set("global_steps", plan.integer(step));
                   Value *of_group = plan.dict(), *module = plan.dict();
                   for (const auto& [name, shape] : shapes) {
                       TorchFilePlan::set(of_group, plan.string(name), plan.integers(shape));
                       TorchFilePlan::set(module, plan.string(name), *plan.tensor(ckpt::DType::f32, shape));
                   }
                   Value* groups = plan.list();
                   append(groups, of_group);
                   set("param_shapes", groups);
                   set("module", has_module ? module : plan.none());
                   if (add_info) add_info(plan, root);
               },
               byte));
    fs.add("f/zero_pp_rank_0_mp_rank_0" + std::to_string(rank) + "_optim_states.pt",
           file_of(
               [&](TorchFilePlan& plan, Value* root) {
                   auto vector = [&] { return *plan.tensor(ckpt::DType::f32, {elements(shapes)}); };
                   Value *flat = plan.list(), *engine = plan.dict(), *base = plan.dict(), *states = plan.dict();
                   append(flat, vector());
                   Value* state = plan.dict();
                   TorchFilePlan::set(state, plan.string("exp_avg"), vector());
                   TorchFilePlan::set(state, plan.string("exp_avg_sq"), vector());
                   TorchFilePlan::set(state, plan.string("step"), plan.integer(step));
                   TorchFilePlan::set(states, plan.integer(0), state);
                   TorchFilePlan::set(base, plan.string("state"), states);
                   Value *settings = plan.dict(), *members = plan.list(), *list = plan.list();
                   append(members, plan.integer(0));
                   TorchFilePlan::set(settings, plan.string("params"), members);
                   append(list, settings);
                   TorchFilePlan::set(base, plan.string("param_groups"), list);
                   TorchFilePlan::set(engine, plan.string("single_partition_of_fp32_groups"), flat);
                   TorchFilePlan::set(engine, plan.string("base_optimizer_state"), base);
                   TorchFilePlan::set(root, plan.string("optimizer_state_dict"), engine);
               },
               byte));
}

std::string layer(const Shapes& shapes) {
    return file_of([&](TorchFilePlan& plan, Value* root) {
        for (const auto& [name, shape] : shapes)
            TorchFilePlan::set(root, plan.string(name), *plan.tensor(ckpt::DType::f32, shape));
    });
}

std::map<std::string, Shape> shapes_in(const ckpt::ShardedCheckpoint& checkpoint) {
    std::map<std::string, Shape> out;
    for (const auto& tensor : checkpoint.content.tensors) out.emplace(tensor.fqn, tensor.shape);
    return out;
}

const Shapes kSlices{{"a", {2, 3}}, {"b", {3, 2}}, {"norm", {4}}, {"words", {4, 2}}, {"pair", {4, 1}}};

struct Table {
    std::vector<const char*> same{"^norm$"}, second{"b"}, vocabulary{"words"}, pairs{"pair"}, average, refused;
    std::int64_t rows = 7;
    bool is_list = true;

    void add(TorchFilePlan& plan, Value* root) const {
        Value* info = plan.dict();
        auto set = [&](const char* key, Value* value) { TorchFilePlan::set(info, plan.string(key), value); };
        set("tp_replicated_parameter_patterns", is_list ? texts(plan, same) : plan.integer(1));
        set("parameter_with_row_parallelism_patterns", texts(plan, second));
        set("vocabulary_parameter_patterns", texts(plan, vocabulary));
        set("parameter_with_2_sub_params_cat_dim_0", texts(plan, pairs));
        set("parameter_to_average_patterns", texts(plan, average));
        if (rows > 0) set("original_vocab_size", plan.integer(rows));
        Value* why = plan.dict();
        for (const char* pattern : refused) TorchFilePlan::set(why, plan.string(pattern), plan.string("it is fused"));
        set("autotp_unsupported_parameter_patterns", why);
        TorchFilePlan::set(root, plan.string("universal_checkpoint_info"), info);
    }
};

// Two tensor parallel ranks, of which everything can be wrong.
struct Slices {
    Table table;
    Shapes second = kSlices;
    Shapes empty = {};  // in the second rank's module alone
    char second_byte = 'x';
    std::int64_t second_step = 1;

    base::Result<ckpt::ShardedCheckpoint> read() const {
        test::MemoryFileSystem fs;
        add_rank(fs, 0, 2, kSlices, true, [this](TorchFilePlan& plan, Value* root) { table.add(plan, root); });
        add_rank(
            fs, 1, 2, second, true,
            [this](TorchFilePlan& plan, Value* root) {
                Value* module = plan.dict();
                for (const auto& [name, shape] : empty)
                    TorchFilePlan::set(module, plan.string(name), *plan.tensor(ckpt::DType::bf16, shape));
                if (!empty.empty()) TorchFilePlan::set(root, plan.string("module"), module);
            },
            second_byte, second_step);
        return ckpt::open_zero_checkpoint(fs, "f");
    }
};

}  // namespace

TEST_CASE("tensor slices: parameters and moments have the shapes of the whole") {
    const auto found = Slices().read();
    REQUIRE_MESSAGE(found, found.error().text());
    const auto shapes = shapes_in(*found);
    const std::map<std::string, Shape> wanted{
        {"a", {4, 3}}, {"b", {3, 4}}, {"norm", {4}}, {"words", {7, 2}}, {"pair", {8, 1}}};
    CHECK(shapes.size() == 15);
    for (const auto& [name, shape] : wanted) {
        CHECK(shapes.at(name) == shape);
        CHECK(shapes.at("optimizer.state." + name + ".exp_avg_sq") == shape);
    }
    CHECK(found->ranks == 2);
    CHECK(found->steps.size() == 1);
    CHECK(found->groups.groups.size() == 1);
}

TEST_CASE("tensor slices: a rank whose slice is empty has no state of it") {
    Slices slices;
    slices.empty = {{"a", {0, 3}}, {"b", {3, 0}}};
    slices.second.erase(slices.second.begin(), slices.second.begin() + 2);
    const auto found = slices.read();
    REQUIRE_MESSAGE(found, found.error().text());
    const auto shapes = shapes_in(*found);
    CHECK(shapes.at("a") == Shape{2, 3});
    CHECK(shapes.at("optimizer.state.b.exp_avg") == Shape{3, 2});
    slices.empty[0].second = {1, 3};
    test::check_fails(slices.read(), ErrorKind::bad_input, "tensor parallel rank 1 lacks optimizer.state.a.exp_avg");
}

TEST_CASE("tensor slices: what does not fit together is refused") {
    struct Row {
        std::function<void(Slices&)> spoil;
        const char* message;
        ErrorKind kind = ErrorKind::bad_input;
    };
    const Row rows[] = {
        {[](Slices& s) { s.second_byte = 'y'; }, "norm has other values in tensor parallel rank 1 than in rank 0"},
        {[](Slices& s) { s.second_byte = 'y', s.table.same = {}, s.table.average = {"norm"}; },
         "norm is the average of what the tensor parallel ranks have, which differs", ErrorKind::unsupported},
        {[](Slices& s) { s.second_step = 2; }, "it is of step 2, and mp_rank_00_model_states.pt of step 1"},
        {[](Slices& s) { s.second.pop_back(); }, "tensor parallel rank 1 lacks pair"},
        {[](Slices& s) {
             s.second.push_back({"more", {2}});
         },
         "tensor parallel rank 0 lacks more, which rank 1 has"},
        {[](Slices& s) {
             s.second[0].second = {2, 4};
         },
         "the slices of a have the shapes [2, 3] and [2, 4]"},
        {[](Slices& s) { s.second[0].second = {6}; }, "the slices of a have different types or axes"},
        {[](Slices& s) { s.table.second = {"norm"}, s.table.same = {}; },
         "norm is cut along an axis that it does not have"},
        {[](Slices& s) { s.table.rows = 9; }, "words has 8 rows, and the vocabulary 9"},
        {[](Slices& s) { s.table.rows = 0; }, "original_vocab_size is missing, or not what it should be"},
        {[](Slices& s) { s.table.is_list = false; }, "tp_replicated_parameter_patterns is missing, or not what"},
        {[](Slices& s) {
             s.second[4].second = {3, 1};
         },
         "the parts of pair are 2 long together in tensor parallel rank 1"},
        {[](Slices& s) { s.table.refused = {"a"}; }, "the slices of a cannot be put together: it is fused",
         ErrorKind::unsupported},
        {[](Slices& s) { s.table.second = {"b{2}"}; }, "the pattern \"b{2}\" has more than", ErrorKind::unsupported},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.message));
        Slices slices;
        row.spoil(slices);
        test::check_fails(slices.read(), row.kind, row.message);
    }
}

TEST_CASE("pipeline stages: a layer that two stages share is there once, under its name in the pipeline") {
    test::MemoryFileSystem fs;
    const Shapes words{{"word", {3, 2}}};
    add_rank(fs, 0, 2, {{"tied_modules.words.word", {3, 2}}, {"1.w", {2}}}, false);
    add_rank(fs, 1, 2, {{"tied_modules.words.word", {3, 2}}, {"2.w", {2}}}, false);
    fs.add("f/layer_00-model_states.pt", layer(words));
    fs.add("f/layer_01-model_states.pt", layer({{"w", {2}}, {"buffer", {1}}}));
    fs.add("f/layer_02-model_states.pt", layer({{"w", {2}}}));
    const auto found = ckpt::open_pipeline_layers(fs, "f");
    REQUIRE_MESSAGE(found, found.error().text());
    const auto shapes = shapes_in(*found);
    CHECK(shapes.size() == 3 * 3 + 1);
    CHECK(shapes.at("tied_modules.words.word") == Shape{3, 2});
    CHECK(shapes.contains("1.buffer"));
    CHECK(found->has_optimizer);
    CHECK(found->states_refused.empty());
    REQUIRE(found->groups.groups.size() == 1);
    CHECK(found->groups.groups[0].names == std::vector<std::string>{"tied_modules.words.word", "1.w", "2.w"});

    add_rank(fs, 1, 2, {{"tied_modules.words.word", {3, 2}}, {"2.w", {2}}}, false, {}, 'y');
    test::check_fails(ckpt::open_pipeline_layers(fs, "f"), ErrorKind::bad_input,
                      "tied_modules.words.word has other values than in an earlier stage");
    add_rank(fs, 1, 2, {{"3.w", {2}}}, false);
    test::check_fails(ckpt::open_pipeline_layers(fs, "f"), ErrorKind::bad_input, "the file of layer 3 is missing");
}
