// Composer: puts a stored tensor together from the weights that its rule names, and cuts out one TP rank's share.
#pragma once

#include "ckpt_convert/plan/layout.h"

namespace ckpt {

// Which part of the stored tensor a rank gets; {1, 0} is all of it.
struct Share {
    std::uint64_t count = 1;
    std::uint64_t index = 0;
    const char* kind = "TP";  // for messages
};

inline constexpr const char* kExpertTp = "expert TP";

// A rule with what does not depend on rank worked out.
struct ActiveRule {
    const StoredRule* rule = nullptr;
    std::string name;               // in the dialect at hand
    std::uint64_t padded_rows = 0;  // 0: no padding
    std::uint64_t same_rows = 1;    // of Once
    std::uint64_t paired_rows = 0;  // of Paired
    KvSharing sharing = KvSharing::refuse;
    // Which layers have the tensor, as the rounds of Interleaved; 0: not this one. One entry for tensors that are
    // not per layer.
    std::vector<std::uint64_t> rounds;
};

// The stored tensor of `layer` and of `expert` (ignored for tensors that are not per layer or expert), without name and file.
// Fails with usage when the share does not come out even.
Result<LayoutTensor> compose(const Model& model, const ActiveRule& active, Share share, std::uint32_t layer,
                             std::uint32_t expert = 0);

// The tensor that holds these experts of `layer`, as Stacked says.
Result<LayoutTensor> compose_stack(const Model& model, const ActiveRule& active, const ExpertShare& experts,
                                   std::uint32_t layer);

}  // namespace ckpt
