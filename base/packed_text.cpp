#include "base/packed_text.h"

#include "base/check.h"
#include "base/compress.h"

namespace base {

void PackedText::append(std::string_view text) {
    constexpr std::size_t kBlock = 1 << 20;
    tail_ += text;
    size_ += text.size();
    if (tail_.size() < kBlock) return;
    packed_ += gzip(tail_);
    tail_.clear();
}

std::string PackedText::text() const {
    auto out = gunzip(packed_, "a text in memory", size_);
    CHECK(out.has_value());
    return *out += tail_;
}

}  // namespace base
