#include <doctest/doctest.h>

#include <algorithm>

#include "base/data_store.h"
#include "base/text.h"
#include "ckpt_convert/job/choice_flags.h"
#include "ckpt_convert/job/choices.h"

namespace {

std::string wrong(const std::string& words, ckpt::Engine engine = ckpt::Engine::mindspeed) {
    const base::DataStore store;
    ckpt::TrainingJob job;
    job.engine = engine;
    const auto choices = ckpt::load_choices(store);
    REQUIRE(choices);
    const auto done = ckpt::apply_choices(*choices, words, job);
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == base::ErrorKind::usage);
    return done.error().message;
}

}  // namespace

TEST_CASE("choices: words change the job, with a number behind a colon") {
    const base::DataStore store;
    const auto choices = ckpt::load_choices(store);
    REQUIRE(choices);
    ckpt::TrainingJob job;
    REQUIRE(ckpt::apply_choices(*choices, "recompute-block:3,swap-optimizer,recompute-norm", job));
    CHECK(job.memory.recompute == ckpt::Recompute::block);
    CHECK(job.memory.recompute_layers == 3);
    CHECK(job.optimizer.swap);
    CHECK(job.memory.recomputes(ckpt::Part::norm));
    CHECK_FALSE(job.memory.recomputes(ckpt::Part::mlp));
}

TEST_CASE("choices: what is wrong is named, and what was meant") {
    CHECK(wrong("swap-optimiser").find("swap-optimizer") != std::string::npos);
    CHECK(wrong("recompute-block:0").find("above 0") != std::string::npos);
    CHECK(wrong("recompute-block:x").find("above 0") != std::string::npos);
    CHECK(wrong("reuse-fp32-param", ckpt::Engine::megatron).find("megatron") != std::string::npos);
}

TEST_CASE("choices: a job says which words made it, of every engine") {
    const base::DataStore store;
    const auto choices = ckpt::load_choices(store);
    REQUIRE(choices);
    for (const ckpt::Engine engine : base::kAll<ckpt::Engine>) {
        ckpt::TrainingJob plain;
        plain.engine = engine;
        plain.ranks.tp = 2;
        plain.ranks.sequence_parallel = true;
        CHECK(ckpt::chosen_words(*choices, plain) == "none");
        for (const ckpt::Choice& choice : choices->choices) {
            if (!ckpt::has_choice(choice, engine)) continue;
            const auto flags = ckpt::flags_of(choice, engine);
            const bool takes_number = std::any_of(flags.begin(), flags.end(), [](const ckpt::ChoiceFlag& flag) {
                return base::contains(flag.values, std::string(ckpt::kNumberOfChoice));
            });
            if (!takes_number) {
                CHECK(wrong(choice.word + ":3", engine) ==
                      "--with " + choice.word + ":3: " + choice.word + " takes no number");
            }
            for (const std::string& word : {choice.word, choice.word + (takes_number ? ":3" : "")}) {
                ckpt::TrainingJob job = plain, again = plain;
                REQUIRE(ckpt::apply_choices(*choices, word, job));
                const std::string words = ckpt::chosen_words(*choices, job);
                INFO(name(engine) << ": " << word << " becomes " << words);
                REQUIRE(ckpt::apply_choices(*choices, words, again));
                CHECK(again.memory == job.memory);
                CHECK(again.optimizer == job.optimizer);
                CHECK(again.sharded == job.sharded);
                CHECK(again.ranks.sequence_parallel == job.ranks.sequence_parallel);
            }
        }
    }
}

TEST_CASE("choices: what of a command line they are") {
    ckpt::Choice choice;
    choice.flags = {{"mindspeed", "--loss-compute-mode chunk [--loss-chunk-size N]"},
                    {"megatron", "without --use-flash-attn"},
                    {"fsdp2", "parallel.recompute true parallel.recompute_modules model.layers.{*}"}};
    const auto chunk = ckpt::flags_of(choice, ckpt::Engine::mindspeed);
    REQUIRE(chunk.size() == 2);
    CHECK(chunk[0].name == "--loss-compute-mode");
    CHECK(chunk[0].values == std::vector<std::string>{"chunk"});
    CHECK_FALSE(chunk[0].is_of_number);
    CHECK(chunk[1].name == "--loss-chunk-size");
    CHECK(chunk[1].values == std::vector<std::string>{"N"});
    CHECK(chunk[1].is_of_number);
    const auto without = ckpt::flags_of(choice, ckpt::Engine::megatron);
    REQUIRE(without.size() == 1);
    CHECK(without[0].is_without);
    const auto keys = ckpt::flags_of(choice, ckpt::Engine::fsdp2);
    REQUIRE(keys.size() == 2);
    CHECK(keys[1].values == std::vector<std::string>{"model.layers.{*}"});
    choice.flags = {{"fsdp2", "selective activation checkpointing of operators"}};
    CHECK(ckpt::flags_of(choice, ckpt::Engine::fsdp2).empty());
}
