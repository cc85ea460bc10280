// Copies: what a checkpoint holds twice is bound once when the bits are the same, and else as weights of their own.
#pragma once

#include <functional>

#include "ckpt_convert/open/source.h"

namespace ckpt {

// Sets the source's binding with `bind`, called with its model. A copy with bits of its own changes the model as its mapping
// file says, and everything is bound again; without a place for it this fails with unsupported. Notes say what was found.
Status bind_copies(Source& source, Copies copies, const std::function<Result<SourceBinding>(const Model&)>& bind);

}  // namespace ckpt
