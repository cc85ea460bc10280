// Writes pickles of protocol 2 with only the opcodes that torch.load(weights_only=True) accepts.
#pragma once

#include <string>

#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

// The pickle of `root`. Strings and globals are memoised by content, other values by identity, and only when used
// twice, so a shared value stays shared. Canonical: equal graphs give equal bytes. No recursion and linear in the
// graph, so that values of untrusted files can be passed through. Strings must be valid UTF-8; `is_writable` is CHECKed.
std::string write(Ref root);

// False when a value contains itself by way of a tuple, a set or the arguments of a call, which cannot be written
// (cycles by way of a list, a dict or an object's state can). Only hostile files have such values.
bool is_writable(Ref root);

}  // namespace ckpt::pickle
