// LaunchFacts: for whom scripts are written, what numbers they compute, and what must hold: rules/launch/launch.json.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rule_file.h"
#include "ckpt_convert/job/training_job.h"
#include "ckpt_convert/mapping/expression.h"
#include "ckpt_convert/mapping/model_values.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// A project whose programs are started.
struct LaunchTarget {
    std::string name;
    std::string title;
    std::string dialect;                 // what --target of a conversion calls it; empty: it reads Hugging Face's files
    bool torch_dist = false;             // its checkpoints are torch_dist
    std::string options;                 // the file of its options
    std::string release;                 // of that file
    std::vector<std::string> programs;   // that train and infer
    std::vector<std::string> own_words;  // programs that only it has
    std::vector<std::string> left_out;   // flags of mapping files that its templates have themselves
};
constexpr auto record_of(const LaunchTarget*) {
    using base::field;
    return base::record(
        "launch_target", "a project whose programs are started",
        field("name", &LaunchTarget::name, "what --target calls it; its templates are in templates/launch/NAME")
            .needed(),
        field("title", &LaunchTarget::title, "what people call it").needed(),
        field("dialect", &LaunchTarget::dialect,
              "what --target of a conversion calls its checkpoints; without it they are Hugging Face's"),
        field("torch_dist", &LaunchTarget::torch_dist, "its checkpoints are torch_dist"),
        field("options", &LaunchTarget::options, "the file of rules/launch that lists its options").needed(),
        field("release", &LaunchTarget::release, "which of the releases there"),
        field("programs", &LaunchTarget::programs, "the files of its programs").needed(),
        field("own_words", &LaunchTarget::own_words, "a script with one of these words is for it"),
        field("left_out", &LaunchTarget::left_out,
              "flags of mapping files that are about loading a checkpoint: its templates have them themselves"));
}

struct LaunchNumber {
    std::string name;
    Expression value;
    std::string about;
};
constexpr auto record_of(const LaunchNumber*) {
    using base::field;
    return base::record(
        "launch_number", "a number of a job, from others", field("name", &LaunchNumber::name, "its name").needed(),
        field("value", &LaunchNumber::value, "how it is worked out; where that fails, there is none").needed(),
        field("about", &LaunchNumber::about, "what it is"));
}

// A number that options say.
struct OptionNumber {
    std::string option;
    std::string or_option;
    std::optional<std::int64_t> otherwise;
    std::string otherwise_from;
};
constexpr auto record_of(const OptionNumber*) {
    using base::field;
    return base::record("option_number", "a number that an option says",
                        field("option", &OptionNumber::option, "its name").needed(),
                        field("or", &OptionNumber::or_option, "what other programs call it"),
                        field("else", &OptionNumber::otherwise, "what it is without the option; without this nothing"),
                        field("else_from", &OptionNumber::otherwise_from, "the number that it is without the option"));
}

inline constexpr auto kTrainingModes = std::to_array<std::string_view>(
    {name(TrainingMode::pretrain), name(TrainingMode::sft), name(TrainingMode::lora), name(TrainingMode::dpo)});
inline constexpr auto kSeverities = std::to_array<std::string_view>({"error", "warning", "advice"});

struct LaunchRule {
    std::string id;
    std::optional<Expression> when;
    std::optional<Expression> that;
    std::string message;
    std::string right;
    std::vector<std::string> at;
    std::string add;
    std::string severity;
    std::string source;
};
constexpr auto record_of(const LaunchRule*) {
    using base::field;
    return base::record(
        "launch_rule", "what must hold of the numbers of a job", field("id", &LaunchRule::id, "its name").needed(),
        field("when", &LaunchRule::when, "it is looked at where this is not 0; a number that is unknown makes it 0"),
        field("that", &LaunchRule::that, "what must not be 0").needed(),
        field("message", &LaunchRule::message, "what is wrong; {name} is a number").needed(),
        field("right", &LaunchRule::right, "what would be right").needed(),
        field("at", &LaunchRule::at, "the options that it is about: the first that is given has the place").needed(),
        field("add", &LaunchRule::add, "the option whose absence it is; --fix adds it"),
        field("severity", &LaunchRule::severity, "how bad it is").one_of(kSeverities).needed(),
        field("source", &LaunchRule::source, "where the fact comes from"));
}

// A script of a set that trains.
struct LaunchTraining {
    std::string script;
    std::string mode;
};
constexpr auto record_of(const LaunchTraining*) {
    using base::field;
    return base::record("launch_training", "a script of a set that trains, whose memory is looked at",
                        field("script", &LaunchTraining::script, "its name in templates/launch").needed(),
                        field("mode", &LaunchTraining::mode, "how it trains, as --mode of a plan has it")
                            .one_of(kTrainingModes)
                            .needed());
}

// A flag of mapping files that a script may say otherwise, or need not say.
struct FlagReading {
    std::vector<std::string> same_as;
    std::vector<std::string> once;
    std::string otherwise;
    std::string otherwise_as;
    std::vector<std::string> also;
    std::optional<Expression> may_be_more;
    std::optional<Expression> implied;
    std::optional<Expression> inert;
    std::string with;
    std::string absent;
    bool compared = true;
};
constexpr auto record_of(const FlagReading*) {
    using base::field;
    return base::record(
        "flag_reading", "how a flag of mapping files is compared with a script's",
        field("same_as", &FlagReading::same_as, "options that say the same in other words"),
        field("once", &FlagReading::once, "what it was called in earlier releases, with the same values"),
        field("default", &FlagReading::otherwise,
              "what programs take without it; without this the list of options says it"),
        field("default_as", &FlagReading::otherwise_as, "the option whose value programs take without it"),
        field("also", &FlagReading::also, "values that are right as well"),
        field("may_be_more", &FlagReading::may_be_more, "where this is not 0, a larger number is right as well"),
        field("implied", &FlagReading::implied,
              "what it must be, if it is given, where the mapping file does not give it"),
        field("inert", &FlagReading::inert, "where this is not 0, it has no effect, whatever it is"),
        field("with", &FlagReading::with, "an option without which it makes no other model"),
        field("absent", &FlagReading::absent, "what happens without it; it is then no error, but a warning"),
        field("compared", &FlagReading::compared, "false: it is about a run, not about the model"));
}

struct LaunchVariable {
    std::string name;
    std::string problem;
    std::optional<Expression> least;
    std::string least_why;
    std::string severity;
};
constexpr auto record_of(const LaunchVariable*) {
    using base::field;
    return base::record(
        "launch_variable", "what can be wrong with a variable of the environment",
        field("name", &LaunchVariable::name, "its name, with * for any end").needed(),
        field("problem", &LaunchVariable::problem, "what is wrong with it at all, or with less than `least`"),
        field("least", &LaunchVariable::least, "the least value"),
        field("least_why", &LaunchVariable::least_why, "why"),
        field("severity", &LaunchVariable::severity, "how bad it is").one_of(kSeverities).needed());
}

// What the comments of a script ask a batch system for.
struct BatchSystem {
    std::string comment;
    std::string starter;
    std::map<std::string, std::vector<std::string>> options;
};
constexpr auto record_of(const BatchSystem*) {
    using base::field;
    return base::record(
        "batch_system", "what the comments of a script ask a batch system for",
        field("comment", &BatchSystem::comment, "how such a comment begins").needed(),
        field("starter", &BatchSystem::starter, "the command that starts the job's tasks").needed(),
        field("options", &BatchSystem::options, "by option, the variables that it gives to the job").needed());
}

struct LaunchFacts : base::RuleFileHead {
    std::vector<LaunchTarget> targets;
    std::vector<LaunchNumber> numbers;
    std::map<std::string, OptionNumber> from_options;
    std::vector<LaunchRule> rules;
    std::vector<LaunchTraining> trainings;
    std::map<std::string, FlagReading> flags;
    std::vector<LaunchVariable> variables;
    std::map<std::string, std::vector<std::string>> prompts;
    std::map<std::string, std::string> model_ids;
    std::string yaml_program;
    std::vector<std::string> of_model;
    std::vector<std::string> tokenizer_files;
    std::vector<std::string> loads;
    std::map<std::string, std::vector<std::string>> lora_modules;
    std::vector<std::string> not_read;
    std::vector<std::string> shown_by;
    std::vector<std::string> given;
    BatchSystem batch;

    static Result<LaunchFacts> load(const base::DataStore& store) {
        return base::read_rule_record<LaunchFacts>(store, "rules/launch/launch.json");
    }
    // Fails with usage and says what there is.
    Result<const LaunchTarget*> target(std::string_view name) const;
    // The numbers that follow from these, added to them.
    void add_numbers(ModelValues& values) const;
    // Also where the directory cannot be read: then nothing is known.
    bool has_tokenizer(base::FileSystem& fs, const Path& directory) const;
};
constexpr auto record_of(const LaunchFacts*) {
    using base::field;
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "launch", "how training programs are started",
        field("targets", &LaunchFacts::targets, "for whom; the first one without --target").needed(),
        field("numbers", &LaunchFacts::numbers, "numbers of a job that follow from others, in this order").needed(),
        field("from_options", &LaunchFacts::from_options, "by name, the numbers that a script's options say").needed(),
        field("rules", &LaunchFacts::rules, "what must hold").needed(),
        field("trainings", &LaunchFacts::trainings, "the scripts that train").needed(),
        field("flags", &LaunchFacts::flags, "by name, flags of mapping files that scripts may say otherwise").needed(),
        field("variables", &LaunchFacts::variables, "what can be wrong with variables of the environment").needed(),
        field("prompts", &LaunchFacts::prompts, "by family the values of --prompt-type that fit, the usual one first")
            .needed(),
        field("model_ids", &LaunchFacts::model_ids, "by family, what model.model_id of MindSpeed-LLM's FSDP2 calls it")
            .needed(),
        field("yaml_program", &LaunchFacts::yaml_program, "the program whose settings a YAML file is").needed(),
        field("of_model", &LaunchFacts::of_model,
              "options that a model has or has not: given where its mapping file does not, they make another")
            .needed(),
        field("loads", &LaunchFacts::loads, "options with a directory that a checkpoint is loaded from").needed(),
        field("tokenizer_files", &LaunchFacts::tokenizer_files,
              "how names of files end that hold a tokenizer's vocabulary, of which a tokenizer has at least one")
            .needed(),
        field("not_read", &LaunchFacts::not_read,
              "names of scripts that say nothing of the job, as those of CANN: they are not looked into"),
        field("shown_by", &LaunchFacts::shown_by, "commands that name a program without starting it"),
        field("given", &LaunchFacts::given,
              "variables that the system which starts a job sets, with * for any end: a script need not"),
        field("batch", &LaunchFacts::batch, "the batch system whose comments are read").needed(),
        field("lora_modules", &LaunchFacts::lora_modules,
              "what adapters can be for: of latent attention under `latent`, else under the empty name")
            .needed());
}

}  // namespace ckpt
