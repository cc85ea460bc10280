// AffineMaps: where newer releases of DeepSpeed say element by element how slices make up parameters, beside their patterns.
//
//   universal_checkpoint_info
//     affine_map  {version, params: {pattern: {logical_shape, ranks: {RANK: {pieces: [PIECE]}}}}}
//     PIECE       {shape, source: [first, strides] of the whole, dest: [first, strides] of the slice, scale: 1 when left out}
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ckpt_convert/checkpoint/name_pattern.h"
#include "ckpt_convert/checkpoint/zero_files.h"

namespace ckpt {

class AffineMaps {
public:
    // `info`: of the model. Patterns that are not understood have no map here.
    static AffineMaps read(pickle::Ref info);

    // What the map of a parameter says otherwise than `axis`, nullptr where all ranks have the whole: for people, a sentence; empty:
    // nothing, or there is no map. Of each piece the first and the last of the `elements` of the whole are compared.
    std::string difference(const std::string& name, const SlicedAxis* axis, std::uint64_t elements) const;

private:
    std::unordered_map<std::string, pickle::Ref> names_;
    std::vector<std::pair<NamePattern, pickle::Ref>> others_;
};

}  // namespace ckpt
