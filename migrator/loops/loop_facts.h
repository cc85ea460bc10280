// LoopFacts: how a training loop is recognised: rules/loops/loops.json.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/rule_file.h"

namespace migrator {

struct LoopFacts : base::RuleFileHead {
    std::vector<std::string> backward;         // functions and members that compute gradients
    std::vector<std::string> step;             // members of an optimizer, or of what drives one, that change weights
    std::vector<std::string> whole_step;       // functions of other files that do both
    std::vector<std::string> optimizers;       // packages whose classes are optimizers
    std::vector<std::string> no_optimizers;    // but not those of these
    std::vector<std::string> optimizer_words;  // a name of unknown class is an optimizer's when it has one of them
    std::vector<std::string> model_words;      // the same of models
    std::vector<std::string> module_methods;   // methods that run when an object is called as a function

    static base::Result<LoopFacts> load(const base::DataStore& store);
};

constexpr auto record_of(const LoopFacts*) {
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "loops", "how a training loop is recognised",
        base::field("backward", &LoopFacts::backward, "functions and members that compute gradients"),
        base::field("step", &LoopFacts::step, "members of an optimizer, or of what drives one, that change weights"),
        base::field("whole_step", &LoopFacts::whole_step, "functions of other files that do both"),
        base::field("optimizers", &LoopFacts::optimizers, "packages whose classes are optimizers"),
        base::field("no_optimizers", &LoopFacts::no_optimizers, "but not those of these"),
        base::field("optimizer_words", &LoopFacts::optimizer_words,
                    "a name of unknown class is an optimizer's when it has one of them"),
        base::field("model_words", &LoopFacts::model_words, "the same of models"),
        base::field("module_methods", &LoopFacts::module_methods,
                    "methods that run when a module is called, and so in each round"));
}

}  // namespace migrator
