// Choices: what a training can do about its memory, by the words of --with: rules/planner/choices.json.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/rule_file.h"
#include "ckpt_convert/job/training_job.h"

namespace ckpt {

struct Choice {
    std::string word;  // "swap-optimizer"
    std::string does;  // a word of known_effects()
    std::string about;
    std::string cost;                                       // of time or precision
    bool suggested = true;                                  // named when something does not fit
    bool experts = false;                                   // of models with experts only
    bool latent = false;                                    // of models with latent attention only
    std::map<std::string, std::string, std::less<>> flags;  // by engine: what its command line has
    std::string source;
};
constexpr auto record_of(const Choice*) {
    using base::field;
    return base::record(
        "choice", "what a training can do about its memory", field("word", &Choice::word, "of --with").needed(),
        field("does", &Choice::does, "what it changes in the job").needed(),
        field("about", &Choice::about, "for people").needed(),
        field("cost", &Choice::cost, "what it costs: time, precision, memory of the host").needed(),
        field("suggested", &Choice::suggested, "it is named when something does not fit"),
        field("experts", &Choice::experts, "of models with experts only"),
        field("latent", &Choice::latent, "of models with latent attention only"),
        field("flags", &Choice::flags, "by engine, what its command line has; an engine without one lacks it").needed(),
        field("source", &Choice::source, "where that is described").needed());
}

struct Choices : base::RuleFileHead {
    std::vector<Choice> choices;
};
constexpr auto record_of(const Choices*) {
    return base::extended(record_of(static_cast<const base::RuleFileHead*>(nullptr)), "choices",
                          "what trainings can do about their memory",
                          base::field("choices", &Choices::choices, "one each").needed());
}

// Fails with rule_data, also where a choice does what nobody knows.
Result<Choices> load_choices(const base::DataStore& store);

// The word for no choice at all.
inline constexpr std::string_view kNoChoice = "none";

// A choice as somebody made it; `number` is what stands behind its colon, or 0.
struct Chosen {
    const Choice* choice = nullptr;
    std::int64_t number = 0;
};

// Of "swap-optimizer,recompute-block:4", or "none". Fails with usage: a word that there is not, one that the engine lacks.
Result<std::vector<Chosen>> read_choices(const Choices& choices, std::string_view words, Engine engine);
// The same, done to a job.
Status apply_choices(const Choices& choices, std::string_view words, TrainingJob& job);
// One of them.
void apply_choice(const Choice& choice, std::int64_t number, TrainingJob& job);
bool has_choice(const Choice& choice, Engine engine);
// The parts of layers that the engine has an option to compute again for.
std::array<bool, kParts> recomputable_parts(const Choices& choices, Engine engine);
// The words that apply_choices would make such a job of a plain one with: "recompute-block:4,swap-optimizer"; "none".
std::string chosen_words(const Choices& choices, const TrainingJob& job);
// Whether it may be named to a training of this model that does not fit.
bool is_suggested(const Choice& choice, const ModelShape& model, Engine engine);

}  // namespace ckpt
