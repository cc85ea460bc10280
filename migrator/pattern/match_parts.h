// without_parts: the matches that no larger match replaces as a part of itself.
#pragma once

#include <vector>

#include "migrator/pattern/pattern_matcher.h"

namespace migrator {

// `found` is in the order of the matches' roots. Of several at one root the first stays. A match inside another one, or
// inside a definition that the other one takes up, goes, but not what stands in one of its holes: that stays code. Takes
// time in proportion to the matches and the log of it, however they are nested.
std::vector<PatternMatch> without_parts(const SyntaxTree& tree, std::vector<PatternMatch> found);

}  // namespace migrator
