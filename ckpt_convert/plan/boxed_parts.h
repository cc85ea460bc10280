// Parts of tensors that a file has with other axes than their box, such as all experts of a layer in one matrix.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/plan/layout.h"

namespace ckpt {

using TensorNames = std::set<std::string, std::less<>>;

// Cuts every part of such a tensor into parts that are boxes along the axes of the layout's box. Returns the tensors of which
// this was done. Those where it cannot be done stay as they are, and are refused when they are bound.
TensorNames box_parts(TensorIndex& index, const Layout& layout);

// The layout of an index whose parts were boxed.
void take_boxed(Layout& layout, const TensorNames& boxed);

}  // namespace ckpt
