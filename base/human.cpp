#include "base/human.h"

#include <array>
#include <cmath>

#include "base/format.h"

namespace base {
namespace {

std::string scaled(double value, const std::array<const char*, 6>& units) {
    std::size_t unit = 0;
    // 999.95 would print as "1000.0", so it moves to the next unit as well.
    while (value >= 999.95 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    return base::format("{:.{}f}{}", value, value < 9.995 ? 2 : 1, units[unit]);
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
    if (bytes < 1000) return base::format("{} B", bytes);
    return scaled(static_cast<double>(bytes), {" B", " kB", " MB", " GB", " TB", " PB"});
}

std::string human_count(std::uint64_t count) {
    if (count < 10000) return base::format("{}", count);
    return scaled(static_cast<double>(count), {"", " K", " M", " B", " T", " Q"});
}

std::string human_duration(double seconds) {
    if (seconds < 59.95) return base::format("{:.1f} s", seconds);
    auto whole = static_cast<std::uint64_t>(std::llround(seconds));
    if (whole < 3600) return base::format("{} min {:02} s", whole / 60, whole % 60);
    return base::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string hexadecimal(std::uint64_t number) { return base::format("{:016x}", number); }

std::string hexadecimal(std::string_view bytes) {
    std::string out;
    for (const char byte : bytes) out += format("{:02x}", static_cast<unsigned char>(byte));
    return out;
}

std::string with_separators(std::uint64_t count) {
    std::string digits = base::format("{}", count);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string plural(std::uint64_t count, const std::string& one, const std::string& many) {
    return with_separators(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string listed(std::vector<std::string> names) {
    constexpr std::size_t kShown = 5;
    std::size_t more = names.size() > kShown ? names.size() - kShown : 0;
    names.resize(names.size() - more);
    return joined(names, ", ") + (more > 0 ? format(" and {} more", more) : "");
}

}  // namespace base
