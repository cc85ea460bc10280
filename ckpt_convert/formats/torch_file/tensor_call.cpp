#include "ckpt_convert/formats/torch_file/tensor_call.h"

#include <string_view>

#include "base/format.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/torch_file/torch_dtypes.h"

namespace ckpt {
namespace {

using pickle::Global;
using pickle::Object;
using pickle::Ref;
using pickle::Tuple;

// Wrappers (Parameter, subclasses) around wrappers; two occur.
constexpr int kMaxWrappers = 8;
constexpr std::size_t kMaxDimensions = 64;

struct Call {
    const Global* callable = nullptr;
    const Tuple* args = nullptr;
};

std::optional<Call> call_of(Ref value) {
    const Object* object = value != nullptr ? value->as<Object>() : nullptr;
    if (object == nullptr || object->is_new) return std::nullopt;
    Call call{object->callable->as<Global>(), object->args->as<Tuple>()};
    if (call.callable == nullptr || call.args == nullptr) return std::nullopt;
    return call;
}

bool is_wrapper(const Global& callable) {
    return callable.is("torch._utils", "_rebuild_parameter") ||
           callable.is("torch._utils", "_rebuild_parameter_with_state");
}

bool is_subclass_wrapper(const Global& callable) { return callable.is("torch._tensor", "_rebuild_from_type_v2"); }

// What a wrapper wraps: parameter(tensor, ...), from_type(rebuild function, class, arguments, state).
std::optional<Call> unwrapped(const Call& call) {
    const auto& args = call.args->items;
    if (is_wrapper(*call.callable)) return args.empty() ? std::nullopt : call_of(args[0]);
    if (args.size() < 3) return std::nullopt;
    Call inner{args[0]->as<Global>(), args[2]->as<Tuple>()};
    if (inner.callable == nullptr || inner.args == nullptr) return std::nullopt;
    return inner;
}

tl::unexpected<base::Error> bad(const Global& callable, std::string_view what, const Path& path) {
    return base::fail(ErrorKind::bad_input, base::format("a tensor ({}) {}", callable.name, what), path);
}

// _rebuild_tensor_v2 takes its type from the class of the storage, _rebuild_tensor_v3 as its seventh argument.
Result<DType> dtype_of(const Call& call, const StorageReference& storage, const Path& path) {
    if (call.callable->name != "_rebuild_tensor_v3") {
        if (!storage.dtype) return bad(*call.callable, "has no element type", path);
        return *storage.dtype;
    }
    const Global* global = call.args->items.size() > 6 ? call.args->items[6]->as<Global>() : nullptr;
    if (global == nullptr || global->module != "torch") return bad(*call.callable, "has no element type", path);
    auto dtype = dtype_from_torch_name(global->name);
    if (!dtype)
        return base::fail(ErrorKind::unsupported,
                          base::format("tensors of type {} are not read", quoted_name("torch." + global->name)), path);
    return *dtype;
}

Result<TensorCall> plain_tensor(const Call& call, const Path& path) {
    const auto& args = call.args->items;
    const auto* persistent = args.size() >= 4 ? args[0]->as<pickle::PersistentId>() : nullptr;
    if (persistent == nullptr) return bad(*call.callable, "has no storage, offset, size and stride", path);
    TensorCall out;
    TRY_ASSIGN(out.storage, parse_storage_reference(*persistent, path));
    TRY_ASSIGN(out.dtype, dtype_of(call, out.storage, path));
    const std::int64_t* offset = args[1]->as<std::int64_t>();
    auto shape = parse_extents(args[2]);
    auto strides = parse_extents(args[3]);
    if (offset == nullptr || *offset < 0)
        return bad(*call.callable, "has an offset that is not an integer from 0", path);
    if (!shape || !strides || shape->size() != strides->size()) {
        return bad(*call.callable, "has sizes or strides that are not equally many integers from 0", path);
    }
    out.offset = static_cast<std::uint64_t>(*offset);
    out.shape = std::move(*shape);
    out.strides = std::move(*strides);
    return out;
}

}  // namespace

std::optional<std::vector<std::uint64_t>> parse_extents(Ref value) {
    if (auto call = call_of(value); call && call->callable->is("torch", "Size") && call->args->items.size() == 1)
        value = call->args->items[0];
    const Tuple* tuple = value->as<Tuple>();
    if (tuple == nullptr || tuple->items.size() > kMaxDimensions) return std::nullopt;
    std::vector<std::uint64_t> out;
    for (Ref item : tuple->items) {
        const std::int64_t* amount = item->as<std::int64_t>();
        if (amount == nullptr || *amount < 0) return std::nullopt;
        out.push_back(static_cast<std::uint64_t>(*amount));
    }
    return out;
}

Result<std::optional<TensorCall>> parse_tensor_call(Ref value, const Path& path) {
    std::optional<Call> call = call_of(value);
    if (!call) return std::optional<TensorCall>();
    for (int i = 0; is_wrapper(*call->callable) || is_subclass_wrapper(*call->callable); ++i) {
        const Global& wrapper = *call->callable;
        call = unwrapped(*call);
        if (!call || i == kMaxWrappers) return bad(wrapper, "wraps something that is not a tensor", path);
    }
    if (call->callable->module != "torch._utils" || !call->callable->name.starts_with("_rebuild_"))
        return std::optional<TensorCall>();
    std::string_view name = call->callable->name;
    if (name != "_rebuild_tensor" && name != "_rebuild_tensor_v2" && name != "_rebuild_tensor_v3") {
        return base::fail(
            ErrorKind::unsupported,
            base::format("a tensor made by {} has no plain storage; convert it in Python first", quoted_name(name)),
            path);
    }
    TRY_ASSIGN(TensorCall out, plain_tensor(*call, path));
    return std::optional<TensorCall>(std::move(out));
}

}  // namespace ckpt
