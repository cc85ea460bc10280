// Console: the one way to standard output and standard error; colours, and a progress bar on a terminal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "base/language.h"
#include "base/result.h"

namespace base {

enum class Style { plain, bold, dim, red, yellow, green, cyan };

// True when file descriptor `fd` is a terminal and neither NO_COLOR nor TERM=dumb asks for plain text.
bool wants_colour(int fd);

// The text with escape codes when `colour`, the bare text otherwise.
std::string styled(std::string_view text, Style style, bool colour);

// The text as printable_lines, which leaves alone what is printable already. Only the codes of `styled` pass as well,
// and only to a terminal.
void print(std::FILE* stream, std::string_view text);

// The text as it is: JSON, and files that another program reads.
void print_bytes(std::FILE* stream, std::string_view text);

// What was printed on standard output is on its way to the reader. Fails with write_failed, but not for want of a reader.
Status flush_output();

// A bar with done/total, rate and remaining time, redrawn at most ten times a second. Thread-safe.
// Draws nothing when standard error is not a terminal or `enabled` is false.
class ProgressBar {
public:
    enum class Unit { bytes, items };

    // The label is in the language already.
    ProgressBar(std::string label, std::uint64_t total, Unit unit, bool enabled = true, Language language = {});
    ~ProgressBar();  // wipes the line
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void add(std::uint64_t amount);

private:
    void draw();

    std::string label_;
    Language language_;
    std::uint64_t total_;
    Unit unit_;
    bool visible_;
    std::atomic<std::uint64_t> done_{0};
    std::mutex drawing_;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point last_drawn_;
};

}  // namespace base
