// Checkpoints that ranks wrote in shards: found, named, read, written, and refused where they are not read.
#include <doctest/doctest.h>

#include <algorithm>

#include "ckpt_convert/app/inspect.h"
#include "ckpt_convert/app/verify.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_writer.h"
#include "ckpt_convert/open/sharded_source.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"
#include "tests/unit/ckpt_convert/formats/torch_dist_test_support.h"

using base::ErrorKind;

namespace {

ckpt::ConvertOptions to_hf(const std::string& from, const std::string& to) {
    ckpt::ConvertOptions out = test::options(from, to);
    out.to = ckpt::Side::huggingface;
    return out;
}

ckpt::ConvertOptions to_dcp(const std::string& from, const std::string& to) {
    ckpt::ConvertOptions out = to_hf(from, to);
    out.format = ckpt::NamedFormat::dcp;
    return out;
}

// The tiny model as Hugging Face has it in "hf", and as a DCP in "dcp".
test::MemoryFileSystem with_dcp(const test::TinyModel& model = {}, const std::string& directory = "dcp") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", model);
    const auto done = test::convert(fs, to_dcp("hf", directory));
    REQUIRE_MESSAGE(done, done.error().text());
    return fs;
}

// A plain DCP of empty tensors with these names.
test::MemoryFileSystem with_names(const std::vector<std::string>& names, const std::vector<std::string>& objects = {}) {
    ckpt::TorchDistContent content;
    content.max_file_bytes = 1 << 20;
    for (const std::string& name : names) content.items.push_back({name, ckpt::DType::f32, {1}, {0}, {1}});
    const auto one = std::make_shared<const ckpt::TorchDistObject::Value>(
        [](ckpt::TorchFilePlan& file) -> base::Result<ckpt::pickle::Value*> { return file.integer(1); });
    for (const std::string& name : objects) content.objects.push_back({name, one});
    test::MemoryFileSystem fs;
    test::store(fs, content);
    return fs;
}

std::string opened(test::MemoryFileSystem& fs, const std::string& directory) {
    const auto source = ckpt::open_source(fs, test::knowledge(), test::options(directory, "").source);
    return source ? "opened" : source.error().message;
}

std::string shown_of(test::MemoryFileSystem& fs, const std::string& path) {
    const auto text = ckpt::inspect(fs, test::knowledge(), {path, {}, true, false}, false, {});
    REQUIRE_MESSAGE(text, text.error().text());
    return *text;
}

void move_directory(test::MemoryFileSystem& fs, const std::string& from, const std::string& to) {
    const auto files = fs.files();
    for (const auto& path : files) {
        if (path.starts_with(from + "/")) fs.add(to + path.substr(from.size()), fs.content(path));
    }
}

}  // namespace

TEST_CASE("sharded: Hugging Face to DCP and back is the identity, tied heads and experts too") {
    const test::TinyModel models[] = {{}, {"qwen3", 2, 16, 4, 2, 4, 24, 32, true, false, true}};
    for (const auto& model : models) {
        auto fs = with_dcp(model);
        REQUIRE(test::convert(fs, to_hf("dcp", "again")));
        CHECK(test::tensors_of(fs, "again") == test::tensors_of(fs, "hf"));
        CHECK(fs.content("dcp/config.json") == fs.content("hf/config.json"));
        // The other side of a DCP is Megatron.
        REQUIRE(test::convert(fs, test::options("dcp", "mg", 2)));
        REQUIRE(test::convert(fs, test::options("hf", "mg2", 2)));
        CHECK(test::megatron_tensors(fs, "mg") == test::megatron_tensors(fs, "mg2"));
        CHECK_FALSE(fs.exists("mg/hf_config/.metadata"));
    }
}

TEST_CASE("sharded: each thing that is left out has a note, so that every language can say it") {
    auto fs = with_names({"model.a.weight"}, {"rng", "dataloader.epoch"});
    auto options = to_hf(test::kDist, "hf");
    options.source.plain_names = true;
    const auto done = test::convert(fs, options);
    REQUIRE_MESSAGE(done, done.error().text());
    for (const char* what : {"the place in the training data", "the random states"})
        CHECK(std::count(done->notes.begin(), done->notes.end(),
                         "left out of what the ranks saved: " + std::string(what)) == 1);
}

TEST_CASE("sharded: schedules and random states in files of their own have notes too") {
    struct Row {
        std::string file;
        std::vector<std::string> left_out;
    };
    const std::vector<std::string> both{"the random states", "the scheduler of the learning rate"};
    const Row rows[] = {{"extra_state_world_size_4_rank_0.pt", both},
                        {"extra_state/extra_state_rank_0.pt", both},
                        {"../scheduler.bin", {"the scheduler of the learning rate"}},
                        {"../rng_state_0.pth", {"the random states"}},
                        {"random_states_1.pkl", {"the random states"}},
                        {"../other/scheduler.bin", {}}};
    for (const Row& row : rows) {
        auto fs = with_dcp({}, "run/model");
        const std::string path = row.file.starts_with("../") ? "run/" + row.file.substr(3) : "run/model/" + row.file;
        fs.add(path, "x");
        const auto done = test::convert(fs, to_hf("run/model", "again"));
        REQUIRE_MESSAGE(done, done.error().text());
        std::vector<std::string> said;
        constexpr std::string_view kLeftOut = "left out of what the ranks saved: ";
        for (const std::string& note : done->notes)
            if (note.starts_with(kLeftOut)) said.push_back(note.substr(kLeftOut.size()));
        CHECK_MESSAGE(said == row.left_out, row.file);
    }
}

TEST_CASE("sharded: small files, another key and none") {
    auto fs = with_dcp();
    for (const char* key : {"", "app.model", "state_dict"}) {
        auto there = to_dcp("hf", std::string("key") + key);
        there.weights_key = key;
        there.max_shard_bytes = 2000;
        REQUIRE(test::convert(fs, there));
        CHECK(fs.exists(there.save_dir + "/__0_1.distcp"));
        REQUIRE(test::convert(fs, to_hf(there.save_dir, "again" + there.save_dir)));
        CHECK(test::tensors_of(fs, "again" + there.save_dir) == test::tensors_of(fs, "hf"));
    }
}

TEST_CASE("sharded: a checkpoint is found below its directory, by the tracker or the highest number") {
    auto fs = with_dcp();
    for (const char* place : {"run/step-5", "run/step-20", "tracked/iter_0000005", "tracked/iter_0000020",
                              "rl/global_step_7/actor", "hft/checkpoint-3/pytorch_model_fsdp_0", "ds/global_step4"})
        move_directory(fs, "dcp", place);
    fs.add("tracked/latest_checkpointed_iteration.txt", "5\n");
    fs.add("ds/latest", "global_step4");
    auto place = [&](const std::string& directory) {
        const auto found = ckpt::find_sharded(fs, test::knowledge().distributed, directory);
        REQUIRE(found);
        return found->value_or("");
    };
    CHECK(place("run") == "run/step-20");
    CHECK(place("tracked") == "tracked/iter_0000005");
    CHECK(place("rl") == "rl/global_step_7/actor");
    CHECK(place("hft") == "hft/checkpoint-3/pytorch_model_fsdp_0");
    CHECK(place("ds") == "ds/global_step4");
    CHECK(place("hf") == "");
    CHECK(shown_of(fs, "run").find("run/step-20") != std::string::npos);
    // Weights of Hugging Face beside it are what is read.
    fs.add("dcp/model.safetensors", fs.content("hf/model.safetensors"));
    CHECK(place("dcp") == "");
}

TEST_CASE("sharded: inspect says what is there") {
    auto fs = with_dcp();
    const std::string text = shown_of(fs, "dcp");
    for (const char* part : {"dcp: torch.distributed.checkpoint\n", "weights ", "state of the optimizer             no",
                             "family", "dcp/config.json"}) {
        CAPTURE(std::string(part));
        CHECK(text.find(part) != std::string::npos);
    }
    REQUIRE(fs.remove("dcp/config.json"));
    CHECK(shown_of(fs, "dcp").find("name the directory of the original model with --hf-cfg-dir") != std::string::npos);
}

TEST_CASE("sharded: verify against other formats, and against damage") {
    auto fs = with_dcp();
    REQUIRE(test::convert(fs, test::options("hf", "mg", 2)));
    auto differences = [&](const std::string& a, const std::string& b) {
        ckpt::VerifyOptions options;
        options.checkpoint.directory = a;
        options.against = b;
        options.threads = 1;
        const auto summary =
            ckpt::verify(fs, test::knowledge(), options, [](std::uint64_t) { return [](std::uint64_t) {}; });
        REQUIRE_MESSAGE(summary, summary.error().text());
        return summary->differences.size();
    };
    CHECK(differences("dcp", "hf") == 0);
    CHECK(differences("dcp", "mg") == 0);
    CHECK(differences("dcp", "") == 0);
    std::string damaged = fs.content("dcp/__0_0.distcp");
    const std::size_t at = damaged.find("archive/data/0");
    damaged[at + 100] = static_cast<char>(damaged[at + 100] ^ 1);
    fs.add("dcp/__0_0.distcp", damaged);
    CHECK(differences("dcp", "") > 0);
}

TEST_CASE("sharded: what cannot be read is named, with what to do") {
    struct Row {
        std::vector<std::string> names, objects;
        const char* message;
    };
    const Row rows[] = {
        {{"model.module.decoder.final_layernorm.weight"}, {"args"}, "there is no config.json in this checkpoint"},
        {{"model.decoder.final_layernorm.weight"}, {"args", "iteration"}, "there is no config.json in this checkpoint"},
        {{"tok_embeddings.weight", "layers.0.attention.qkv_linear.wq.weight"},
         {},
         "this is of torchtitan, which is not read"},
        {{"tok_embeddings.weight", "layers.0.attention.wo.weight"}, {}, "there is no config.json in this checkpoint"},
        {{"decoder.final_layernorm.weight"}, {}, "the file metadata.json is missing"},
        {{"optimizer.state.a.exp_avg"}, {}, "there is only the state of an optimizer here"},
        {{"model.model.norm.weight"}, {}, "there is no config.json in this checkpoint or near it"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.message));
        auto fs = with_names(row.names, row.objects);
        CHECK(opened(fs, test::kDist).find(row.message) != std::string::npos);
        CHECK_FALSE(shown_of(fs, test::kDist).empty());
    }
    auto twice = with_names({"model.a.weight", "model._orig_mod.a.weight"});
    CHECK(opened(twice, test::kDist).find("two tensors are model.a.weight when the names of wrappers are taken") !=
          std::string::npos);
    auto fs = with_dcp();
    REQUIRE(fs.remove("dcp/.metadata"));
    CHECK(opened(fs, "dcp").find("torch.distributed.checkpoint (DCP) that was not finished") != std::string::npos);
    // Also of a run that has the weights in a directory of their own.
    move_directory(fs, "dcp", "run/pytorch_model_fsdp_0");
    CHECK(opened(fs, "run").find("torch.distributed.checkpoint (DCP) that was not finished") != std::string::npos);
    auto again = with_dcp();
    REQUIRE(again.remove("dcp/__0_0.distcp"));
    CHECK(opened(again, "dcp").find("the file is missing, although .metadata lists tensors in it") !=
          std::string::npos);
}

TEST_CASE("sharded: names without the table of keys, and what wrappers add to them") {
    const auto& names = test::knowledge().distributed;
    CHECK(names.guess_container({"model.model.norm.weight", "model.lm_head.weight", "optimizer.state.x"}) == "model");
    CHECK(names.guess_container({"model.norm.weight", "lm_head.weight"}).empty());
    using Kind = ckpt::EntryName::Kind;
    CHECK(names.entry("model.model.norm.weight", {}, "model").name == "model.norm.weight");
    CHECK(names.entry("model.norm.weight", {"model.norm.weight"}, "").name == "model.norm.weight");
    CHECK(names.entry("optimizer.state.a.step", {"optimizer", "state", "a", "step"}, "").kind == Kind::optimizer);
    CHECK(names.entry("lr_scheduler.last_epoch", {"lr_scheduler", "last_epoch"}, "").kind == Kind::other);
    CHECK(names.what_is_beside("lr_scheduler.last_epoch") == "the scheduler of the learning rate");
    CHECK(names.unwrapped("module._orig_mod.model.layers.0._checkpoint_wrapped_module.x") == "model.layers.0.x");
    CHECK(names.unwrapped("model.submodule.x") == "model.submodule.x");
}

TEST_CASE("sharded: options that do not go together") {
    auto fs = with_dcp();
    auto bad = to_hf("dcp", "out");
    bad.experts_as = "round";
    CHECK(test::failure(fs, bad).message.starts_with("--experts-as round: "));
    auto keep = to_dcp("hf", "out");
    keep.keep_optimizer = true;
    CHECK(test::failure(fs, keep).message == "--optimizer keep: there is none next to the weights of this input");
    auto universal = keep;
    universal.format = ckpt::NamedFormat::universal;
    CHECK(test::failure(fs, universal).message ==
          "such a checkpoint is what a run goes on from, and this input has no state of an optimizer; start the run "
          "from the weights, as --to hf writes them");
    keep.source.directory = "dcp";
    CHECK(test::failure(fs, keep).message.starts_with("there are no moments of an optimizer"));
}

TEST_CASE("sharded: files of DTensors for any number of ranks and back, also more ranks than rows") {
    for (const std::uint32_t world : {1u, 2u, 3u, 7u, 40u}) {
        CAPTURE(world);
        test::MemoryFileSystem fs;
        test::add_tiny_hf(fs, "hf", {});
        auto there = to_hf("hf", "ranks");
        there.format = ckpt::NamedFormat::dtensor;
        there.world = world;
        const auto done = test::convert(fs, there);
        REQUIRE_MESSAGE(done, done.error().text());
        CHECK(fs.content("ranks/fsdp_config.json") ==
              "{\"FSDP_version\": 2, \"world_size\": " + std::to_string(world) + "}\n");
        REQUIRE(test::convert(fs, to_hf("ranks", "again")));
        CHECK(test::tensors_of(fs, "again") == test::tensors_of(fs, "hf"));
        CHECK(fs.content("ranks/huggingface/config.json") == fs.content("hf/config.json"));
        if (world == 1) continue;
        REQUIRE(fs.remove("ranks/model_world_size_" + std::to_string(world) + "_rank_1.pt"));
        CHECK(opened(fs, "ranks").find("rank 1 of " + std::to_string(world) + " is missing") != std::string::npos);
    }
}

TEST_CASE("sharded: a rank's file that is a copy of another's is no other share") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    auto there = to_hf("hf", "ranks");
    there.format = ckpt::NamedFormat::dtensor;
    there.world = 2;
    REQUIRE(test::convert(fs, there));
    fs.add("ranks/model_world_size_2_rank_1.pt", fs.content("ranks/model_world_size_2_rank_0.pt"));
    const std::string problem = opened(fs, "ranks");
    CHECK_MESSAGE(problem.ends_with(" is in no chunk; is each file that of its own rank?"), problem);
}

TEST_CASE("sharded: the last of several saves is found by all numbers of its name, with its config shown plainly") {
    test::MemoryFileSystem fs;
    for (const char* save : {"epoch_0_step_90", "epoch_1_step_10", "epoch_1_step_9", "epoch_1_step_x", "epoch_9"}) {
        test::add_tiny_hf(fs, "hf", {});
        REQUIRE(test::convert(fs, to_dcp("hf", std::string(save) + ".made")));
        move_directory(fs, std::string(save) + ".made", "run/" + std::string(save) + "/model");
        fs.add("run/" + std::string(save) + "/model/consolidated/config.json", fs.content("hf/config.json"));
        REQUIRE(fs.remove("run/" + std::string(save) + "/model/config.json"));
    }
    CHECK(shown_of(fs, "run").find("run/epoch_1_step_10/model\n") != std::string::npos);
    CHECK(shown_of(fs, "run").find("run/epoch_1_step_10/model/consolidated/config.json\n") != std::string::npos);
    fs.add("run/epoch_1_step_10/config.json", fs.content("hf/config.json"));
    REQUIRE(fs.remove("run/epoch_1_step_10/model/consolidated/config.json"));
    const std::string shown = shown_of(fs, "run");
    CHECK_MESSAGE(shown.find(" run/epoch_1_step_10/config.json\n") != std::string::npos, shown);
}

TEST_CASE("sharded: a model of no known family keeps its names, but not for Megatron") {
    auto fs = with_dcp();
    REQUIRE(fs.remove("dcp/config.json"));
    CHECK(test::failure(fs, test::options("dcp", "mg", 2)).message.find("--hf-cfg-dir") != std::string::npos);
    auto there = to_hf("dcp", "plain");
    CHECK(test::failure(fs, there).message.find("--hf-cfg-dir") != std::string::npos);
    there.source.plain_names = true;
    const auto done = test::convert(fs, there);
    REQUIRE_MESSAGE(done, done.error().text());
    CHECK(done->family == "unknown");
    auto back = to_dcp("plain", "again");
    back.source.plain_names = true;
    REQUIRE(test::convert(fs, back));
    back.save_dir = "less";
    back.source.leave_out = {"model.norm.*"};
    const auto less = test::convert(fs, back);
    REQUIRE_MESSAGE(less, less.error().text());
    CHECK(less->tensors + 1 == done->tensors);
    back.save_dir = "part";
    back.source.layers = 1;
    CHECK_FALSE(test::convert(fs, back));
}
