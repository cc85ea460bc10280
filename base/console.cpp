#include "base/console.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/format.h"
#include "base/human.h"

namespace base {

bool wants_colour(int fd) {
    const char* term = std::getenv("TERM");
    bool dumb = term == nullptr || std::string_view(term) == "dumb";
    return ::isatty(fd) != 0 && std::getenv("NO_COLOR") == nullptr && !dumb;
}

std::string printable(std::string_view text) {
    std::string out(text);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return out;
}

std::string styled(std::string_view text, Style style, bool colour) {
    if (!colour || style == Style::plain) return std::string(text);
    const char* code = style == Style::bold     ? "1"
                       : style == Style::dim    ? "2"
                       : style == Style::red    ? "31"
                       : style == Style::yellow ? "33"
                       : style == Style::green  ? "32"
                                                : "36";
    return base::format("\x1b[{}m{}\x1b[0m", code, text);
}

ProgressBar::ProgressBar(std::string label, std::uint64_t total, Unit unit, bool enabled)
    : label_(std::move(label)),
      total_(total),
      unit_(unit),
      visible_(enabled && ::isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()),
      last_drawn_(start_) {}

ProgressBar::~ProgressBar() {
    if (visible_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::add(std::uint64_t amount) {
    done_ += amount;
    if (!visible_) return;
    // A thread that finds another one drawing leaves it to that one.
    std::unique_lock lock(drawing_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    auto now = std::chrono::steady_clock::now();
    if (now - last_drawn_ < std::chrono::milliseconds(100)) return;
    last_drawn_ = now;
    draw();
}

void ProgressBar::draw() {
    constexpr int kCells = 28;
    std::uint64_t done = done_;
    double share = total_ == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    double seconds = std::chrono::duration<double>(last_drawn_ - start_).count();
    double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    double left = rate > 0 ? static_cast<double>(total_ - std::min(total_, done)) / rate : 0;
    auto show = [&](std::uint64_t amount) {
        return unit_ == Unit::bytes ? human_bytes(amount) : with_separators(amount);
    };
    auto filled = static_cast<std::size_t>(share * kCells);
    std::string line =
        base::format("\r{} [{}{}] {:3.0f}%  {} of {}  {}/s  {} left\x1b[K", label_, std::string(filled, '#'),
                     std::string(kCells - filled, '.'), share * 100, show(done), show(total_),
                     show(static_cast<std::uint64_t>(rate)), human_duration(left));
    std::fputs(line.c_str(), stderr);
}

}  // namespace base
