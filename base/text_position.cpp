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

// Columns of longer lines are counted from the mark in front of them, not from the begin of the line.
constexpr std::size_t kMarkDistance = 4096;

}  // namespace

LineIndex::LineIndex(std::string_view text) : text_(text), starts_{0} {
    const bool has_returns = text.find('\r') != text.npos;
    // Most texts have line feeds alone, which are found much faster.
    auto end_from = [&](std::size_t at) { return has_returns ? text.find_first_of("\n\r", at) : text.find('\n', at); };
    for (std::size_t i = end_from(0); i != text.npos; i = end_from(i + 1)) {
        const bool is_first_of_two = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
        if (!is_first_of_two) starts_.push_back(i + 1);
    }
    for (std::uint32_t line = 1; line <= line_count(); ++line) {
        if (line_range(line).size() > kMarkDistance) mark(line_range(line));
    }
}

void LineIndex::mark(ByteRange line) {
    Mark next{line.begin, 0, 0};
    while (line.end - next.offset > kMarkDistance) {
        std::size_t length = kMarkDistance;
        // Not inside a code point.
        while ((text_[next.offset + length] & 0xC0) == 0x80 && length > kMarkDistance - 4) --length;
        const std::string_view part = text_.substr(next.offset, length);
        next = {next.offset + length, next.code_points + count_units(part, ColumnUnit::code_points),
                next.utf16 + count_units(part, ColumnUnit::utf16)};
        marks_.push_back(next);
    }
}

TextPosition LineIndex::position(std::uint64_t offset, ColumnUnit unit) const {
    CHECK(offset <= text_.size());
    auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    Mark from{*(next - 1), 0, 0};
    auto behind = std::upper_bound(marks_.begin(), marks_.end(), offset,
                                   [](std::uint64_t at, const Mark& mark) { return at < mark.offset; });
    if (behind != marks_.begin() && (behind - 1)->offset > from.offset) from = *(behind - 1);
    const std::uint64_t before = unit == ColumnUnit::bytes         ? from.offset - *(next - 1)
                                 : unit == ColumnUnit::code_points ? from.code_points
                                                                   : from.utf16;
    const std::uint32_t units = count_units(text_.substr(from.offset, offset - from.offset), unit);
    return {static_cast<std::uint32_t>(next - starts_.begin()), static_cast<std::uint32_t>(before) + units + 1};
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
