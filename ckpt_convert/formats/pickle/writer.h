// Writes pickles of protocol 2 with only the opcodes that torch.load(weights_only=True) accepts.
#pragma once

#include <optional>
#include <string>

#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

// The pickle of `root`. Strings and globals are memoised by content, other values by identity, and only when used
// twice, so a shared value stays shared. Canonical: equal graphs give equal bytes. No recursion and linear in the
// graph. Strings must be valid UTF-8. That there is something to write at all (see `try_write`) is CHECKed.
std::string write(Ref root);

// For values of untrusted files that are passed through: nullopt when a value contains itself by way of a tuple, a set
// or the arguments of a call, which cannot be written. (Cycles by way of a list, a dict or an object's state can.)
std::optional<std::string> try_write(Ref root);

}  // namespace ckpt::pickle
