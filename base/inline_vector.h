// InlineVector: a vector of plain values whose first N need no memory of their own. For lists that are made by the million and
// nearly always short.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace base {

template <class T, std::size_t N>
class InlineVector {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> && N > 0);

public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    InlineVector() = default;
    InlineVector(std::initializer_list<T> values) { append(values.begin(), values.size()); }
    InlineVector(const InlineVector& other) { append(other.begin(), other.size_); }
    InlineVector(InlineVector&& other) noexcept { take(other); }
    InlineVector& operator=(const InlineVector& other) {
        if (this == &other) return *this;
        size_ = 0;
        append(other.begin(), other.size_);
        return *this;
    }
    InlineVector& operator=(InlineVector&& other) noexcept {
        if (this != &other) take(other);
        return *this;
    }
    ~InlineVector() = default;

    T* data() { return more_ ? more_.get() : reinterpret_cast<T*>(own_); }
    const T* data() const { return more_ ? more_.get() : reinterpret_cast<const T*>(own_); }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    T& front() { return *data(); }
    const T& front() const { return *data(); }
    T& back() { return data()[size_ - 1]; }
    const T& back() const { return data()[size_ - 1]; }

    void push_back(T value) { append(&value, 1); }
    void pop_back() { --size_; }
    void erase(T* first, T* last) { size_ = static_cast<std::size_t>(std::move(last, end(), first) - begin()); }

    friend bool operator==(const InlineVector& a, const InlineVector& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    template <class Condition>
    friend void erase_if(InlineVector& from, Condition condition) {
        from.size_ = static_cast<std::size_t>(std::remove_if(from.begin(), from.end(), condition) - from.begin());
    }

private:
    void append(const T* values, std::size_t count) {
        if (count == 0) return;
        if (size_ + count > capacity_) grow(size_ + count);
        std::memcpy(static_cast<void*>(data() + size_), values, count * sizeof(T));
        size_ += count;
    }

    void grow(std::size_t needed) {
        const std::size_t capacity = std::max(needed, capacity_ * 2);
        Memory larger(static_cast<T*>(std::malloc(capacity * sizeof(T))));
        if (!larger) std::abort();
        std::memcpy(static_cast<void*>(larger.get()), data(), size_ * sizeof(T));
        more_ = std::move(larger);
        capacity_ = capacity;
    }

    void take(InlineVector& other) {
        if (other.more_) {
            more_ = std::move(other.more_);
            capacity_ = std::exchange(other.capacity_, N);
            size_ = std::exchange(other.size_, 0);
            return;
        }
        size_ = 0;
        append(other.begin(), std::exchange(other.size_, 0));
    }

    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    using Memory = std::unique_ptr<T, Free>;

    Memory more_;  // once the first N are not enough
    std::size_t size_ = 0;
    std::size_t capacity_ = N;
    alignas(T) std::byte own_[N * sizeof(T)];
};

}  // namespace base
