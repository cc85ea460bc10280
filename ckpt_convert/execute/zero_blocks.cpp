#include "ckpt_convert/execute/zero_blocks.h"

#include <algorithm>
#include <utility>

namespace ckpt {
namespace {

bool is_zero(std::byte byte) { return byte == std::byte{0}; }

}  // namespace

ZeroBlocks::ZeroBlocks(std::uint64_t offset, std::uint64_t bytes, std::uint64_t row_bytes)
    : begin_(offset), end_(offset + bytes), row_bytes_(row_bytes), rows_(bytes / row_bytes), at_(offset) {}

void ZeroBlocks::add(base::ByteSpan bytes) {
    while (!bytes.empty()) {
        std::size_t count = std::min<std::size_t>(bytes.size(), kPageBytes - at_ % kPageBytes);
        add_page(bytes.first(count));
        bytes = bytes.subspan(count);
    }
    if (at_ == end_) end_run();
}

void ZeroBlocks::add_page(base::ByteSpan page) {
    auto first = std::find_if_not(page.begin(), page.end(), is_zero);
    auto leading = static_cast<std::uint64_t>(first - page.begin());
    run_ += leading;
    at_ += leading;
    if (first == page.end()) {
        run_has_page_ |= page.size() == kPageBytes;
        return;
    }
    all_zero_ = false;
    end_run();
    at_ += page.size() - leading;
    run_ = static_cast<std::uint64_t>(std::find_if_not(page.rbegin(), page.rend(), is_zero) - page.rbegin());
}

void ZeroBlocks::end_run() {
    // A value beside zeros may have bytes that are zero itself.
    constexpr std::uint64_t kSlackBytes = 64;
    const std::uint64_t run = std::exchange(run_, 0);
    if (!std::exchange(run_has_page_, false)) return;
    const std::uint64_t from = at_ - run - begin_, to = at_ - begin_;
    const std::uint64_t first_row = (from + row_bytes_ - 1) / row_bytes_, last_row = to / row_bytes_;
    const bool whole_rows =
        first_row < last_row && first_row * row_bytes_ - from < kSlackBytes && to - last_row * row_bytes_ < kSlackBytes;
    if (whole_rows) {
        zero_rows_ += last_row - first_row;
        return;
    }
    if (holes_++ > 0) return;
    first_hole_ = at_ - run;
    first_hole_bytes_ = run;
}

}  // namespace ckpt
