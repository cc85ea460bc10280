// line_diff: which lines two texts have in common, by Myers' algorithm in linear space.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace migrator {

// `old_count` lines at `old_begin` became `new_count` lines at `new_begin`; zero-based, at least one count is positive.
struct LineChange {
    std::size_t old_begin = 0;
    std::size_t old_count = 0;
    std::size_t new_begin = 0;
    std::size_t new_count = 0;
};

// The lines with their ends; the last one may have none. No line for an empty text.
std::vector<std::string_view> split_lines(std::string_view text);

// The changes in order; between two of them the lines are equal. The shortest script for texts that differ in up to
// some thousand lines, a short one beyond that, where the time stays linear.
std::vector<LineChange> diff_lines(const std::vector<std::string_view>& old_lines,
                                   const std::vector<std::string_view>& new_lines);

}  // namespace migrator
