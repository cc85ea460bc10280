// Writes pickles of protocol 2 with only the opcodes that torch.load(weights_only=True) accepts.
#pragma once

#include <string>

#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

// The pickle of `root`. Strings and globals are memoised by content, other values by identity when used twice, so a
// shared value stays shared. Canonical: equal trees give equal bytes. Cycles are not allowed (CHECKed).
std::string write(Ref root);

}  // namespace ckpt::pickle
