#include "ckpt_convert/launch/script_options.h"

namespace ckpt {
namespace {

bool is_option(const ScriptWord& word) { return word.text.starts_with("--") && word.text.size() > 2; }

}  // namespace

std::vector<ScriptOption> options_in(const std::vector<ScriptWord>& words, std::size_t begin, std::size_t end,
                                     std::vector<ScriptWord>* arguments, bool& is_open) {
    std::vector<ScriptOption> out;
    for (std::size_t i = begin; i < end; ++i) {
        const ScriptWord& word = words[i];
        if (is_option(word)) {
            const std::size_t equals = word.text.find('=');
            out.push_back({word.text.substr(0, equals), word.place, word.at, {}});
            if (equals == word.text.npos) continue;
            ScriptWord value{word.text.substr(equals + 1), word.place, word.at, word.is_known};
            const bool is_literal = word.place.end - word.place.begin == word.text.size();
            if (is_literal) value.place.begin += equals + 1;
            out.back().values.push_back(std::move(value));
        } else if (!out.empty()) {
            // What may be no word belongs to the option before it only where that has no value yet.
            const bool is_value = !word.may_be_none || out.back().values.empty();
            if (is_value) out.back().values.push_back(word);
            else is_open |= word.is_open;
        } else {
            is_open |= word.is_open;
            if (arguments != nullptr) arguments->push_back(word);
        }
    }
    return out;
}

}  // namespace ckpt
