// TextSearch: which of many words stand in a text, found in one pass. A word is any text of two bytes or more.
#pragma once

#include <bitset>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace base {

class TextSearch {
public:
    void add(const std::string& word);

    // Those in `text`, each once; views of the words of this.
    std::set<std::string_view> words_in(std::string_view text) const;

private:
    // The first two bytes as a number.
    static std::size_t beginning(std::string_view text);

    std::bitset<65536> beginnings_;
    std::unordered_map<std::size_t, std::set<std::string>> words_;  // by their beginnings
};

}  // namespace base
