#include "ckpt_convert/formats/torch_file/dtensor_writer.h"

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "base/check.h"

namespace ckpt {
namespace {

using pickle::Value;

constexpr const char* kMesh = "torch.distributed.device_mesh";
constexpr const char* kMeshLayout = "torch.distributed._mesh_layout";
constexpr const char* kSpec = "torch.distributed.tensor._dtensor_spec";
constexpr const char* kMeshAxis = "fsdp";

Value* attributes(TorchFilePlan& file, std::vector<std::pair<const char*, Value*>> values) {
    Value* out = file.dict();
    for (const auto& [name, value] : values) TorchFilePlan::set(out, file.string(name), value);
    return out;
}

Value* mesh_of(TorchFilePlan& file, std::uint64_t rank, std::uint64_t ranks, const std::string& device) {
    std::vector<std::uint64_t> all(ranks);
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    std::string numbers(ranks * sizeof(std::int32_t), '\0');
    for (std::uint64_t i = 0; i < ranks; ++i) {
        const auto number = static_cast<std::int32_t>(i);
        std::memcpy(&numbers[i * sizeof(number)], &number, sizeof(number));
    }
    auto rank_map = file.tensor(DType::i32, {ranks}, std::move(numbers));
    CHECK(rank_map.has_value());  // the type is one of PyTorch's
    Value* axis = file.call(kMeshLayout, "_FlatLayout", {}, true,
                            attributes(file, {{"shape", file.integers({ranks})}, {"stride", file.integers({1})}}));
    Value* layout = file.call(kMeshLayout, "_MeshLayout", {}, true, attributes(file, {{"axes", file.tuple({axis})}}));
    // The group of all ranks is the first that a run makes, and its name is the number of that.
    Value* groups = file.list();
    groups->as<pickle::List>()->items.push_back(file.string("0"));
    return file.call(kMesh, "DeviceMesh", {}, true,
                     attributes(file, {{"_device_type", file.string(device)},
                                       {"_layout", layout},
                                       {"_rank_map", *rank_map},
                                       {"_mesh_dim_names", file.tuple({file.string(kMeshAxis)})},
                                       {"_root_mesh", file.none()},
                                       {"_flatten_rank_map", file.integers(all)},
                                       {"_thread_id", file.none()},
                                       {"_flatten_mapping", file.dict()},
                                       {"_dim_group_names", groups},
                                       {"_rank", file.integer(static_cast<std::int64_t>(rank))},
                                       {"_coordinate_on_dim", file.integers({rank})}}));
}

}  // namespace

DTensorWriter::DTensorWriter(TorchFilePlan& file, std::uint64_t rank, std::uint64_t ranks, const std::string& device)
    : file_(file), mesh_(mesh_of(file, rank, ranks, device)) {
    Value* shard = file.call("torch.distributed.tensor.placement_types", "Shard", {}, true,
                             attributes(file, {{"dim", file.integer(0)}}));
    placements_ = file.tuple({shard});
    order_ = file.tuple({file.call(kSpec, "ShardOrderEntry", {file.integer(0), file.integers({0})}, true)});
    layout_ = file.call("torch.serialization", "_get_layout", {file.string("torch.strided")});
    cpu_ = file.call("torch", "device", {file.string("cpu")});
    type_ = file.global("torch.distributed.tensor", "DTensor");
    build_ = file.global("torch._utils", "_rebuild_wrapper_subclass");
    local_key_ = file.string("_local_tensor");
    spec_key_ = file.string("_spec");
}

DTensorWriter::Form DTensorWriter::form_of(DType dtype, const Shape& whole) {
    Form& form = forms_[{dtype, whole}];
    if (form.build != nullptr) return form;
    Value* stride = file_.integers(row_major_strides(whole));
    form.build = file_.tuple({type_, file_.dtype(dtype), file_.integers(whole), stride, file_.integer(0), layout_, cpu_,
                              file_.boolean(false)});
    Value* meta = file_.call(kSpec, "TensorMeta", {file_.size(whole), stride, file_.dtype(dtype)}, true);
    form.spec = file_.call(kSpec, "DTensorSpec", {}, true,
                           attributes(file_, {{"mesh", mesh_},
                                              {"placements", placements_},
                                              {"tensor_meta", meta},
                                              {"shard_order", order_},
                                              {"use_strided_shard_as_shard_order", file_.boolean(false)},
                                              {"_hash", file_.none()}}));
    return form;
}

Value* DTensorWriter::make(Value* local, DType dtype, const Shape& whole) {
    const Form form = form_of(dtype, whole);
    Value* values = file_.dict();
    TorchFilePlan::set(values, local_key_, local);
    TorchFilePlan::set(values, spec_key_, form.spec);
    return file_.call("torch._tensor", "_rebuild_from_type_v2",
                      {build_, type_, form.build, file_.tuple({file_.none(), values})});
}

}  // namespace ckpt
