#include "ckpt_convert/app/options.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/memory_file_system.h"

namespace {

base::Result<std::optional<ckpt::Options>> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "ckpt_convert");
    test::MemoryFileSystem fs;
    fs.add("verfiy/config.json", "");
    TRY_ASSIGN(auto line, ckpt::parse_options(static_cast<int>(arguments.size()), arguments.data(), fs));
    return line.options;
}

base::Error error_of(std::vector<const char*> arguments) {
    auto parsed = parse(std::move(arguments));
    REQUIRE_FALSE(parsed);
    return parsed.error();
}

}  // namespace

TEST_CASE("options: the command line of an existing user") {
    auto parsed = parse({"--model-type",
                         "GPT",
                         "--load-model-type",
                         "hf",
                         "--save-model-type",
                         "mg",
                         "--target-tensor-parallel-size",
                         "1",
                         "--target-pipeline-parallel-size",
                         "2",
                         "--num-layer-list",
                         "16,16",
                         "--model-type-hf",
                         "llama2",
                         "--load-dir",
                         "D",
                         "--save-dir",
                         "E",
                         "--tokenizer-model",
                         "F",
                         "--params-dtype",
                         "bf16",
                         "--make-vocab-size-divisible-by",
                         "1"});
    REQUIRE(parsed);
    const ckpt::ConvertOptions& options = (*parsed)->convert;
    CHECK(options.source.side == ckpt::Side::huggingface);
    CHECK(options.to == ckpt::Side::megatron);
    CHECK(options.topology.tp == 1);
    CHECK(options.topology.pp == 2);
    CHECK(options.topology.layers_per_stage == std::vector<std::uint32_t>{16, 16});
    CHECK(options.source.family == "llama2");
    CHECK(options.source.directory == "D");
    CHECK(options.save_dir == "E");
    CHECK(options.vocab.divisor == 1);
    CHECK(options.notes ==
          std::vector<std::string>{"--model-type has no effect: only GPT models exist",
                                   "--tokenizer-model has no effect: the vocabulary size is read from config.json"});
}

TEST_CASE("options: the short form and the subcommands") {
    auto parsed = parse({"--load-dir", "D", "--save-dir", "E", "--tp", "2", "--pp", "4", "--max-shard-size", "500MB",
                         "--memory", "1GB"});
    REQUIRE(parsed);
    CHECK((*parsed)->convert.topology.tp == 2);
    CHECK((*parsed)->convert.topology.pp == 4);
    CHECK((*parsed)->convert.topology_given);
    CHECK((*parsed)->convert.max_shard_bytes == 500'000'000);
    CHECK((*parsed)->convert.memory_bytes == 1'000'000'000);
    auto inspect = parse({"inspect", "PATH", "--json"});
    REQUIRE(inspect);
    CHECK((*inspect)->command == ckpt::Options::Command::inspect);
    CHECK((*inspect)->inspected.path == "PATH");
    CHECK((*inspect)->json);
}

TEST_CASE("options: verify, models, plan-conversion") {
    auto verify = parse({"verify", "A", "--against", "B", "--memory", "8MB", "-j", "3", "--hf-cfg-dir", "C"});
    REQUIRE(verify);
    CHECK((*verify)->command == ckpt::Options::Command::verify);
    CHECK((*verify)->verify.checkpoint.directory == "A");
    CHECK((*verify)->verify.checkpoint.hf_config_dir == "C");
    CHECK((*verify)->verify.against == "B");
    CHECK((*verify)->verify.memory_bytes == 8'000'000);
    CHECK((*verify)->verify.threads == 3);
    CHECK((*parse({"models"}))->command == ckpt::Options::Command::list_models);
    CHECK((*parse({"models", "list"}))->command == ckpt::Options::Command::list_models);
    auto show = parse({"models", "show", "qwen3"});
    REQUIRE(show);
    CHECK((*show)->command == ckpt::Options::Command::show_model);
    CHECK((*show)->model == "qwen3");
    CHECK((*parse({"models", "check", "f.json"}))->command == ckpt::Options::Command::check_model);
    auto plan = parse({"plan-conversion", "--load-dir", "D", "--save-dir", "E", "--ckpt-format", "torch_dist"});
    REQUIRE(plan);
    CHECK((*plan)->command == ckpt::Options::Command::convert);
    CHECK((*plan)->convert.dry_run);
    CHECK((*plan)->convert.torch_dist);
}

TEST_CASE("options: directories without --load-dir and --save-dir, with and without a command") {
    for (const std::vector<const char*>& words : {std::vector<const char*>{"D", "E", "--tp", "2"},
                                                  {"convert", "--tp", "2", "D", "E"},
                                                  {"plan", "D", "--tp=2", "E"},
                                                  {"--tp", "2", "convert", "D", "E"}}) {
        auto parsed = parse(words);
        REQUIRE_MESSAGE(parsed, parsed.error().text());
        CHECK((*parsed)->command == ckpt::Options::Command::convert);
        CHECK((*parsed)->convert.source.directory == "D");
        CHECK((*parsed)->convert.save_dir == "E");
        CHECK((*parsed)->convert.topology.tp == 2);
        CHECK((*parsed)->convert.dry_run == (words.front() == std::string("plan")));
    }
    CHECK((*parse({"verify", "A", "B"}))->verify.against == "B");
    CHECK((*parse({"D", "E", "--show-plan"}))->convert.dry_run);
}

TEST_CASE("options: what was probably meant is said") {
    CHECK(error_of({"verfy", "A"}).message ==
          "there is no command and no checkpoint \"verfy\"; did you mean \"verify\"?");
    CHECK(error_of({"verfiy", "A", "B", "C"}).message == "unexpected arguments: B C; see ckpt_convert --help");
    CHECK((*parse({"verfiy", "A"}))->convert.source.directory == "verfiy");  // such a checkpoint is there
    CHECK(error_of({"inspect", "A", "B"}).message == "unexpected argument: B; see ckpt_convert inspect --help");
    CHECK(error_of({"D", "E", "--save-drr", "F"}).message ==
          "unexpected arguments: --save-drr F; did you mean \"--save-dir\"?; see ckpt_convert --help");
    CHECK(error_of({"D", "E", "--params-dtype", "bf61"}).message ==
          "--params-dtype: \"bf61\" is not a value; did you mean \"bf16\"?; see ckpt_convert --help");
}

TEST_CASE("options: what is wrong is said, with the exit code of its kind") {
    CHECK(error_of({}).message == "--load-dir is needed: ckpt_convert INPUT OUTPUT; see ckpt_convert --help");
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--bogus"}).kind == base::ErrorKind::usage);
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--tp", "0"}).message ==
          "--tp: \"0\" is not a whole number from 1 to 65536; see ckpt_convert --help");
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--num-layer-list", "1,x"}).message ==
          "--num-layer-list: \"1,x\" is not a list of numbers such as 16,16");
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--max-shard-size", "5 apples"}).message ==
          "--max-shard-size: \"5 apples\" is not a size such as 5GB or 512MB (units: B, KB, MB, GB)");
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--load-model-type", "gguf"}).message ==
          "--load-model-type: \"gguf\" is neither hf nor mg");
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--moe-tp-extend-ep", "--etp", "1"}).message ==
          "--moe-tp-extend-ep spreads whole experts; --expert-tensor-parallel-size cannot be given too");
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--qlora-nf4"}).message ==
          "--qlora-nf4: NF4 quantisation is not supported");
    auto noted = parse({"--load-dir", "D", "--save-dir", "E", "--spec", "a.b", "layer_spec", "--w-pack", "1"});
    REQUIRE(noted);
    CHECK((*noted)->convert.notes == std::vector<std::string>{"--w-pack has no effect: known from the model family",
                                                              "--spec has no effect: known from the model family"});
}

TEST_CASE("options: how experts are dealt out and stored") {
    auto parsed =
        parse({"--load-dir", "D", "--save-dir", "E", "--target-expert-parallel-size", "8",
               "--expert-tensor-parallel-size", "1", "--moe-grouped-gemm", "--mla-mm-split", "--mtp-num-layers", "2"});
    REQUIRE(parsed);
    const ckpt::ConvertOptions& options = (*parsed)->convert;
    CHECK(options.topology.experts == ckpt::ExpertParallel{8, 1, false});
    CHECK(options.grouped_experts);
    CHECK(options.mla_split);
    CHECK(options.source.mtp_layers == 2u);
    CHECK(options.topology_given);
}

TEST_CASE("options: convert_param.py says the direction and two directories") {
    auto there = parse({"--cvt-type", "hf2mg", "--hf-dir", "H", "--mg-dir=M", "--tensor-model-parallel-size", "2",
                        "--pipeline-model-parallel-size", "4", "--model-name", "llama", "--tp-x", "1"});
    REQUIRE_MESSAGE(there, there.error().text());
    const ckpt::ConvertOptions& options = (*there)->convert;
    CHECK(options.source.directory == "H");
    CHECK(options.save_dir == "M");
    CHECK(options.source.side == ckpt::Side::huggingface);
    CHECK(options.to == ckpt::Side::megatron);
    CHECK(options.topology.tp == 2);
    CHECK(options.topology.pp == 4);
    CHECK(options.vocab.divisor == 128);
    CHECK(options.iteration == "release");
    CHECK(options.notes ==
          std::vector<std::string>{"--model-name has no effect: the model family is found from config.json",
                                   "--tp-x has no effect: it is a part of --tp-2d"});
    auto said = parse({"--cvt-type=hf2mg", "--hf-dir", "H", "--mg-dir", "M", "--iteration", "7",
                       "--make-vocab-size-divisible-by", "1"});
    REQUIRE(said);
    CHECK((*said)->convert.iteration == "7");
    CHECK((*said)->convert.vocab.divisor == 1);
    auto back = parse({"--cvt-type", "mg2hf", "--hf-dir", "H", "--mg-dir", "M", "--save-dir", "S"});
    REQUIRE(back);
    CHECK((*back)->convert.source.directory == "M");
    CHECK((*back)->convert.source.hf_config_dir == "H");
    CHECK((*back)->convert.save_dir == "S");
    CHECK((*back)->convert.to == ckpt::Side::huggingface);
}

TEST_CASE("options: what convert_param.py cannot mean here is refused in a sentence") {
    CHECK(error_of({"--cvt-type", "mg2hf", "--hf-dir", "H", "--mg-dir", "M"}).message ==
          "--cvt-type needs --save-dir: the weights would go between the files of the original in --hf-dir, which stay "
          "as they are");
    CHECK(error_of({"--cvt-type", "hf2mg", "--mg-dir", "M"}).message == "--cvt-type needs --hf-dir");
    CHECK(error_of({"--cvt-type", "up", "--mg-dir", "M"}).message ==
          "--cvt-type: \"up\" is not a value; there are hf2mg, mg2hf");
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--mg-dir", "M"}).message ==
          "--mg-dir M: without --cvt-type it says neither what is read nor what is written: use --load-dir and "
          "--save-dir");
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--tp-2d"}).message ==
          "--tp-2d: weights that are split along both axes are not supported");
    CHECK(error_of({"--load-dir", "D", "--save-dir", "E", "--first-k-dense-replace", "x"}).message ==
          "--first-k-dense-replace: \"x\" is not a whole number");
}
