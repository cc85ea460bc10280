#include "base/text_search.h"

#include "base/check.h"

namespace base {

std::size_t TextSearch::beginning(std::string_view text) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[0])) << 8 | static_cast<unsigned char>(text[1]);
}

void TextSearch::add(const std::string& word) {
    CHECK(word.size() > 1);
    beginnings_.set(beginning(word));
    words_[beginning(word)].insert(word);
}

std::set<std::string_view> TextSearch::words_in(std::string_view text) const {
    std::set<std::string_view> out;
    for (; text.size() > 1; text.remove_prefix(1)) {
        if (!beginnings_.test(beginning(text))) continue;
        for (const std::string& word : words_.at(beginning(text))) {
            if (text.starts_with(word)) out.insert(word);
        }
    }
    return out;
}

}  // namespace base
