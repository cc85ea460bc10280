#include "migrator/profile/ticks.h"

#include <charconv>
#include <cmath>

#include "base/text.h"

namespace migrator {
namespace {

constexpr std::int64_t kMostMicroseconds = 90'000'000'000;  // 25 hours, which Ticks hold
constexpr std::int64_t kMostWhole = 1'000'000'000'000'000'000;

// Numbers with an exponent, which are rare.
std::optional<Moment> parse_real(std::string_view text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    if (!(std::abs(value) < static_cast<double>(kMostWhole))) return std::nullopt;
    const double whole = std::floor(value);
    return Moment{static_cast<std::int64_t>(whole), static_cast<Ticks>((value - whole) * kTicksPerMicrosecond)};
}

}  // namespace

std::optional<Moment> parse_moment(std::string_view text) {
    text = base::trimmed(text, " \t\r\n");
    const std::string_view number = text;
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    Moment out;
    std::size_t at = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
        if (out.whole >= kMostWhole / 10) return std::nullopt;
        out.whole = out.whole * 10 + (text[at] - '0');
    }
    bool has_digits = at > 0;
    if (at < text.size() && text[at] == '.') {
        Ticks unit = kTicksPerMicrosecond;
        for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
            unit /= 10;
            out.rest += unit * (text[at] - '0');
            has_digits = true;
        }
    }
    if (at < text.size()) return parse_real(number);
    if (!has_digits) return std::nullopt;
    if (is_negative) {
        out.whole = -out.whole - (out.rest > 0 ? 1 : 0);
        if (out.rest > 0) out.rest = kTicksPerMicrosecond - out.rest;
    }
    return out;
}

std::optional<Ticks> parse_duration(std::string_view text) {
    const auto moment = parse_moment(text);
    if (!moment || moment->whole > kMostMicroseconds || moment->whole < -kMostMicroseconds) return std::nullopt;
    return moment->whole * kTicksPerMicrosecond + moment->rest;
}

std::optional<Ticks> TimeOrigin::ticks(Moment moment) const {
    const std::int64_t distance = moment.whole - whole();
    if (distance > kMostMicroseconds || distance < -kMostMicroseconds) return std::nullopt;
    return distance * kTicksPerMicrosecond + moment.rest;
}

}  // namespace migrator
