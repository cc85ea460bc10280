// pickle::Value: what a pickle describes, as inert data. Nothing is ever imported, called or constructed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ckpt::pickle {

class Value;
// Values live in an Arena and refer to each other by pointer: pickles share objects and may even be cyclic.
using Ref = const Value*;

struct None {};
// An integer beyond 64 bits, as little-endian two's complement.
struct BigInteger {
    std::string little_endian;
};
struct Bytes {
    std::string data;
};
struct List {
    std::vector<Ref> items;
};
struct Tuple {
    std::vector<Ref> items;
};
struct Set {
    std::vector<Ref> items;
};
struct Dict {
    std::vector<std::pair<Ref, Ref>> items;  // in insertion order; a later equal string key replaces an earlier one
};
// A name that the pickle would import.
struct Global {
    std::string module;
    std::string name;
    bool is(std::string_view m, std::string_view n) const { return module == m && name == n; }
};
// callable(*args), then __setstate__(state), append and setitem: recorded, never done.
struct Object {
    Ref callable = nullptr;
    Ref args = nullptr;   // a Tuple
    bool is_new = false;  // cls.__new__(cls, *args)
    Ref state = nullptr;
    std::vector<std::pair<Ref, Ref>> items;  // of SETITEM(S)
    std::vector<Ref> appended;               // of APPEND(S) and ADDITEMS
};
struct PersistentId {
    Ref id = nullptr;
};

// Larger than the values that a pickle has by the million, which it is kept apart from.
template <class T>
class Boxed {
public:
    Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
    Boxed(const Boxed& other) : Boxed(*other.value_) {}
    Boxed(Boxed&&) noexcept = default;
    Boxed& operator=(Boxed other) noexcept {
        value_ = std::move(other.value_);
        return *this;
    }
    ~Boxed() = default;

    T& operator*() { return *value_; }
    const T& operator*() const { return *value_; }

private:
    std::unique_ptr<T> value_;
};
template <class T>
inline constexpr bool kIsBoxed = std::is_same_v<T, Global> || std::is_same_v<T, Object>;

class Value {
public:
    using Variant = std::variant<None, bool, std::int64_t, BigInteger, double, std::string, Bytes, List, Tuple, Set,
                                 Dict, Boxed<Global>, Boxed<Object>, PersistentId>;
    explicit Value(Variant value) : variant(std::move(value)) {}

    template <class T>
    const T* as() const {
        if constexpr (kIsBoxed<T>) {
            const auto* boxed = std::get_if<Boxed<T>>(&variant);
            return boxed != nullptr ? &**boxed : nullptr;
        } else {
            return std::get_if<T>(&variant);
        }
    }
    template <class T>
    T* as() {
        return const_cast<T*>(std::as_const(*this).as<T>());
    }
    // "a string", "a call of torch._utils._rebuild_tensor_v2" ... for messages.
    std::string kind_name() const;

    Variant variant;
};

// Owns values; addresses stay valid until it is destroyed or moved from.
class Arena {
public:
    Value* make(Value::Variant value) { return &values_.emplace_back(std::move(value)); }
    std::size_t size() const { return values_.size(); }
    // In the order they were made.
    std::deque<Value>::const_iterator begin() const { return values_.begin(); }
    std::deque<Value>::const_iterator end() const { return values_.end(); }

private:
    std::deque<Value> values_;
};

// Values form a graph, not a tree: whoever walks one must visit a shared value once, or bound the walk.

// The value of a string key in a Dict, or in an Object that Python would make a dict of (OrderedDict, defaultdict);
// nullptr when it is neither, or lacks the key. Linear: to look up many keys, walk the items.
Ref find(Ref mapping, std::string_view key);
// The items of such a mapping, or nullptr.
const std::vector<std::pair<Ref, Ref>>* mapping_items(Ref mapping);
// The content of Bytes, or of the call of _codecs.encode that stands for bytes below protocol 3; nullopt for others.
std::optional<std::string> bytes_of(Ref value);
// The attribute dict of an argparse.Namespace or types.SimpleNamespace as Dict items, or nullptr.
const std::vector<std::pair<Ref, Ref>>* namespace_items(Ref object);

}  // namespace ckpt::pickle
