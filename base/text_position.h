// LineIndex: byte offsets to lines and columns, counted in bytes, code points or UTF-16 units.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace base {

// Half-open byte range.
struct ByteRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    std::uint64_t size() const { return end - begin; }
    bool contains(std::uint64_t offset) const { return offset >= begin && offset < end; }
    bool operator==(const ByteRange&) const = default;
};

// One-based, as editors show it.
struct TextPosition {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
    bool operator==(const TextPosition&) const = default;
};

enum class ColumnUnit { bytes, code_points, utf16 };

class LineIndex {
public:
    // Lines end with "\n", "\r\n" or "\r", as Python reads them. The text must outlive the index and be UTF-8;
    // ill-formed bytes count as one code point each.
    explicit LineIndex(std::string_view text);

    std::uint32_t line_count() const { return static_cast<std::uint32_t>(starts_.size()); }
    TextPosition position(std::uint64_t offset, ColumnUnit unit = ColumnUnit::code_points) const;
    // The line without its end; `line` is one-based and at most line_count().
    std::string_view line_text(std::uint32_t line) const;
    ByteRange line_range(std::uint32_t line) const;  // with its end

private:
    // Inside a long line: what stands in front of `offset` on it.
    struct Mark {
        std::uint64_t offset;
        std::uint32_t code_points;
        std::uint32_t utf16;
    };
    void mark(ByteRange line);

    std::string_view text_;
    std::vector<std::uint64_t> starts_;
    std::vector<Mark> marks_;
};

}  // namespace base
