// What paths say by their words: "scripts", "train", "npu", "sh" of "scripts/train_npu.sh".
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "migrator/ruleset/places.h"
#include "migrator/source/test_code.h"

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

// Tests, and what tells services how to run them.
inline bool is_of_tests(std::string_view path, const AdaptedNames& names) {
    return is_test_code(path) || base::contains(names.directories_of_tests, path.substr(0, path.find('/')));
}

}  // namespace migrator
