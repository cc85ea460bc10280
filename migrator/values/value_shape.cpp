#include "migrator/values/value_shape.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace migrator {
namespace {

using Level = ValueShape::Level;
constexpr std::array<std::pair<Level, std::string_view>, 3> kTexts{
    {{Level::key, "{:}"}, {Level::entry, "{}"}, {Level::result, "()"}}};

}  // namespace

bool ValueShape::is_sequence() const {
    for (ValueShape rest = *this; !rest.is_plain(); rest.pop()) {
        if (rest.top() != Level::item) return false;
    }
    return true;
}

bool ValueShape::push(Level level, std::size_t index) {
    if (levels_ >> (64 - kBits) != 0) return false;
    const std::uint64_t place = std::min<std::size_t>(index, kAny);
    levels_ = levels_ << kBits | place << 3 | static_cast<std::uint64_t>(level);
    return true;
}

std::string ValueShape::text() const {
    std::string out;
    for (ValueShape rest = *this; !rest.is_plain(); rest.pop()) {
        std::string one;
        if (rest.top() == Level::item) {
            one = rest.index() == kAny ? "[]" : "[" + std::to_string(rest.index()) + "]";
        } else {
            one = std::find_if(kTexts.begin(), kTexts.end(), [&](const auto& row) {
                      return row.first == rest.top();
                  })->second;
        }
        out.insert(0, one);
    }
    return out;
}

std::optional<ValueShape> ValueShape::read(std::string_view text) {
    ValueShape out;
    while (!text.empty()) {
        const std::size_t end = text.find_first_of("]})");
        if (end == text.npos) return std::nullopt;
        const std::string_view one = text.substr(0, end + 1);
        text.remove_prefix(end + 1);
        if (one.front() == '[') {
            std::size_t index = one.size() == 2 ? kAny : 0;
            for (char c : one.substr(1, one.size() - 2)) index = index * 10 + static_cast<std::size_t>(c - '0');
            CHECK(out.push(Level::item, index));
            continue;
        }
        const auto row = std::find_if(kTexts.begin(), kTexts.end(), [&](const auto& it) { return it.second == one; });
        if (row == kTexts.end()) return std::nullopt;
        CHECK(out.push(row->first));
    }
    return out;
}

}  // namespace migrator
