#include "migrator/edit/line_diff.h"

#include <algorithm>
#include <unordered_map>

namespace migrator {
namespace {

using Lines = std::vector<std::uint32_t>;  // equal lines have equal numbers

// A part of both files that still has to be compared.
struct Box {
    std::size_t old_begin, old_end, new_begin, new_end;
    bool empty() const { return old_begin == old_end && new_begin == new_end; }
};

struct Point {
    std::size_t x, y;
};

// Beyond this many differences in one box the best path so far is taken, or time would grow with their square.
constexpr std::ptrdiff_t kMaxCost = 512;

// Finds a point on a path through the box: Myers' middle, met from both ends.
class MiddleFinder {
public:
    MiddleFinder(const Lines& a, const Lines& b)
        : a_(a),
          b_(b),
          offset_(static_cast<std::ptrdiff_t>(b.size()) + 1),
          forward_(a.size() + b.size() + 3),
          backward_(a.size() + b.size() + 3) {}

    // The box has no common first or last line and both sides are not empty.
    Point find(const Box& box) {
        box_ = box;
        first_ = static_cast<std::ptrdiff_t>(box.old_begin) - static_cast<std::ptrdiff_t>(box.new_begin);
        last_ = static_cast<std::ptrdiff_t>(box.old_end) - static_cast<std::ptrdiff_t>(box.new_end);
        min_ = static_cast<std::ptrdiff_t>(box.old_begin) - static_cast<std::ptrdiff_t>(box.new_end);
        max_ = static_cast<std::ptrdiff_t>(box.old_end) - static_cast<std::ptrdiff_t>(box.new_begin);
        forward_at(first_) = static_cast<std::ptrdiff_t>(box.old_begin);
        backward_at(last_) = static_cast<std::ptrdiff_t>(box.old_end);
        Span ahead{first_, first_};
        Span back{last_, last_};
        bool odd = ((first_ - last_) & 1) != 0;
        for (std::ptrdiff_t cost = 1;; ++cost) {
            widen(ahead, forward_, -1);
            for (std::ptrdiff_t d = ahead.high; d >= ahead.low; d -= 2) {
                std::ptrdiff_t x = step_forward(d);
                if (odd && d >= back.low && d <= back.high && backward_at(d) <= x) return point(x, d);
            }
            widen(back, backward_, kFar);
            for (std::ptrdiff_t d = back.high; d >= back.low; d -= 2) {
                std::ptrdiff_t x = step_backward(d);
                if (!odd && d >= ahead.low && d <= ahead.high && x <= forward_at(d)) return point(x, d);
            }
            if (cost >= kMaxCost) return furthest(ahead);
        }
    }

private:
    struct Span {
        std::ptrdiff_t low, high;
    };
    static constexpr std::ptrdiff_t kFar = std::ptrdiff_t{1} << 60;

    std::ptrdiff_t& forward_at(std::ptrdiff_t diagonal) {
        return forward_[static_cast<std::size_t>(diagonal + offset_)];
    }
    std::ptrdiff_t& backward_at(std::ptrdiff_t diagonal) {
        return backward_[static_cast<std::size_t>(diagonal + offset_)];
    }
    static Point point(std::ptrdiff_t x, std::ptrdiff_t diagonal) {
        return {static_cast<std::size_t>(x), static_cast<std::size_t>(x - diagonal)};
    }

    // One more diagonal on each side, or one less where the box ends; `outside` never wins a comparison.
    void widen(Span& span, std::vector<std::ptrdiff_t>& ends, std::ptrdiff_t outside) {
        if (span.low > min_) ends[static_cast<std::size_t>(--span.low - 1 + offset_)] = outside;
        else ++span.low;
        if (span.high < max_) ends[static_cast<std::size_t>(++span.high + 1 + offset_)] = outside;
        else --span.high;
    }

    std::ptrdiff_t step_forward(std::ptrdiff_t d) {
        std::ptrdiff_t below = forward_at(d - 1);
        std::ptrdiff_t above = forward_at(d + 1);
        std::ptrdiff_t x = below >= above ? below + 1 : above;
        while (x < static_cast<std::ptrdiff_t>(box_.old_end) && x - d < static_cast<std::ptrdiff_t>(box_.new_end) &&
               a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(x - d)]) {
            ++x;
        }
        return forward_at(d) = x;
    }

    std::ptrdiff_t step_backward(std::ptrdiff_t d) {
        std::ptrdiff_t below = backward_at(d - 1);
        std::ptrdiff_t above = backward_at(d + 1);
        std::ptrdiff_t x = below < above ? below : above - 1;
        while (x > static_cast<std::ptrdiff_t>(box_.old_begin) && x - d > static_cast<std::ptrdiff_t>(box_.new_begin) &&
               a_[static_cast<std::size_t>(x - 1)] == b_[static_cast<std::size_t>(x - d - 1)]) {
            --x;
        }
        return backward_at(d) = x;
    }

    Point furthest(const Span& span) {
        Point best{box_.old_begin, box_.new_begin};
        for (std::ptrdiff_t d = span.high; d >= span.low; d -= 2) {
            std::ptrdiff_t x = std::min(forward_at(d), static_cast<std::ptrdiff_t>(box_.old_end));
            if (x - d > static_cast<std::ptrdiff_t>(box_.new_end)) x = static_cast<std::ptrdiff_t>(box_.new_end) + d;
            if (x < static_cast<std::ptrdiff_t>(box_.old_begin) || x - d < static_cast<std::ptrdiff_t>(box_.new_begin))
                continue;
            Point at = point(x, d);
            if (at.x + at.y > best.x + best.y) best = at;
        }
        return best;
    }

    const Lines& a_;
    const Lines& b_;
    std::ptrdiff_t offset_;
    std::vector<std::ptrdiff_t> forward_;
    std::vector<std::ptrdiff_t> backward_;
    Box box_{};
    std::ptrdiff_t first_ = 0, last_ = 0, min_ = 0, max_ = 0;
};

void trim(Box& box, const Lines& a, const Lines& b) {
    while (box.old_begin < box.old_end && box.new_begin < box.new_end && a[box.old_begin] == b[box.new_begin]) {
        ++box.old_begin;
        ++box.new_begin;
    }
    while (box.old_begin < box.old_end && box.new_begin < box.new_end && a[box.old_end - 1] == b[box.new_end - 1]) {
        --box.old_end;
        --box.new_end;
    }
}

void add_change(std::vector<LineChange>& changes, const Box& box) {
    if (!changes.empty()) {
        LineChange& last = changes.back();
        if (last.old_begin + last.old_count == box.old_begin && last.new_begin + last.new_count == box.new_begin) {
            last.old_count += box.old_end - box.old_begin;
            last.new_count += box.new_end - box.new_begin;
            return;
        }
    }
    changes.push_back({box.old_begin, box.old_end - box.old_begin, box.new_begin, box.new_end - box.new_begin});
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

std::vector<LineChange> diff_lines(const std::vector<std::string_view>& old_lines,
                                   const std::vector<std::string_view>& new_lines) {
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    auto number_all = [&](const std::vector<std::string_view>& lines) {
        Lines out;
        out.reserve(lines.size());
        for (std::string_view line : lines) {
            out.push_back(numbers.emplace(line, static_cast<std::uint32_t>(numbers.size())).first->second);
        }
        return out;
    };
    Lines a = number_all(old_lines);
    Lines b = number_all(new_lines);
    MiddleFinder finder(a, b);

    std::vector<LineChange> changes;
    std::vector<Box> pending{{0, a.size(), 0, b.size()}};  // a stack: the first part of the files is on top
    while (!pending.empty()) {
        Box box = pending.back();
        pending.pop_back();
        trim(box, a, b);
        if (box.empty()) continue;
        if (box.old_begin == box.old_end || box.new_begin == box.new_end) {
            add_change(changes, box);
            continue;
        }
        Point middle = finder.find(box);
        bool at_corner = (middle.x == box.old_begin && middle.y == box.new_begin) ||
                         (middle.x == box.old_end && middle.y == box.new_end);
        if (at_corner) {
            add_change(changes, box);
            continue;
        }
        pending.push_back({middle.x, box.old_end, middle.y, box.new_end});
        pending.push_back({box.old_begin, middle.x, box.new_begin, middle.y});
    }
    return changes;
}

}  // namespace migrator
