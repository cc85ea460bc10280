// CallArguments: what a function is called with, also what functools.partial has filled in before.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "migrator/python/python_file.h"

namespace migrator {

struct CallArguments {
    NodeId list = kNoNode;            // of the call itself
    std::vector<NodeId> by_position;  // without comments; with stars
    std::vector<NodeId> by_keyword;   // the first of a keyword counts; also pairs of **{"a": b}
    bool open = false;                // there may be more than is written

    // Whether it is written in the call itself.
    bool is_own(const SyntaxTree& tree, NodeId argument) const { return tree.parent(argument) == list; }
    // The same, or in a ** of it.
    bool is_written_in(const SyntaxTree& tree, NodeId argument) const { return tree.is_ancestor(list, argument); }
    // With its keyword, if it has one; kNoNode: it is not written.
    NodeId find(const SyntaxTree& tree, std::optional<std::size_t> position, std::string_view keyword) const;
};

// What `call` gives to the function that `callee` says it calls; nullopt: it has no list of arguments. A partial is followed
// through names, attributes of self and functions of this file.
std::optional<CallArguments> call_arguments(const PythonFile& file, NodeId call, const Reference& callee);

// The function whose arguments a call of functools.partial fills in; kNoNode: it is another call.
NodeId function_of_partial(const PythonFile& file, NodeId call);
// What it fills in; there may be more when the function is called.
CallArguments filled_arguments(const PythonFile& file, NodeId partial);
// What `function` is given where it stands: called, or as what functools.partial fills in arguments of; nullopt: neither.
std::optional<CallArguments> arguments_at(const PythonFile& file, NodeId function, const Reference& reference);

}  // namespace migrator
