// Recognises the call by which a pickle rebuilds a DTensor, which holds one rank's part of a tensor.
//
//   torch._tensor._rebuild_from_type_v2(_rebuild_wrapper_subclass, DTensor, (DTensor, dtype, SHAPE, ...),
//                                       (None, {"_local_tensor": TENSOR, "_spec": DTensorSpec {mesh, placements}}))
//
// Which attributes a DeviceMesh has depends on the version of PyTorch; what is missing is not told.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/value.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// What one axis of the mesh of ranks does to a tensor.
struct MeshPlacement {
    enum class Kind { replicate, shard, strided_shard } kind = Kind::replicate;
    std::uint64_t axis = 0;  // of the tensor
};

struct DTensor {
    Shape shape;  // of the whole tensor
    pickle::Ref local = nullptr;
    std::vector<MeshPlacement> placements;                 // one for each axis of the mesh
    Shape mesh;                                            // ranks along each axis
    std::optional<std::vector<std::uint64_t>> coordinate;  // of the rank that saved it
};

// The names that a file of DTensors is made of.
bool is_dtensor_global(std::string_view module, std::string_view name);

// nullopt when it is none. Fails with bad_input when it is inconsistent, with unsupported when ranks hold sums of it.
Result<std::optional<DTensor>> parse_dtensor(pickle::Ref value, const Path& path);

// The box that the rank at this place of the mesh has: offsets and sizes.
struct RankBox {
    Shape offsets;
    Shape sizes;
};
RankBox box_of_rank(const DTensor& tensor, const std::vector<std::uint64_t>& coordinate);

// True for the first of the ranks that hold the same box.
bool is_first_replica(const DTensor& tensor, const std::vector<std::uint64_t>& coordinate);

}  // namespace ckpt
