// StorageTable: where the storages of a torch file lie, and what the pickle says of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/value.h"
#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

// ('storage', class, key, location, numel[, (view_key, offset, size)]): how a pickle refers to a storage.
struct StorageReference {
    std::string_view key;           // lives as long as the value
    std::optional<DType> dtype;     // nullopt: untyped, `elements` are bytes
    std::uint64_t elements = 0;     // of the whole storage
    std::uint64_t view_offset = 0;  // the part of it that is meant, in elements (older format only)
    std::uint64_t view_elements = 0;

    std::uint64_t element_bytes() const { return dtype ? bits(*dtype) / 8 : 1; }
};

// Fails with `unsupported` for quantised storages and whole modules, with bad_input for what is no reference at all.
Result<StorageReference> parse_storage_reference(const pickle::PersistentId& reference, const Path& path);

class StorageTable {
public:
    struct Storage {
        std::uint64_t offset = 0;  // absolute, in the file
        std::uint64_t bytes = 0;
        std::optional<DType> dtype;  // of the typed references to it
    };

    // False when the key is already there.
    bool add(std::string key, Storage storage) { return by_key_.emplace(std::move(key), storage).second; }
    void reserve(std::size_t count) { by_key_.reserve(count); }
    const Storage* find(std::string_view key) const;

    // Every storage that a pickle refers to must be there, be long enough, and be of one class.
    Status check_references(const pickle::Arena& arena, const Path& path);

private:
    // Finds a key without making a string of it.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
    };
    std::unordered_map<std::string, Storage, Hash, std::equal_to<>> by_key_;
};

}  // namespace ckpt
