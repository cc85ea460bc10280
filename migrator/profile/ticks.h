// Ticks: times of a profile as whole numbers, exact to the last digit that profilers write.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace migrator {

// A hundredth of a picosecond: the eighth digit behind the point of a microsecond. 25 hours fit.
using Ticks = std::int64_t;

inline constexpr Ticks kTicksPerMicrosecond = 100'000'000;

inline double microseconds(Ticks ticks) { return static_cast<double>(ticks) / kTicksPerMicrosecond; }
inline double milliseconds(Ticks ticks) { return microseconds(ticks) / 1e3; }

// A time since 1970, or since whatever a profile counts from: whole microseconds, and the rest of one.
struct Moment {
    std::int64_t whole = 0;
    Ticks rest = 0;  // 0 <= rest < kTicksPerMicrosecond

    bool operator==(const Moment&) const = default;
};

// "1736408883688177.930", "-3", "2.5e3"; blanks and tabs around it. A double does not hold what is read here. nullopt: no
// number, or one beyond 1e18.
std::optional<Moment> parse_moment(std::string_view microseconds);

// The same of a length of time; nullopt above 25 hours as well.
std::optional<Ticks> parse_duration(std::string_view microseconds);

// What times of a profile are counted from.
class TimeOrigin {
public:
    bool is_set() const { return whole_.has_value(); }
    void set(Moment first) { whole_ = first.whole; }
    // nullopt: more than 25 hours away.
    std::optional<Ticks> ticks(Moment moment) const;
    std::int64_t whole() const { return whole_.value_or(0); }

private:
    std::optional<std::int64_t> whole_;
};

}  // namespace migrator
