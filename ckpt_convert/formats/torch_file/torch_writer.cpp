#include "ckpt_convert/formats/torch_file/torch_writer.h"

#include <optional>
#include <utility>

#include "base/check.h"
#include "base/compress.h"
#include "base/format.h"
#include "ckpt_convert/formats/pickle/writer.h"
#include "ckpt_convert/formats/torch_file/torch_dtypes.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {
namespace {

using pickle::Value;

// The folder of the records: what PyTorch itself uses when it writes to a stream.
constexpr const char* kPrefix = "archive/";
constexpr const char* kByteOrder = "little";
constexpr const char* kFormatVersion = "3\n";

}  // namespace

Value* TorchFilePlan::string(std::string text) { return arena_.make(std::move(text)); }
Value* TorchFilePlan::integer(std::int64_t value) { return arena_.make(value); }
Value* TorchFilePlan::real(double value) { return arena_.make(value); }
Value* TorchFilePlan::boolean(bool value) { return arena_.make(value); }
Value* TorchFilePlan::none() { return arena_.make(pickle::None{}); }
Value* TorchFilePlan::dict() { return arena_.make(pickle::Dict{}); }
Value* TorchFilePlan::list() { return arena_.make(pickle::List{}); }

Value* TorchFilePlan::dtype(DType dtype) {
    auto name = torch_name(dtype);
    CHECK(name.has_value());
    return global("torch", *name);
}

Value* TorchFilePlan::namespace_of(Value* attributes) {
    CHECK(attributes->as<pickle::Dict>() != nullptr);
    return arena_.make(pickle::Object{global("argparse", "Namespace"), tuple({}), true, attributes, {}, {}});
}

Value* TorchFilePlan::global(std::string_view module, std::string_view name) {
    auto [known, is_new] = globals_.try_emplace(base::format("{}.{}", module, name));
    if (is_new) known->second = arena_.make(pickle::Global{std::string(module), std::string(name)});
    return known->second;
}

Value* TorchFilePlan::tuple(std::vector<pickle::Ref> items) { return arena_.make(pickle::Tuple{std::move(items)}); }

Value* TorchFilePlan::integers(const std::vector<std::uint64_t>& values) {
    auto [known, is_new] = integers_.try_emplace(values);
    if (!is_new) return known->second;
    std::vector<pickle::Ref> items;
    items.reserve(values.size());
    for (std::uint64_t value : values) items.push_back(integer(static_cast<std::int64_t>(value)));
    return known->second = tuple(std::move(items));
}

// _rebuild_tensor_v2(storage, offset 0, size, stride, requires_grad False, no hooks); types without a storage class go
// through _rebuild_tensor_v3 with untyped bytes and the type as one argument more.
Result<Value*> TorchFilePlan::stored_tensor(DType dtype, const Shape& shape, std::string number) {
    auto type_name = torch_name(dtype);
    if (!type_name)
        return base::fail(ErrorKind::unsupported,
                          base::format("PyTorch files have no tensors of type {}", name(dtype)));
    auto elements = checked_elements(shape);
    auto bytes = checked_bytes(shape, dtype);
    if (!elements || !bytes || *bytes > static_cast<std::uint64_t>(INT64_MAX)) {
        return base::fail(ErrorKind::bad_input,
                          base::format("a tensor of {} {} is too large", name(dtype), to_string(shape)));
    }
    auto typed = storage_class(dtype);
    if (common_.storage == nullptr) common_ = {string("storage"), string("cpu"), integer(0), boolean(false), tuple({})};
    auto [storage, cpu, zero, no_gradient, nothing] = common_;

    Value* cls = typed ? global("torch", *typed) : global("torch.storage", "UntypedStorage");
    Value* key = string(std::move(number));
    Value* count = integer(static_cast<std::int64_t>(typed ? *elements : *bytes));
    Value* persistent = arena_.make(pickle::PersistentId{tuple({storage, cls, key, cpu, count})});
    Value* hooks = arena_.make(pickle::Object{global("collections", "OrderedDict"), nothing, false, nullptr, {}, {}});
    std::vector<pickle::Ref> args{persistent,  zero, integers(shape), integers(row_major_strides(shape)),
                                  no_gradient, hooks};
    if (!typed) args.push_back(global("torch", *type_name));
    Value* function = global("torch._utils", typed ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
    return arena_.make(pickle::Object{function, tuple(std::move(args)), false, nullptr, {}, {}});
}

Result<Value*> TorchFilePlan::tensor(DType dtype, const Shape& shape) {
    TRY_ASSIGN(Value * out, stored_tensor(dtype, shape, std::to_string(tensor_bytes_.size())));
    tensor_bytes_.push_back(*checked_bytes(shape, dtype));
    return out;
}

Result<Value*> TorchFilePlan::tensor(DType dtype, const Shape& shape, std::string payload) {
    CHECK(checked_bytes(shape, dtype) == payload.size());
    const std::string key = base::format("known{}", known_.size());
    known_.emplace_back(base::format("data/{}", key), std::move(payload));
    return stored_tensor(dtype, shape, key);
}

Value* TorchFilePlan::scalar(float value) {
    auto made = tensor(DType::f32, {}, std::string(reinterpret_cast<const char*>(&value), sizeof(value)));
    CHECK(made.has_value());  // the type and the shape are in order
    return *made;
}

Value* TorchFilePlan::size(const std::vector<std::uint64_t>& extents) {
    return call("torch", "Size", {integers(extents)});
}

Value* TorchFilePlan::call(std::string_view module, std::string_view name, std::vector<pickle::Ref> args, bool is_new,
                           pickle::Ref state) {
    return arena_.make(pickle::Object{global(module, name), tuple(std::move(args)), is_new, state, {}, {}});
}

void TorchFilePlan::set(Value* dict, Value* key, Value* value) {
    if (auto* plain = dict->as<pickle::Dict>()) {
        plain->items.emplace_back(key, value);
        return;
    }
    auto* object = dict->as<pickle::Object>();
    CHECK(object != nullptr);
    object->items.emplace_back(key, value);
}

Status TorchFilePlan::finish(pickle::Ref root) {
    CHECK(zip_.member_count() == 0);
    std::optional<std::string> pickle = pickle::try_write(root);
    if (!pickle) return base::fail(ErrorKind::unsupported, "a value that is passed through contains itself");
    // The tree is many times as large as its text, and an output has a file for each rank.
    arena_ = {};
    globals_.clear();
    integers_.clear();
    zip_.reserve(known_.size() + tensor_bytes_.size() + 3);
    add_small_record("data.pkl", std::move(*pickle));
    // The ranks' pickles say nearly the same of thousands of tensors, and all are kept until the files are written.
    small_records_.back().data = base::gzip(small_records_.back().data);
    add_small_record("byteorder", kByteOrder);
    add_small_record("version", kFormatVersion);
    for (auto& [name, payload] : known_) add_small_record(name.c_str(), std::move(payload));
    for (std::size_t i = 0; i < tensor_bytes_.size(); ++i)
        zip_.add(base::format("{}data/{}", kPrefix, i), tensor_bytes_[i]);
    return {};
}

void TorchFilePlan::add_small_record(const char* name, std::string content) {
    std::uint64_t offset = zip_.add(std::string(kPrefix) + name, content.size());
    small_crc32_.push_back(crc32(base::as_bytes(content)));
    small_records_.push_back({offset, std::move(content)});
}

std::vector<FileChunk> TorchFilePlan::chunks(const std::vector<std::uint32_t>& tensor_crc32) const {
    std::vector<std::uint32_t> crc32 = small_crc32_;
    crc32.insert(crc32.end(), tensor_crc32.begin(), tensor_crc32.end());
    std::vector<FileChunk> chunks = zip_.headers(crc32);
    const std::size_t first = chunks.size();
    chunks.insert(chunks.end(), small_records_.begin(), small_records_.end());
    auto pickle = base::gunzip(chunks[first].data, "data.pkl", UINT64_MAX);
    CHECK(pickle.has_value());
    chunks[first].data = std::move(*pickle);
    return chunks;
}

}  // namespace ckpt
