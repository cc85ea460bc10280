// PointerMap: a hash table from values to something small; by far faster than std::unordered_map, which allocates every
// entry. Large pickles have millions of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

template <class T>
class PointerMap {
public:
    // The entry of `key`, made of `initial` when it is new, and whether it is. Valid until the next insertion.
    std::pair<T*, bool> insert(Ref key, T initial) {
        if ((size_ + 1) * 2 > slots_.size()) grow();
        Slot& slot = slots_[position(key)];
        bool is_new = slot.key == nullptr;
        if (is_new) {
            slot = {key, std::move(initial)};
            ++size_;
        }
        return {&slot.value, is_new};
    }

    // nullptr when there is none.
    const T* find(Ref key) const {
        if (slots_.empty()) return nullptr;
        const Slot& slot = slots_[position(key)];
        return slot.key == nullptr ? nullptr : &slot.value;
    }

private:
    struct Slot {
        Ref key = nullptr;
        T value{};
    };
    static constexpr std::size_t kFirstSlots = 64;

    // The slot that holds the key, or the empty one where it belongs.
    std::size_t position(Ref key) const {
        // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
        std::uint64_t hash = reinterpret_cast<std::uintptr_t>(key) * 0x9E3779B97F4A7C15u;
        std::size_t mask = slots_.size() - 1;
        std::size_t at = static_cast<std::size_t>(hash >> 32) & mask;
        while (slots_[at].key != nullptr && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Slot> old = std::move(slots_);
        slots_ = std::vector<Slot>(old.empty() ? kFirstSlots : old.size() * 2);
        for (Slot& slot : old) {
            if (slot.key != nullptr) slots_[position(slot.key)] = std::move(slot);
        }
    }

    std::vector<Slot> slots_;  // a power of two, at most half full
    std::size_t size_ = 0;
};

}  // namespace ckpt::pickle
