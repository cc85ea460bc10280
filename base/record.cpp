#include "base/record.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace base {
Status check_number(const JsonPlace& at, std::int64_t value, std::int64_t most) {
    if (value <= most) return {};
    return at.error(format("\"{}\" is {}, and may be {} at most", at.key, value, most));
}

Status check_texts(const JsonPlace& at, std::span<const std::string> texts, std::span<const std::string_view> words,
                   bool is_blank_allowed) {
    for (const std::string& text : texts) {
        if (!is_blank_allowed && trimmed(text).empty()) return at.error(format("\"{}\" is blank", at.key));
        if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end())
            return at.not_one_of(text, words);
    }
    return {};
}

Status check_not_empty(const JsonPlace& at, bool is_empty) {
    return is_empty ? at.error(format("\"{}\" must have at least one entry", at.key)) : Status();
}

Status check_keys(const JsonPlace& at, std::span<const std::string_view> known) {
    for (const auto& [key, value] : *at.json.object()) {
        if (std::find(known.begin(), known.end(), key) == known.end())
            return fail(at.kind, format("the key \"{}\" is not known here", key), at.document.where(value));
    }
    return {};
}

}  // namespace base
