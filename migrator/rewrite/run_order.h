// RunOrder: when the code at a place of a file may run first. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/text_position.h"
#include "migrator/semantic/bindings.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

class RunOrder {
public:
    RunOrder(const SyntaxTree& tree, const Bindings& bindings);

    // Where: at the place itself, or, in a function, at the first call behind it that is in none. nullopt: no run of the
    // module gets there.
    std::optional<std::uint64_t> first_run(std::uint64_t at) const;
    // It runs with the module, and not in a function.
    bool runs_with_module(std::uint64_t at) const;

private:
    // An annotation, or an import under TYPE_CHECKING: nothing that a run needs.
    bool is_for_readers(std::uint64_t at) const;

    // Each in source order, none in another one.
    std::vector<base::ByteRange> bodies_;  // of functions
    std::vector<base::ByteRange> annotations_;
    std::vector<base::ByteRange> checked_imports_;  // under TYPE_CHECKING
    std::vector<std::uint64_t> calls_;              // outside of functions
};

}  // namespace migrator
