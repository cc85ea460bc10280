// What a Megatron checkpoint says about itself, and what a training run must be told: the `args` and `flags` sections
// of a mapping file, worked out for one conversion.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/mapping/model.h"

namespace ckpt {

// Where a script of flags says that the checkpoint is. A shell replaces it.
inline constexpr const char* kCheckpointDir = "$CHECKPOINT_DIR/";

// What the rules can refer to.
struct ArgumentFacts {
    ModelValues numbers;                                    // besides the model's own values: tp, slots, bf16 ...
    std::map<std::string, std::string, std::less<>> texts;  // "$noop_layers"
    // "@moe": what differs by layer, noop layers included.
    std::map<std::string, std::vector<std::int64_t>, std::less<>> lists;
    const Json* config = nullptr;  // config.json, for rules that copy from it
    const Json* saved = nullptr;   // arguments of the source checkpoint, which go on
};

// The arguments object: those of the source, with what the rules say in their place. Without a config the rules replace
// only what a conversion may change. Fails with rule_data when a rule refers to nothing.
Result<Json> checkpoint_arguments(const Model& model, const ArgumentFacts& facts);

// A flag of the mapping file as it is for one run.
struct TrainingFlag {
    enum class Use {
        given,
        absent,  // a condition does not hold; given all the same, it may do no harm
        off,     // the model is without it: given, it would make another model
    };
    std::string name;  // "--rotary-base"
    Use use = Use::absent;
    std::vector<std::string> values;  // words; none for a switch
};
Result<std::vector<TrainingFlag>> all_training_flags(const Model& model, const ArgumentFacts& facts);
// "--num-layers 32", quoted for a shell.
std::string flag_text(const TrainingFlag& flag);

// The command line of a training run, one entry per flag with its values: "--num-layers 32".
Result<std::vector<std::string>> training_flags(const Model& model, const ArgumentFacts& facts);

}  // namespace ckpt
