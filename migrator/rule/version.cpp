#include "migrator/rule/version.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

// Takes a number off the front.
std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
    text = base::trimmed(text);
    if (text.starts_with('v')) text.remove_prefix(1);
    const auto major = take_number(text);
    if (!major) return std::nullopt;
    Version out{*major, 0};
    if (!text.starts_with('.')) return out;
    text.remove_prefix(1);
    out.minor = take_number(text).value_or(0);
    return out;
}

std::string Version::text() const { return base::format("{}.{}", major, minor); }

std::optional<VersionRange::Condition> VersionRange::parse_condition(std::string_view text) {
    using enum Operator;
    // Longer operators first: "=" is a part of most others.
    static constexpr std::array<std::pair<std::string_view, Operator>, 10> kOperators{{{"===", equal},
                                                                                       {"==", equal},
                                                                                       {"!=", not_equal},
                                                                                       {">=", at_least},
                                                                                       {"<=", at_most},
                                                                                       {"~=", compatible},
                                                                                       {"^", compatible},
                                                                                       {"=", equal},
                                                                                       {">", above},
                                                                                       {"<", below}}};
    for (const auto& [word, op] : kOperators) {
        if (!text.starts_with(word)) continue;
        const std::string_view rest = base::trimmed(text.substr(word.size()));
        const auto version = Version::parse(rest);
        if (!version) return std::nullopt;
        const bool series = rest.find('.') == rest.npos || rest.substr(rest.find('.')).starts_with(".*");
        return Condition{op, *version, series};
    }
    return std::nullopt;
}

std::optional<VersionRange> VersionRange::parse(std::string_view text) {
    VersionRange out;
    out.text_ = base::trimmed(text);
    std::string_view rest = out.text_;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const auto condition = parse_condition(base::trimmed(rest.substr(0, comma)));
        if (!condition) return std::nullopt;
        out.conditions_.push_back(*condition);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return out;
}

bool VersionRange::contains(Version version) const {
    auto holds = [&](const Condition& condition) {
        const bool same =
            condition.whole_series ? version.major == condition.version.major : version == condition.version;
        switch (condition.op) {
            case Operator::equal: return same;
            case Operator::not_equal: return !same;
            case Operator::at_least: return version >= condition.version;
            case Operator::at_most: return same || version <= condition.version;
            // "2.1" stands for all of 2.1.x: one of them is above 2.1.0.
            case Operator::above: return version >= condition.version;
            case Operator::below: return version < condition.version;
            case Operator::compatible: return version.major == condition.version.major && version >= condition.version;
        }
        return false;
    };
    return std::all_of(conditions_.begin(), conditions_.end(), holds);
}

std::optional<Version> VersionRange::exact() const {
    for (const Condition& condition : conditions_) {
        if (condition.op == Operator::equal && !condition.whole_series) return condition.version;
    }
    return std::nullopt;
}

}  // namespace migrator
