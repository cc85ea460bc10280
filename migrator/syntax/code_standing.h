// CodeStanding: when a piece of Python code runs, once its file has been loaded.
#pragma once

#include <cstdint>
#include <vector>

#include "migrator/syntax/syntax_tree.h"

namespace migrator {

struct CodeStanding {
    // Which code it is part of: of an outermost function or method, by its number in the file, or one of these.
    static constexpr std::int32_t kAtLoad = -1;     // outside functions
    static constexpr std::int32_t kAsProgram = -2;  // below `if __name__ == "__main__"`
    std::int32_t function = kAtLoad;
    bool sometimes = false;  // only if something holds, or as long as nothing fails

    bool is_in_function() const { return function >= 0; }
    bool operator==(const CodeStanding&) const = default;
};

// By node, for the whole tree.
using CodeStandings = std::vector<CodeStanding>;
CodeStandings code_standings(const SyntaxTree& tree);

// By node: the outermost function or method around it, itself included; kNoNode at module level.
std::vector<NodeId> functions_around(const SyntaxTree& tree);

// if __name__ == "__main__": no condition for the file that is run.
bool is_main_guard(const SyntaxTree& tree, NodeId if_statement);

// Of a block; kNoNode without one, or without a statement in it.
NodeId last_statement(const SyntaxTree& tree, NodeId block);

// Whether nothing runs after the statement: raise, sys.exit(), assert False. kNoNode: no.
bool ends_run(const SyntaxTree& tree, NodeId statement);

// try: ... except: raise; what is tried is needed.
bool insists(const SyntaxTree& tree, NodeId try_statement);

}  // namespace migrator
