#include "migrator/edit/composed_edits.h"

#include <doctest/doctest.h>

using namespace migrator;

namespace {

constexpr std::string_view kText = "abcdefghij";

// Rounds one after the other, and the same in one step.
void check_rounds(const std::vector<std::vector<OwnedEdit>>& rounds) {
    ComposedEdits composed(kText);
    std::string text(kText);
    for (const auto& round : rounds) {
        text = applied(round, text);
        composed.add_round(round);
        CHECK(applied(composed.edits(), kText) == text);
    }
}

}  // namespace

TEST_CASE("composed edits: rounds give in one step what they give one after the other") {
    check_rounds({{{{{2, 4}, "XYZ"}, {0}}}, {{{{0, 1}, ""}, {1}}, {{{8, 9}, "long text"}, {2}}}});
    check_rounds({{{{{2, 4}, "XYZ"}, {0}}}, {{{{3, 3}, "inside"}, {1}}}});
    check_rounds({{{{{2, 4}, "XYZ"}, {0}}}, {{{{1, 9}, "over all"}, {1}}}});
    check_rounds({{{{{2, 4}, ""}, {0}}, {{{6, 8}, ""}, {1}}}, {{{{1, 5}, "-"}, {2}}}, {{{{0, 0}, "front"}, {3}}}});
    check_rounds({{{{{3, 3}, "ins"}, {0}}}, {{{{3, 3}, "before"}, {1}}, {{{6, 6}, "behind"}, {2}}}});
}

TEST_CASE("composed edits: random rounds") {
    std::uint32_t state = 12345;
    auto random = [&](std::size_t below) {
        state = state * 1664525u + 1013904223u;
        return (state >> 8) % below;
    };
    for (int run = 0; run < 300; ++run) {
        std::vector<std::vector<OwnedEdit>> rounds;
        std::size_t size = kText.size();
        for (int r = 0; r < 4; ++r) {
            std::vector<OwnedEdit>& round = rounds.emplace_back();
            std::size_t at = random(3);
            std::size_t grown = 0;
            while (at < size) {
                const std::size_t end = std::min(size, at + random(3));
                const std::string text(random(4), static_cast<char>('A' + r));
                if (end > at || !text.empty()) round.push_back({{{at, end}, text}, {static_cast<std::size_t>(r)}});
                grown += text.size() + at - end;
                at = end + 1 + random(3);
            }
            size += grown;
        }
        check_rounds(rounds);
    }
}

TEST_CASE("composed edits: what writes into another's text is bound to it, what only touches is not") {
    ComposedEdits inside(kText);
    inside.add_round({{{{2, 4}, "XYZ"}, {0}}});
    inside.add_round({{{{3, 4}, "-"}, {1}}});
    CHECK(inside.edits() == std::vector<OwnedEdit>{{{{2, 4}, "X-Z"}, {0, 1}}});
    CHECK(inside.bound() == std::vector<std::vector<std::size_t>>{{0, 1}});
    ComposedEdits behind(kText);
    behind.add_round({{{{2, 4}, "XYZ"}, {0}}});
    behind.add_round({{{{5, 6}, "-"}, {1}}});
    CHECK(behind.edits() == std::vector<OwnedEdit>{{{{2, 4}, "XYZ"}, {0}}, {{{4, 5}, "-"}, {1}}});
    CHECK(behind.bound().empty());
}
