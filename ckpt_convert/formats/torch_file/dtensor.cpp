#include "ckpt_convert/formats/torch_file/dtensor.h"

#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/formats/pickle/reader.h"
#include "ckpt_convert/formats/torch_file/tensor_call.h"

namespace ckpt {
namespace {

using pickle::Object;
using pickle::Ref;

constexpr std::size_t kMaxMeshAxes = 16;

bool names_dtensor(Ref value, std::string_view suffix) {
    const auto* global = value == nullptr ? nullptr : value->as<pickle::Global>();
    return global != nullptr && global->name == suffix;
}

Ref state_of(Ref value, std::string_view key) {
    const Object* object = value == nullptr ? nullptr : value->as<Object>();
    if (object == nullptr || object->state == nullptr) return nullptr;
    Ref found = pickle::find(object->state, key);
    return found == nullptr || found->as<pickle::None>() != nullptr ? nullptr : found;
}

const std::vector<Ref>* sequence(Ref value) {
    if (value == nullptr) return nullptr;
    if (const auto* tuple = value->as<pickle::Tuple>()) return &tuple->items;
    const auto* list = value->as<pickle::List>();
    return list == nullptr ? nullptr : &list->items;
}

std::optional<std::vector<std::uint64_t>> amounts(Ref value) {
    const auto* items = sequence(value);
    if (items == nullptr) return std::nullopt;
    std::vector<std::uint64_t> out;
    for (Ref item : *items) {
        const auto* number = item->as<std::int64_t>();
        if (number == nullptr || *number < 0) return std::nullopt;
        out.push_back(static_cast<std::uint64_t>(*number));
    }
    return out;
}

// Older meshes are a tensor of ranks, whose shape it is; newer ones have a layout of axes.
std::optional<Shape> mesh_extents(Ref mesh, const Path& path) {
    for (const char* key : {"mesh", "_mesh"}) {
        Ref ranks = state_of(mesh, key);
        if (ranks == nullptr) continue;
        const auto call = parse_tensor_call(ranks, path);
        if (call && *call) return (*call)->shape;
    }
    const auto* axes = sequence(state_of(state_of(mesh, "_layout"), "axes"));
    if (axes == nullptr || axes->size() > kMaxMeshAxes) return std::nullopt;
    Shape out;
    for (Ref axis : *axes) {
        const auto shape = amounts(state_of(axis, "shape"));
        const auto extent = shape ? checked_elements(*shape) : std::nullopt;
        if (!extent) return std::nullopt;
        out.push_back(*extent);
    }
    return out;
}

// As it is told, or where the rank's number stands among those of the mesh.
std::optional<std::vector<std::uint64_t>> coordinate_in(Ref mesh, const Shape& extents) {
    auto told = amounts(state_of(mesh, "_coordinate_on_dim"));
    if (told && told->size() == extents.size()) return told;
    const auto ranks = amounts(state_of(mesh, "_flatten_rank_map"));
    Ref number = state_of(mesh, "_rank");
    const auto* rank = number == nullptr ? nullptr : number->as<std::int64_t>();
    if (!ranks || rank == nullptr || *rank < 0) return std::nullopt;
    const auto found = std::find(ranks->begin(), ranks->end(), static_cast<std::uint64_t>(*rank));
    if (found == ranks->end()) return std::nullopt;
    std::uint64_t place = static_cast<std::uint64_t>(found - ranks->begin());
    std::vector<std::uint64_t> out(extents.size());
    for (std::size_t i = extents.size(); i-- > 0; place /= extents[i]) out[i] = place % extents[i];
    return out;
}

// The share of a rank of what is left of an axis: equal shares rounded up, the last ranks' are smaller or empty.
void cut(RankBox& box, std::uint64_t axis, std::uint64_t ranks, std::uint64_t rank) {
    const std::uint64_t size = box.sizes[axis], share = size / ranks + (size % ranks != 0 ? 1 : 0);
    const std::uint64_t begin = std::min(rank * share, size), end = std::min(begin + share, size);
    box.offsets[axis] += begin;
    box.sizes[axis] = end - begin;
}

}  // namespace

bool is_dtensor_global(std::string_view module, std::string_view name) {
    return pickle::is_checkpoint_global(module, name) || module.starts_with("torch.distributed.") ||
           module == "torch._utils";
}

Result<std::optional<DTensor>> parse_dtensor(Ref value, const Path& path) {
    const Object* call = value == nullptr ? nullptr : value->as<Object>();
    const auto* args = call == nullptr || call->is_new || call->args == nullptr ? nullptr : sequence(call->args);
    if (args == nullptr || args->size() < 4 || !names_dtensor((*args)[1], "DTensor")) return std::optional<DTensor>();
    auto bad = [&](std::string_view what) {
        return base::fail(ErrorKind::bad_input, base::format("a DTensor {}", what), path);
    };
    DTensor out;
    const auto* build = sequence((*args)[2]);
    const auto shape = build != nullptr && build->size() > 2 ? parse_extents((*build)[2]) : std::nullopt;
    if (!shape || !checked_elements(*shape)) return bad("has no shape");
    out.shape = *shape;
    const auto* state = sequence((*args)[3]);
    const Ref attributes = state != nullptr && state->size() > 1 ? (*state)[1] : (*args)[3];
    out.local = pickle::find(attributes, "_local_tensor");
    const Ref spec = pickle::find(attributes, "_spec");
    const auto* placements = sequence(state_of(spec, "placements"));
    const Ref mesh = state_of(spec, "mesh") != nullptr ? state_of(spec, "mesh") : state_of(spec, "device_mesh");
    const auto extents = mesh_extents(mesh, path);
    if (out.local == nullptr || placements == nullptr || !extents || extents->size() != placements->size() ||
        std::find(extents->begin(), extents->end(), 0u) != extents->end())
        return bad("does not say how it is cut, or on which mesh of ranks");
    out.mesh = *extents;
    for (Ref one : *placements) {
        const Object* object = one->as<Object>();
        const auto* name = object == nullptr ? nullptr : object->callable->as<pickle::Global>();
        if (name == nullptr) return bad("is placed by something that is not a class");
        MeshPlacement placement;
        if (name->name == "Shard" || name->name == "_StridedShard") {
            const Ref dim = state_of(one, "dim");
            const auto* axis = dim == nullptr ? nullptr : dim->as<std::int64_t>();
            if (axis == nullptr || *axis < 0 || static_cast<std::uint64_t>(*axis) >= out.shape.size())
                return bad("is cut along an axis that it does not have");
            placement = {name->name == "Shard" ? MeshPlacement::Kind::shard : MeshPlacement::Kind::strided_shard,
                         static_cast<std::uint64_t>(*axis)};
        } else if (name->name != "Replicate") {
            return base::fail(ErrorKind::unsupported,
                              base::format("a DTensor is placed as {}, which is not read; save it in shards",
                                           quoted_name(name->name)),
                              path);
        }
        out.placements.push_back(placement);
    }
    out.coordinate = coordinate_in(mesh, out.mesh);
    return std::optional(std::move(out));
}

RankBox box_of_rank(const DTensor& tensor, const std::vector<std::uint64_t>& coordinate) {
    RankBox box{Shape(tensor.shape.size(), 0), tensor.shape};
    // What is strided is cut after the axes of the mesh behind it, so that these have one range each.
    for (std::size_t i = 0; i < tensor.placements.size(); ++i) {
        if (tensor.placements[i].kind == MeshPlacement::Kind::shard)
            cut(box, tensor.placements[i].axis, tensor.mesh[i], coordinate[i]);
    }
    for (std::size_t i = tensor.placements.size(); i-- > 0;) {
        if (tensor.placements[i].kind == MeshPlacement::Kind::strided_shard)
            cut(box, tensor.placements[i].axis, tensor.mesh[i], coordinate[i]);
    }
    return box;
}

bool is_first_replica(const DTensor& tensor, const std::vector<std::uint64_t>& coordinate) {
    for (std::size_t i = 0; i < tensor.placements.size(); ++i) {
        if (tensor.placements[i].kind == MeshPlacement::Kind::replicate && coordinate[i] != 0) return false;
    }
    return true;
}

}  // namespace ckpt
