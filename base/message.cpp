#include "base/message.h"

#include <algorithm>

namespace base {
namespace {

// Sentences of a language that puts no blanks between them end in such a character.
bool ends_wide(std::string_view text) { return text.ends_with("。") || text.ends_with("：") || text.ends_with("；"); }

std::string filled(std::string_view pattern, const std::vector<Message::Value>& values, const Dictionary& dictionary) {
    std::string out;
    for (std::size_t at = 0; at < pattern.size();) {
        const std::size_t open = std::min(pattern.find('{', at), pattern.size());
        out += pattern.substr(at, open - at);
        const std::size_t close = pattern.find('}', open);
        const auto value = std::find_if(values.begin(), values.end(), [&](const Message::Value& one) {
            return close != pattern.npos && one.name == pattern.substr(open + 1, close - open - 1);
        });
        at = open + 1;
        if (value != values.end()) {
            out += value->value.text_in(dictionary);
            at = close + 1;
        } else if (open < pattern.size()) {
            out += '{';
        }
    }
    // What an empty value leaves at the end.
    while (out.ends_with(' ')) out.pop_back();
    return out;
}

}  // namespace

Message::Message(std::string_view sentence) : Message(sentence, {}) {}
Message::Message(const std::string& sentence) : Message(std::string_view(sentence)) {}
Message::Message(const char* sentence) : Message(std::string_view(sentence)) {}

Message::Message(std::string_view sentence, std::vector<Value> values) {
    if (!sentence.empty()) sentences_.push_back({std::string(sentence), std::move(values)});
}

void Message::add(const Message& more) {
    sentences_.insert(sentences_.end(), more.sentences_.begin(), more.sentences_.end());
}

void Message::add_in_front(const Message& more) {
    sentences_.insert(sentences_.begin(), more.sentences_.begin(), more.sentences_.end());
}

std::string Message::text_in(const Dictionary& dictionary) const {
    std::string out;
    for (const auto& [pattern, values] : sentences_) {
        const auto known = dictionary.find(pattern);
        const std::string text = filled(known == dictionary.end() ? pattern : known->second, values, dictionary);
        if (!out.empty() && !text.empty() && !ends_wide(out)) out += ' ';
        out += text;
    }
    return out;
}

}  // namespace base
