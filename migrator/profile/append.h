// append: a list of millions that grows by a quarter where a vector doubles.
#pragma once

#include <cstddef>
#include <vector>

namespace migrator {

template <class T>
void append(std::vector<T>& list, const T& item) {
    constexpr std::size_t kFirst = 1024;
    if (list.size() == list.capacity()) list.reserve(list.size() + list.size() / 4 + kFirst);
    list.push_back(item);
}

}  // namespace migrator
