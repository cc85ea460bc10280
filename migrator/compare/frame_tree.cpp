#include "migrator/compare/frame_tree.h"

#include <algorithm>
#include <tuple>

namespace migrator {

FrameTree::FrameTree(std::vector<Frame> frames) {
    std::ranges::stable_sort(frames, {}, [](const Frame& frame) { return std::tuple(frame.thread, frame.begin); });
    std::vector<std::pair<Ticks, std::uint32_t>> open;  // when they end, and their numbers
    TextNumber thread = kNoText;                        // of those
    for (Frame& frame : frames) {
        if (frame.thread != thread) open.clear();
        thread = frame.thread;
        while (!open.empty() && frame.begin > open.back().first) open.pop_back();
        if (open.size() == kMaxLevels) continue;
        const auto number = static_cast<std::uint32_t>(frames_.size());
        if (!open.empty()) frame.parent = open.back().second;
        open.emplace_back(frame.end, number);
        auto& range = threads_.try_emplace(frame.thread, number, number).first->second;
        range.second = number + 1;
        frames_.push_back(frame);
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
