#include "migrator/compare/frame_tree.h"

#include <algorithm>
#include <tuple>

namespace migrator {

FrameTree::FrameTree(std::vector<Frame> frames) {
    std::ranges::stable_sort(frames, {}, [](const Frame& frame) { return std::tuple(frame.thread, frame.begin); });
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < frames.size(); ++i) {
        const auto is_over = [&](std::uint32_t outer) {
            return frames[outer].thread != frames[i].thread || frames[i].begin > frames[outer].end;
        };
        while (!open.empty() && is_over(open.back())) open.pop_back();
        if (!open.empty()) frames[i].parent = open.back();
        open.push_back(i);
        auto& range = threads_.try_emplace(frames[i].thread, i, i).first->second;
        range.second = i + 1;
        frames_.push_back(frames[i]);
    }
}

// Of the thread, by its begin.
std::uint32_t FrameTree::last_before(TextNumber thread, Ticks time) const {
    const auto range = threads_.find(thread);
    if (range == threads_.end()) return Frame::kNone;
    auto [first, after] = range->second;
    const std::uint32_t begin = first;
    while (first < after) {
        const std::uint32_t middle = first + (after - first) / 2;
        if (frames_.get<&Frame::begin>(middle) <= time) first = middle + 1;
        else after = middle;
    }
    return first == begin ? Frame::kNone : first - 1;
}

std::uint32_t FrameTree::open_at(TextNumber thread, Ticks time) const {
    std::uint32_t frame = last_before(thread, time);
    while (frame != Frame::kNone && frames_.get<&Frame::end>(frame) < time) frame = frames_.get<&Frame::parent>(frame);
    return frame;
}

std::uint32_t FrameTree::around(TextNumber thread, Ticks time) const {
    std::uint32_t found = Frame::kNone;
    for (std::uint32_t i = last_before(thread, time); i != Frame::kNone; i = frames_.get<&Frame::parent>(i)) {
        const bool is_around = frames_.get<&Frame::begin>(i) < time && time < frames_.get<&Frame::end>(i);
        if (!is_around) found = Frame::kNone;
        else if (found == Frame::kNone) found = i;
    }
    return found;
}

}  // namespace migrator
