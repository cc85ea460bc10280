// Shared: a value that stays as it is and that copies share. A plan has millions of shapes and names, of which few differ.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// As large as a pointer. Copies may be used and dropped by several threads.
template <class Value>
class Shared {
public:
    Shared() = default;
    Shared(Value value) {  // NOLINT: a value is one
        if (!value.empty()) kept_ = new Kept{std::move(value)};
    }
    Shared(const char* text)  // NOLINT: a text is one
        requires std::same_as<Value, std::string> : Shared(Value(text)) {}
    Shared(std::initializer_list<typename Value::value_type> parts) : Shared(Value(parts)) {}
    Shared(const Shared& other) : kept_(other.kept_) {
        if (kept_ != nullptr) kept_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    Shared(Shared&& other) noexcept : kept_(std::exchange(other.kept_, nullptr)) {}
    Shared& operator=(Shared other) noexcept {
        std::swap(kept_, other.kept_);
        return *this;
    }
    ~Shared() {
        if (kept_ != nullptr && kept_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete kept_;
    }

    const Value& get() const {
        static const Value kEmpty;
        return kept_ == nullptr ? kEmpty : kept_->value;
    }
    operator const Value&() const { return get(); }  // NOLINT: it is read as one
    operator std::string_view() const                // NOLINT: and a text as every text is
        requires std::same_as<Value, std::string> {
        return get();
    }

    bool empty() const { return kept_ == nullptr; }
    std::size_t size() const { return get().size(); }
    auto operator[](std::size_t place) const { return kept_->value[place]; }
    auto begin() const { return get().begin(); }
    auto end() const { return get().end(); }

    // The number or character at a place; those that shared the value keep theirs.
    void set(std::size_t place, typename Value::value_type with) {
        Value changed = get();
        changed[place] = with;
        *this = Shared(std::move(changed));
    }

    friend bool operator==(const Shared& a, const Shared& b) { return a.kept_ == b.kept_ || a.get() == b.get(); }

private:
    struct Kept {
        const Value value;
        std::atomic<std::uint32_t> owners = 1;
    };
    Kept* kept_ = nullptr;  // nullptr: an empty value
};

using SharedShape = Shared<Shape>;

// Gives one shared value for all that are equal.
template <class Value>
class SharedPool {
public:
    Shared<Value> operator()(const Value& value) { return *values_.emplace(value).first; }

private:
    struct Hash {
        std::size_t operator()(const Shared<Value>& value) const {
            std::uint64_t hash = value.size();
            for (const auto& part : value)
                hash = (hash ^ std::hash<typename Value::value_type>()(part)) * 0x9E3779B97F4A7C15u;
            return static_cast<std::size_t>(hash ^ (hash >> 32));
        }
    };
    std::unordered_set<Shared<Value>, Hash> values_;
};

}  // namespace ckpt
