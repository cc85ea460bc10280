// Benchmarks: what an evaluation program measures: rules/launch/benchmarks.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/rule_file.h"
#include "ckpt_convert/base_names.h"

namespace ckpt {

struct Benchmark {
    std::string name;
    std::string folder;
    std::int64_t tokens = 0;
    std::int64_t least = 1;
    std::string file;
    std::string examples;
    bool needs_examples = false;
    bool tuned_prompt = false;
    std::string without_answers;
    std::string language = "en";

    // Whether a tuned model is asked with the prompt type of its training, and not by the tokenizer's chat template.
    bool takes_prompt_type() const { return tuned_prompt || !examples.empty(); }
};
constexpr auto record_of(const Benchmark*) {
    using base::field;
    return base::record(
        "benchmark", "a benchmark", field("name", &Benchmark::name, "what --task calls it").needed(),
        field("folder", &Benchmark::folder, "the usual folder of its questions").needed(),
        field("tokens", &Benchmark::tokens, "the tokens of an answer that the program's documents advise").needed(),
        field("least", &Benchmark::least, "the fewest tokens that hold an answer"),
        field("file", &Benchmark::file, "the part of a file's name without which the program passes the file over"),
        field("examples", &Benchmark::examples,
              "the folder next to that of the questions, whose examples --prompt-type and --alternative-prompt read"),
        field("needs_examples", &Benchmark::needs_examples, "they are read in any case"),
        field("tuned_prompt", &Benchmark::tuned_prompt, "--prompt-type has an effect though no examples are read"),
        field("without_answers", &Benchmark::without_answers,
              "the name of a folder of the data whose questions have no published answers"),
        field("language", &Benchmark::language, "the value of --eval-language"));
}

struct Benchmarks : base::RuleFileHead {
    std::string program;
    std::vector<Benchmark> benchmarks;

    static Result<Benchmarks> load(const base::DataStore& store) {
        return base::read_rule_record<Benchmarks>(store, "rules/launch/benchmarks.json");
    }
    const Benchmark* find(std::string_view name) const;
    std::vector<std::string> names() const;
};
constexpr auto record_of(const Benchmarks*) {
    using base::field;
    return base::extended(record_of(static_cast<const base::RuleFileHead*>(nullptr)), "benchmarks",
                          "what an evaluation program measures",
                          field("program", &Benchmarks::program, "the program that --task is an option of").needed(),
                          field("benchmarks", &Benchmarks::benchmarks, "what it knows").needed());
}

// A line for each: its name, the folder, the tokens, "yes" where a tuned model is asked with its prompt type, and the language.
std::string benchmark_table(const Benchmarks& known);

}  // namespace ckpt
