#include "ckpt_convert/formats/torch_file/storage_table.h"

#include "base/checked_math.h"
#include "base/format.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/torch_file/torch_dtypes.h"

namespace ckpt {
namespace {

using pickle::Ref;

const std::string* text(const pickle::Tuple& tuple, std::size_t index) {
    return index < tuple.items.size() ? tuple.items[index]->as<std::string>() : nullptr;
}

std::optional<std::uint64_t> amount(const pickle::Tuple& tuple, std::size_t index) {
    const std::int64_t* value = index < tuple.items.size() ? tuple.items[index]->as<std::int64_t>() : nullptr;
    if (value == nullptr || *value < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
}

// The element type that a storage class stands for; nullopt for untyped bytes.
Result<std::optional<DType>> dtype_of_class(const pickle::Global& cls, const Path& path) {
    if (cls.is("torch.storage", "UntypedStorage") || cls.is("torch", "UntypedStorage")) return std::optional<DType>();
    auto dtype = cls.module == "torch" ? dtype_from_storage_class(cls.name) : std::nullopt;
    if (!dtype) {
        return base::fail(ErrorKind::unsupported,
                          base::format("storages of class {} are not read; quantised weights must be dequantised first",
                                       quoted_name(cls.module + "." + cls.name)),
                          path);
    }
    return dtype;
}

Status parse_view(StorageReference& reference, Ref view, const Path& path) {
    reference.view_elements = reference.elements;
    if (view->as<pickle::None>() != nullptr) return {};
    const pickle::Tuple* parts = view->as<pickle::Tuple>();
    auto offset = parts != nullptr ? amount(*parts, 1) : std::nullopt;
    auto size = parts != nullptr ? amount(*parts, 2) : std::nullopt;
    if (!offset || !size || *offset > reference.elements || *size > reference.elements - *offset) {
        return base::fail(ErrorKind::bad_input,
                          base::format("a view of the storage {} does not lie inside it", quoted_name(reference.key)),
                          path);
    }
    reference.view_offset = *offset;
    reference.view_elements = *size;
    return {};
}

}  // namespace

Result<StorageReference> parse_storage_reference(const pickle::PersistentId& persistent, const Path& path) {
    const pickle::Tuple* parts = persistent.id->as<pickle::Tuple>();
    const std::string* kind = parts != nullptr ? text(*parts, 0) : nullptr;
    if (kind != nullptr && *kind == "module") {
        return base::fail(ErrorKind::unsupported,
                          "the file holds a whole module, code included, not only its weights; "
                          "load it in Python and save its state_dict()",
                          path);
    }
    const std::string* key = parts != nullptr ? text(*parts, 2) : nullptr;
    auto elements = parts != nullptr ? amount(*parts, 4) : std::nullopt;
    const pickle::Global* cls =
        parts != nullptr && parts->items.size() >= 5 ? parts->items[1]->as<pickle::Global>() : nullptr;
    if (kind == nullptr || *kind != "storage" || key == nullptr || cls == nullptr || !elements ||
        parts->items.size() > 6) {
        return base::fail(ErrorKind::bad_input, "the pickle refers to a storage in a way that PyTorch does not write",
                          path);
    }
    StorageReference reference;
    reference.key = *key;
    reference.elements = *elements;
    reference.view_elements = *elements;
    TRY_ASSIGN(reference.dtype, dtype_of_class(*cls, path));
    if (parts->items.size() == 6) TRY(parse_view(reference, parts->items[5], path));
    return reference;
}

const StorageTable::Storage* StorageTable::find(std::string_view key) const {
    auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : &found->second;
}

Status StorageTable::check_references(const pickle::Arena& arena, const Path& path) {
    for (const pickle::Value& value : arena) {
        const auto* persistent = value.as<pickle::PersistentId>();
        if (persistent == nullptr) continue;
        TRY_ASSIGN(StorageReference reference, parse_storage_reference(*persistent, path));
        auto found = by_key_.find(reference.key);
        if (found == by_key_.end()) {
            return base::fail(ErrorKind::bad_input,
                              base::format("the storage {} is missing in the file", quoted_name(reference.key)), path);
        }
        Storage& storage = found->second;
        auto bytes = base::checked_mul(reference.elements, reference.element_bytes());
        if (!bytes || *bytes > storage.bytes) {
            return base::fail(
                ErrorKind::bad_input,
                base::format(
                    "the storage {} should have {} elements of {} bytes, but has {} bytes; was the file cut off?",
                    quoted_name(reference.key), reference.elements, reference.element_bytes(), storage.bytes),
                path);
        }
        if (reference.dtype && storage.dtype && *reference.dtype != *storage.dtype) {
            return base::fail(ErrorKind::bad_input,
                              base::format("the storage {} is used both as {} and as {}", quoted_name(reference.key),
                                           name(*storage.dtype), name(*reference.dtype)),
                              path);
        }
        if (reference.dtype) storage.dtype = reference.dtype;
    }
    return {};
}

}  // namespace ckpt
