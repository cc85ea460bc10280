// TrainingCode: what a Python file tells of training: whether it trains, and which code runs in each round of it.
#pragma once

#include <string>
#include <vector>

namespace migrator {

struct MatchContext;
struct ParsedText;

struct TrainingCode {
    struct Function {
        std::string name;                // qualified: "pkg.losses.Focal.forward"
        bool is_of_module = false;       // it runs whenever a module is called
        std::vector<std::string> calls;  // functions and classes of the project
    };
    bool trains = false;                 // it has a training loop
    std::vector<std::string> in_rounds;  // functions of the project that each round calls
    std::vector<Function> functions;     // of the file, that other files can call
};

TrainingCode training_code(const MatchContext& context, const ParsedText& parsed);

}  // namespace migrator
