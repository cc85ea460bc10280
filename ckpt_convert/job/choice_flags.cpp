#include "ckpt_convert/job/choice_flags.h"

#include <algorithm>

#include "base/text.h"

namespace ckpt {
namespace {

// "parallel.reduce_dtype": a section of a YAML file, and a key in it.
bool is_key(std::string_view word) {
    return std::count(word.begin(), word.end(), '.') == 1 && !word.ends_with('.') &&
           std::all_of(word.begin(), word.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '.'; });
}

}  // namespace

std::vector<ChoiceFlag> flags_of(const Choice& choice, Engine engine) {
    std::vector<ChoiceFlag> out;
    const auto text = choice.flags.find(name(engine));
    if (text == choice.flags.end()) return out;
    bool is_without = false, is_in_brackets = false;
    for (std::string_view word : base::split(text->second, ' ')) {
        if (word.starts_with('[')) {
            is_in_brackets = true;
            word.remove_prefix(1);
        }
        const bool closes = word.ends_with(']');
        if (closes) word.remove_suffix(1);
        if (word == "without") is_without = true;
        else if (word.starts_with("--") || is_key(word))
            out.push_back({std::string(word), {}, is_without, is_in_brackets});
        else if (!out.empty()) out.back().values.emplace_back(word);
        if (closes) is_in_brackets = false;
    }
    return out;
}

}  // namespace ckpt
