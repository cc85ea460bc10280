#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/inline_vector.h"
#include "base/utf8.h"

namespace {

using Numbers = base::InlineVector<int, 2>;

std::vector<int> values(const Numbers& numbers) { return {numbers.begin(), numbers.end()}; }

}  // namespace

TEST_CASE("inline vector: few values and many, copied and moved") {
    for (int count : {0, 1, 2, 3, 9}) {
        Numbers made;
        std::vector<int> wanted;
        for (int i = 0; i < count; ++i) made.push_back(i), wanted.push_back(i);
        Numbers copy = made, other{7, 8, 9};
        CHECK(values(copy) == wanted);
        CHECK(copy == made);
        other = copy;
        CHECK(values(other) == wanted);
        const Numbers moved = std::move(copy);
        CHECK(values(moved) == wanted);
        other = std::move(made);
        CHECK(values(other) == wanted);
        other.push_back(5);
        CHECK(other.back() == 5);
        CHECK(other.size() == wanted.size() + 1);
    }
}

TEST_CASE("inline vector: values go, the others keep their order") {
    Numbers numbers{1, 2, 3, 4, 5};
    numbers.erase(numbers.begin() + 1, numbers.begin() + 2);
    CHECK(values(numbers) == std::vector<int>{1, 3, 4, 5});
    erase_if(numbers, [](int number) { return number % 2 == 1; });
    CHECK(values(numbers) == std::vector<int>{4});
    numbers.pop_back();
    CHECK(numbers.empty());
}

TEST_CASE("utf8: ASCII ends at the first other byte, wherever it is") {
    for (std::size_t before = 0; before < 20; ++before) {
        const std::string text(before, 'a');
        CHECK(base::ascii_length(text) == before);
        CHECK(base::ascii_length(text + "\xC3\xA9 and more of it") == before);
    }
}
