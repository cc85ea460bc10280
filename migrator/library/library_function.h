// LibraryFunction: a function, method, class or module of a library: what it calls, and what in it the NPU lacks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "migrator/match/matcher.h"

namespace migrator {

// A line that does not work on the NPU.
struct Obstacle {
    std::string subject;  // "torch.std_mean"
    std::string rule;
    std::string message;
    std::uint32_t line = 0;
};

struct LibraryFunction {
    enum class Kind { module, class_, function, method };
    Kind kind = Kind::function;
    std::string name;  // qualified: "lib.ops.Op.apply"; the code of a module has the module's name
    base::Path file;
    std::uint32_t line = 1;
    std::vector<std::string> bases;   // of a class, those of the library, by qualified name
    std::string external_base;        // of a class: the nearest base outside of the library; empty: none is known
    std::vector<std::string> calls;   // of functions and classes of the library
    std::vector<std::string> passed;  // what is handed to other calls: it counts when it is a function
    std::vector<Obstacle> obstacles;
    // Of a module, by which other names it offers things of the library: "lib.f" -> "lib.ops.f"; with "lib.*" ->
    // "lib.ops" everything.
    std::vector<std::pair<std::string, std::string>> exports{};
};

std::string_view name(LibraryFunction::Kind kind);

// What one Python file of a library has, the module in front. `findings`: of the file; those that are errors and
// cannot be fixed are obstacles, and so is every use of an interface that is not supported.
std::vector<LibraryFunction> functions_of(const SourceFile& file, const ParsedText& parsed, const MatchContext& context,
                                          const std::vector<Finding>& findings);

}  // namespace migrator
