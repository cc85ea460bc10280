// write_match: the edits that write what a rule's template says in place of a match, with the code of the holes in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "migrator/edit/edit.h"
#include "migrator/pattern/pattern_matcher.h"

namespace migrator {

struct WrittenMatch {
    std::vector<Edit> edits;
    std::string why_not;  // when there are none: for the report
};

// Assignments that only the match read go; holes keep their place in the text when they stay in order, so that other
// edits can be made in them. Nothing is written over comments, and no code is moved past what it depends on.
WrittenMatch write_match(const SyntaxTree& tree, const Bindings& bindings, const PatternMatcher& matcher,
                         const PatternMatch& match);

}  // namespace migrator
