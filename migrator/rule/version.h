// Versions of a package, as requirements and rules speak of them: "2.1.0+cu118", ">=2.7,!=2.8".
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace migrator {

// Only what changes interfaces: the first two numbers.
struct Version {
    int major = 0;
    int minor = 0;

    // nullopt when the text does not begin with a number. What follows the second number does not count.
    static std::optional<Version> parse(std::string_view text);
    std::string text() const;
    auto operator<=>(const Version&) const = default;
};

// Conditions with commas between; all must hold. Operators: == = === != >= <= > < ~= ^ (of Poetry).
class VersionRange {
public:
    // nullopt when a condition cannot be read. An empty text allows every version.
    static std::optional<VersionRange> parse(std::string_view text);

    bool contains(Version version) const;
    // The one version that "==2.1.0" names.
    std::optional<Version> exact() const;
    bool empty() const { return conditions_.empty(); }
    const std::string& text() const { return text_; }

private:
    enum class Operator { equal, not_equal, at_least, at_most, above, below, compatible };
    struct Condition {
        Operator op = Operator::equal;
        Version version;
        bool whole_series = false;  // "==2.*": the second number is free
    };
    static std::optional<Condition> parse_condition(std::string_view text);

    std::vector<Condition> conditions_;
    std::string text_;
};

}  // namespace migrator
