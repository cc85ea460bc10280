#include "base/console.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/format.h"
#include "base/human.h"
#include "base/interrupt.h"
#include "base/printable.h"

namespace base {
namespace {

constexpr std::string_view kPlainCode = "\x1b[0m";
constexpr std::array kStyles{Style::bold, Style::dim, Style::red, Style::yellow, Style::green, Style::cyan};

std::string_view code_of(Style style) {
    switch (style) {
        case Style::plain: break;
        case Style::bold: return "\x1b[1m";
        case Style::dim: return "\x1b[2m";
        case Style::red: return "\x1b[31m";
        case Style::yellow: return "\x1b[33m";
        case Style::green: return "\x1b[32m";
        case Style::cyan: return "\x1b[36m";
    }
    return kPlainCode;
}

// Bytes of the code of a style at the start of the text; 0 when there is none.
std::size_t code_length(std::string_view text) {
    if (text.starts_with(kPlainCode)) return kPlainCode.size();
    for (const Style style : kStyles) {
        if (text.starts_with(code_of(style))) return code_of(style).size();
    }
    return 0;
}

}  // namespace

bool wants_colour(int fd) {
    const char* term = std::getenv("TERM");
    bool dumb = term == nullptr || std::string_view(term) == "dumb";
    return ::isatty(fd) != 0 && std::getenv("NO_COLOR") == nullptr && !dumb;
}

std::string styled(std::string_view text, Style style, bool colour) {
    if (!colour || style == Style::plain) return std::string(text);
    return base::format("{}{}{}", code_of(style), text, kPlainCode);
}

void print(std::FILE* stream, std::string_view text) {
    const bool colour = wants_colour(::fileno(stream));
    std::string out;
    while (!text.empty()) {
        const std::size_t code = colour ? code_length(text) : 0;
        const std::size_t end = code > 0 ? code : text.find('\x1b', 1);
        out += code > 0 ? std::string(text.substr(0, end)) : printable_lines(text.substr(0, end));
        text.remove_prefix(std::min(end, text.size()));
    }
    print_bytes(stream, out);
}

void print_bytes(std::FILE* stream, std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stream) < text.size() && errno == EPIPE) note_gone_reader();
}

// A full disk or a closed pipe shows only when the last bytes leave the process.
Status flush_output() {
    errno = 0;
    const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!is_written && errno == EPIPE) note_gone_reader();
    if (is_written || reader_is_gone()) return {};
    return fail(ErrorKind::write_failed, has_changed() ? "cannot write to standard output; all files are written"
                                                       : "cannot write to standard output");
}

ProgressBar::ProgressBar(std::string label, std::uint64_t total, Unit unit, bool enabled, Language language)
    : label_(std::move(label)),
      language_(std::move(language)),
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
    std::string line = base::format("\r{} [{}{}] {:3.0f}%  ", label_, std::string(filled, '#'),
                                    std::string(kCells - filled, '.'), share * 100) +
                       language_.format("{} of {}  {}/s  {} left", show(done), show(total_),
                                        show(static_cast<std::uint64_t>(rate)), human_duration(left)) +
                       "\x1b[K";
    std::fputs(line.c_str(), stderr);
}

}  // namespace base
