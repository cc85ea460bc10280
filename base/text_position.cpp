#include "base/text_position.h"

#include <algorithm>

#include "base/check.h"
#include "base/utf8.h"

namespace base {
namespace {

std::uint32_t count_units(std::string_view text, ColumnUnit unit) {
    if (unit == ColumnUnit::bytes) return static_cast<std::uint32_t>(text.size());
    std::uint32_t units = 0;
    while (!text.empty()) {
        std::size_t length = std::max<std::size_t>(utf8_sequence_length(text), 1);
        units += unit == ColumnUnit::utf16 && length == 4 ? 2 : 1;
        text.remove_prefix(length);
    }
    return units;
}

}  // namespace

LineIndex::LineIndex(std::string_view text) : text_(text), starts_{0} {
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool carriage_return = text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
        if (text[i] == '\n' || carriage_return) starts_.push_back(i + 1);
    }
}

TextPosition LineIndex::position(std::uint64_t offset, ColumnUnit unit) const {
    CHECK(offset <= text_.size());
    auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    std::uint64_t start = *(next - 1);
    return {static_cast<std::uint32_t>(next - starts_.begin()),
            count_units(text_.substr(start, offset - start), unit) + 1};
}

ByteRange LineIndex::line_range(std::uint32_t line) const {
    CHECK(line >= 1 && line <= line_count());
    return {starts_[line - 1], line == line_count() ? text_.size() : starts_[line]};
}

std::string_view LineIndex::line_text(std::uint32_t line) const {
    ByteRange range = line_range(line);
    std::string_view text = text_.substr(range.begin, range.size());
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

}  // namespace base
