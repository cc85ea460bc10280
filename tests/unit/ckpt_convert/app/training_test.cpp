#include "base/format.h"
#include "ckpt_convert/app/verify.h"
#include "tests/unit/ckpt_convert/app/training_support.h"

using base::ErrorKind;
using test::MemoryFileSystem;

namespace {

// A run of TP 2 in "trained".
MemoryFileSystem trained() {
    MemoryFileSystem fs;
    test::TinyModel model;
    model.qk_norm = false;
    test::add_tiny_hf(fs, "hf", model);
    auto converted = test::convert(fs, test::reshard("hf", "trained", 2));
    REQUIRE_MESSAGE(converted, converted.error().text());
    test::train(fs, "trained");
    REQUIRE(fs.remove("trained/conversion_manifest.json"));  // a training run leaves none
    return fs;
}

ckpt::ConvertOptions keep(const std::string& from, const std::string& to, int tp, int pp) {
    ckpt::ConvertOptions out = test::reshard(from, to, tp, pp);
    out.keep_optimizer = out.source.keep_padding = true;
    return out;
}

float number_at(const std::string& bytes, std::size_t element) {
    float out = 0;
    std::memcpy(&out, bytes.data() + element * sizeof(float), sizeof(float));
    return out;
}

constexpr const char* kFirstStates = "trained/iter_0000001/mp_rank_00/distrib_optim.pt";
constexpr const char* kFirstWeights = "trained/iter_0000001/mp_rank_00/model_optim_rng.pt";

}  // namespace

TEST_CASE("optimizer: master weights and moments go where the weights go, and come back") {
    MemoryFileSystem fs = trained();
    auto there = test::convert(fs, keep("trained", "there", 1, 2));
    REQUIRE_MESSAGE(there, there.error().text());
    CHECK(fs.content("there/latest_checkpointed_iteration.txt") == "7");
    auto states = test::states_of(fs, "there");
    REQUIRE(states.size() == 2);
    for (const auto& entry : states) {
        const auto& rank = entry.first;
        const auto& bytes = entry.second;
        std::size_t elements = bytes.size() / 3 / sizeof(float);
        bool follows = true;
        for (std::size_t i = 0; i < elements; ++i) {
            float weight = number_at(bytes, i);
            follows &= number_at(bytes, elements + i) == 2 * weight && number_at(bytes, 2 * elements + i) == 3 * weight;
        }
        CHECK_MESSAGE(follows, rank);
    }
    // That the master weights are those of the weights beside them is checked before they are used.
    auto back = test::convert(fs, keep("there", "back", 2, 1));
    REQUIRE_MESSAGE(back, back.error().text());
    CHECK(test::states_of(fs, "back") == test::states_of(fs, "trained"));
    CHECK(test::megatron_tensors(fs, "back") == test::megatron_tensors(fs, "trained"));
}

TEST_CASE("optimizer: parameter groups stand in the order of a rank's parameters, with what the source says of them") {
    MemoryFileSystem fs = trained();
    REQUIRE(test::convert(fs, keep("trained", "there", 1, 2)));
    auto groups_of = [&](const std::string& rank) {
        auto opened = fs.open("there/iter_0000007/" + rank + "/model_optim_rng.pt");
        REQUIRE(opened);
        auto file = ckpt::TorchFile::read(**opened);
        REQUIRE(file);
        auto groups = ckpt::pickle::find(ckpt::pickle::find(ckpt::pickle::find(file->root(), "optimizer"), "optimizer"),
                                         "param_groups");
        std::vector<std::string> out;
        for (auto group : groups->as<ckpt::pickle::List>()->items) {
            out.push_back(base::format("{} {} {}", *ckpt::pickle::find(group, "wd_mult")->as<double>(),
                                       *ckpt::pickle::find(group, "lr")->as<double>(),
                                       *ckpt::pickle::find(group, "step")->as<std::int64_t>()));
        }
        auto schedule = ckpt::pickle::find(file->root(), "opt_param_scheduler");
        CHECK(*ckpt::pickle::find(schedule, "num_steps")->as<std::int64_t>() == 448);
        return base::joined(out, "; ");
    };
    // The first stage begins with the embedding, the second with a norm, which has no weight decay.
    CHECK(groups_of("mp_rank_00_000") == "1 0.25 7; 0 0.25 7");
    CHECK(groups_of("mp_rank_00_001") == "0 0.25 7; 1 0.25 7");
}

TEST_CASE("optimizer: through torch_dist and back") {
    MemoryFileSystem fs = trained();
    auto to_dist = keep("trained", "dist", 1, 1);
    to_dist.torch_dist = true;
    to_dist.target = "mcore@0.16";
    REQUIRE(test::convert(fs, to_dist));
    auto again = to_dist;
    again.source.directory = "dist";
    again.save_dir = "again";
    REQUIRE(test::convert(fs, again));
    auto back = test::convert(fs, keep("again", "back", 2, 1));
    REQUIRE_MESSAGE(back, back.error().text());
    CHECK(test::megatron_tensors(fs, "back") == test::megatron_tensors(fs, "trained"));
    // The order of parameters is that of rules/parameters/, the files of `trained` have one of their own; either is found.
    auto states = test::states_of(fs, "back");
    CHECK(states != test::states_of(fs, "trained"));
    REQUIRE(test::convert(fs, keep("back", "there", 1, 2)));
    REQUIRE(test::convert(fs, keep("there", "home", 2, 1)));
    CHECK(test::states_of(fs, "home") == states);
}

TEST_CASE("optimizer: left out unless asked for, with a note") {
    MemoryFileSystem fs = trained();
    auto done = test::convert(fs, test::reshard("trained", "there", 1, 2));
    REQUIRE_MESSAGE(done, done.error().text());
    CHECK(base::joined(done->notes, "|") == "the state of the optimizer is left out; --optimizer keep takes it along");
    CHECK_FALSE(fs.exists("there/iter_0000001/mp_rank_00_000/distrib_optim.pt"));
}

TEST_CASE("optimizer: what cannot be carried is refused before anything is written") {
    MemoryFileSystem fs = trained();
    auto error_of = [&](ckpt::ConvertOptions options) { return test::failure(fs, options).message; };
    auto to_hf = keep("trained", "there", 1, 1);
    to_hf.to = ckpt::Side::huggingface;
    CHECK(error_of(to_hf) ==
          "--optimizer keep: these files have no place for the state of an optimizer; --to mcore, dcp, dtensor, "
          "universal, zero and megatron-fsdp have");
    auto release = keep("trained", "there", 1, 2);
    release.iteration = "release";
    CHECK(error_of(release) == "--optimizer keep: Megatron reads no optimizer of a release checkpoint");
    auto cast = keep("trained", "there", 1, 2);
    cast.params_dtype = "fp16";
    CHECK(error_of(cast) == "--optimizer keep: --params-dtype makes weights that the state does not belong to");
    auto dist = keep("trained", "there", 1, 1);
    dist.torch_dist = true;
    CHECK(error_of(dist) ==
          "--optimizer keep: before megatron-core 0.16 torch_dist has no state that loads at any TP and PP; choose "
          "--target mcore@0.16 or later, or --ckpt-format torch");
    auto modules = keep("trained", "there", 1, 2);
    modules.layers = "te";
    auto error = test::failure(fs, modules);
    CHECK(error.kind == ErrorKind::unsupported);
    CHECK(error.message ==
          "the source has no module like that of decoder.layers.0.self_attention.linear_qkv.layer_norm_weight, so that "
          "nothing says where its state belongs; keep the modules of the source (--transformer-impl, "
          "--moe-grouped-gemm, --mla-mm-split, --target)");
}

TEST_CASE("optimizer: files that are missing or do not belong together are named") {
    MemoryFileSystem whole = trained();
    auto options = keep("trained", "there", 1, 2);
    MemoryFileSystem fs = whole;
    REQUIRE(fs.remove(kFirstStates));
    auto missing = test::failure(fs, options);
    CHECK(missing.kind == ErrorKind::bad_input);
    CHECK(missing.message ==
          "there is no param of model/embedding.word_embeddings.weight next to its weights; is a distrib_optim.pt "
          "missing? --optimizer drop leaves the state of the optimizer out");
    CHECK(missing.where == kFirstWeights);
    REQUIRE(fs.remove("trained/iter_0000001/mp_rank_01/distrib_optim.pt"));
    CHECK(test::failure(fs, options).message ==
          "there is no distrib_optim.pt, in which a distributed optimizer keeps its state; is the copy complete? "
          "--optimizer drop converts the weights alone");

    fs = whole;  // of the other rank: all shapes are right
    fs.add(kFirstStates, fs.content("trained/iter_0000001/mp_rank_01/distrib_optim.pt"));
    auto other = test::failure(fs, options);
    CHECK(other.kind == ErrorKind::bad_input);
    CHECK(
        other.message ==
        "it does not belong to the weights: its copy of model/embedding.word_embeddings.weight in full precision has "
        "other values. The two files are of different iterations, or the run keeps its parameters in an unusual order; "
        "--optimizer drop converts the weights alone");
    CHECK(other.where == kFirstStates);

    fs = whole;  // a file that was cut off
    fs.add(kFirstStates, fs.content(kFirstStates).substr(0, 2000));
    CHECK(test::failure(fs, options).kind == ErrorKind::bad_input);
}

TEST_CASE("optimizer: the state of other optimizers is refused with what to do") {
    MemoryFileSystem fs = trained();
    auto options = keep("trained", "there", 1, 2);
    auto message_with = [&](auto make) {
        test::TrainedFile file;
        fs.add(kFirstStates, file.bytes(make(file)));
        return test::failure(fs, options).message;
    };
    auto buffer = [](test::TrainedFile& file, ckpt::pickle::Ref states) {
        auto* types = file.plan.arena().make(
            ckpt::pickle::Tuple{{file.plan.dtype(ckpt::DType::bf16), file.plan.dtype(ckpt::DType::f32)}});
        auto* by_type = file.plan.dict();
        by_type->as<ckpt::pickle::Dict>()->items.emplace_back(types, states);
        auto* all = file.dict({{"buckets_coalesced", file.plan.boolean(true)}});
        ckpt::TorchFilePlan::set(all, file.plan.integer(0), by_type);
        return all;
    };
    CHECK(message_with([](auto& file) { return file.dict({}); }) ==
          "it does not hold whole buffers, as Megatron writes them since 2024; load it with the program that wrote it "
          "and save it with a newer Megatron, or leave it out with --optimizer drop");
    CHECK(message_with([](auto& file) { return file.list({file.plan.none()}); }) ==
          "it holds the state of 1 optimizers; known are one, and one for dense weights with one for experts");
    CHECK(message_with([&](auto& file) {
              return buffer(file, file.dict({{"numel_unpadded", file.plan.integer(4)}}));
          }) == "a buffer has no param; only the state of Adam can be converted (--optimizer drop leaves it out)");
    CHECK(message_with([&](auto& file) {
              return buffer(file, test::flat_states(file, {{1, 2, 3}}));
          }) ==
          "its buffers have bf16 3 elements, the parameters of the model file next to it need bf16 4928; were weights "
          "frozen, or is it of another run? --optimizer drop leaves it out");
}

TEST_CASE(
    "optimizer: in torch_dist, what only the run itself can read is refused with what to do, and what is missing "
    "named") {
    MemoryFileSystem fs = trained();
    auto to_dist = keep("trained", "dist", 1, 1);
    to_dist.torch_dist = true;
    to_dist.target = "mcore@0.16";
    REQUIRE(test::convert(fs, to_dist));
    auto options = keep("dist", "there", 2, 1);
    const std::string kCommon = "dist/iter_0000007/common.pt";
    auto opened = fs.open(kCommon);
    REQUIRE(opened);
    auto common = ckpt::TorchFile::read(**opened);
    REQUIRE(common);
    test::TrainedFile file;
    auto* optimizer = file.dict({{"param_state_sharding_type", file.plan.string("dp_reshardable")}});
    fs.add(kCommon, file.bytes(file.dict({{"args", ckpt::pickle::find(common->root(), "args")},
                                          {"iteration", file.plan.integer(7)},
                                          {"optimizer", optimizer}})));
    auto buckets = test::failure(fs, options);
    CHECK(buckets.kind == ErrorKind::unsupported);
    CHECK(buckets.message ==
          "the state of the optimizer has the form dp_reshardable, which only a run of the same TP, PP and EP can "
          "read. Resume with such a run, and save with --dist-ckpt-optim-fully-reshardable, in releases without that "
          "option with --ckpt-fully-parallel-save, or with --ckpt-format torch; --optimizer drop leaves it out");

    auto weights = test::reshard("trained", "weights", 1, 1);
    weights.torch_dist = true;
    REQUIRE(test::convert(fs, weights));
    options.source.directory = "weights";
    CHECK(test::failure(fs, options).message ==
          "there is no state of an optimizer: the run had --no-save-optim, or this is a checkpoint of weights alone; "
          "--optimizer drop converts these");
}

TEST_CASE("optimizer: verify reads the state too, in rank files and in torch_dist") {
    MemoryFileSystem whole = trained();
    auto to_dist = keep("trained", "dist", 1, 1);
    to_dist.torch_dist = true;
    to_dist.target = "mcore@0.16";
    REQUIRE(test::convert(whole, to_dist));
    auto verify = [](MemoryFileSystem& fs, const std::string& directory) {
        ckpt::VerifyOptions options;
        options.checkpoint.directory = directory;
        options.threads = 2;
        return ckpt::verify(fs, test::knowledge(), options, [](std::uint64_t) { return [](std::uint64_t) {}; });
    };
    for (const char* directory : {"trained", "dist"}) {
        auto sound = verify(whole, directory);
        REQUIRE_MESSAGE(sound, sound.error().text());
        CHECK(sound->differences.empty());
        CHECK(sound->notes.back() ==
              "the state of the optimizer is checked too: checksums, finite values, and that the weights are those of "
              "its copies in full precision, rounded");
    }

    MemoryFileSystem fs = whole;  // of the other rank: all shapes are right
    fs.add(kFirstStates, fs.content("trained/iter_0000001/mp_rank_01/distrib_optim.pt"));
    auto other = verify(fs, "trained");
    REQUIRE(other);
    REQUIRE_FALSE(other->differences.empty());
    CHECK(other->differences.front().tensor == "embedding");
    CHECK(other->differences.front().what.starts_with("the weights are not the rounded ones of the optimizer: "));

    fs = whole;
    std::string damaged = fs.content(kFirstStates);
    damaged[damaged.size() / 2] ^= 1;
    fs.add(kFirstStates, damaged);
    auto failed = verify(fs, "trained");
    REQUIRE(failed);
    REQUIRE_FALSE(failed->differences.empty());
    CHECK(failed->differences.front().tensor == "mp_rank_00/distrib_optim.pt");
    CHECK(failed->differences.front().what.starts_with("the record "));

    test::TrainedFile old;
    fs.add(kFirstStates, old.bytes(old.dict({})));
    auto unknown = verify(fs, "trained");
    REQUIRE(unknown);
    CHECK(
        unknown->notes.back().starts_with("the state of the optimizer is not checked: it does not hold whole buffers"));
}
