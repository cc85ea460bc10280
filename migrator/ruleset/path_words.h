// What paths and keys say by their words: "scripts", "train", "npu", "sh" of "scripts/train_npu.sh".
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "migrator/ruleset/places.h"

namespace migrator {

template <class Use>
void for_each_word(std::string_view path, Use use) {
    while (!path.empty()) {
        const std::size_t end = std::min(path.find_first_of("/_.-"), path.size());
        use(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
}

// Whether one of its words is among these.
inline bool has_part(std::string_view path, const std::vector<std::string>& words) {
    bool found = false;
    for_each_word(path, [&](std::string_view word) { found |= base::contains(words, word); });
    return found;
}

// A path or a key without the words that tell what it is for, and which of them it had.
struct Stem {
    std::string rest;
    bool is_source = false;
    bool is_target = false;
};

inline Stem stem_of(std::string_view path, const AdaptedNames& words) {
    Stem out;
    for_each_word(path, [&](std::string_view word) {
        const bool is_source = base::contains(words.source_words, word);
        const bool is_target = base::contains(words.target_words, word);
        out.is_source |= is_source;
        out.is_target |= is_target;
        if (!is_source && !is_target && !word.empty()) out.rest.append(word).append(" ");
    });
    return out;
}

}  // namespace migrator
