// Random: choices that are the same on every machine for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace test {

class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}

    // 0 to count - 1.
    std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(engine_() % count); }
    // From `least` to `most`, both included.
    std::uint32_t between(std::uint32_t least, std::uint32_t most) { return least + below(most - least + 1); }
    bool one_in(std::uint32_t count) { return below(count) == 0; }

    template <class Item>
    Item pick(const std::vector<Item>& items) {
        return items[below(static_cast<std::uint32_t>(items.size()))];
    }

private:
    std::mt19937 engine_;
};

}  // namespace test
