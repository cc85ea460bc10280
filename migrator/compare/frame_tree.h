// FrameTree: spans of the host inside each other: frames of Python, modules, operators.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "migrator/profile/trace_records.h"

namespace migrator {

struct Frame {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    Ticks begin = 0, end = 0;
    TextNumber thread = kNoText;
    TextNumber name = kNoText;
    std::uint32_t event = kNone;  // for who asks
    std::uint32_t parent = kNone;
};
using Frames =
    PackedList<Frame, &Frame::begin, &Frame::end, &Frame::thread, &Frame::name, &Frame::event, &Frame::parent>;

class FrameTree {
public:
    // Frames in more others than this are left out: no network and no stack of calls is so deep.
    static constexpr std::size_t kMaxLevels = 256;

    // A frame lies in the innermost one of its thread that is open when it begins. Where all have the same thread, so do all frames.
    explicit FrameTree(std::vector<Frame> frames);

    const Frames& all() const { return frames_; }
    // The innermost that is open then, its ends included.
    std::uint32_t open_at(TextNumber thread, Ticks time) const;
    // The innermost around that time, which is around it itself as are all that it lies in; without their ends.
    std::uint32_t around(TextNumber thread, Ticks time) const;

private:
    std::uint32_t last_before(TextNumber thread, Ticks time) const;

    Frames frames_;
    std::map<TextNumber, std::pair<std::uint32_t, std::uint32_t>> threads_;  // the first of each, and the first behind
};

}  // namespace migrator
