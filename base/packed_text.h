// PackedText: a long text, which says nearly the same again and again, kept packed until it is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace base {

class PackedText {
public:
    void append(std::string_view text);
    std::uint64_t size() const { return size_; }  // of the text
    std::string text() const;

private:
    std::string packed_;  // members of gzip, one after the other
    std::string tail_;    // not packed yet
    std::uint64_t size_ = 0;
};

}  // namespace base
