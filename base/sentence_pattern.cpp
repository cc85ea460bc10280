#include "base/sentence_pattern.h"

#include <algorithm>
#include <charconv>

namespace base {

SentencePattern::SentencePattern(std::string_view sentence) : literals_(1) {
    for (std::size_t at = 0; at < sentence.size(); ++at) {
        const std::string_view two = sentence.substr(at, 2);
        const std::size_t close = sentence.find('}', at);
        if (two == "{{" || two == "}}") {
            literals_.back() += sentence[at++];
        } else if (sentence[at] == '{' && close != sentence.npos) {
            const std::string_view inside = sentence.substr(at + 1, close - at - 1);
            names_.emplace_back(inside.substr(0, inside.find(':')));
            literals_.emplace_back();
            at = close;
        } else {
            literals_.back() += sentence[at];
        }
    }
}

std::size_t SentencePattern::letters() const {
    std::size_t out = 0;
    for (const std::string& literal : literals_) {
        out += static_cast<std::size_t>(std::count_if(
            literal.begin(), literal.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }));
    }
    return out;
}

std::optional<std::vector<std::string>> SentencePattern::values_in(std::string_view text) const {
    const std::string& first = literals_.front();
    const std::string& last = literals_.back();
    if (names_.empty() || !text.starts_with(first) || text.size() < first.size() + last.size() || !text.ends_with(last))
        return std::nullopt;
    const std::size_t end = text.size() - last.size();
    std::vector<std::string> values;
    std::size_t at = first.size();
    for (std::size_t i = 1; i < names_.size(); ++i) {
        const std::size_t next = text.substr(0, end).find(literals_[i], at);
        if (next == text.npos) return std::nullopt;
        values.emplace_back(text.substr(at, next - at));
        at = next + literals_[i].size();
    }
    values.emplace_back(text.substr(at, end - at));
    return values;
}

std::string SentencePattern::filled(const SentencePattern& original, const std::vector<std::string>& values) const {
    std::string out = literals_.front();
    for (std::size_t i = 0; i < names_.size(); ++i) {
        const std::string& name = names_[i];
        std::size_t which = i;
        if (!name.empty()) {
            std::from_chars(name.data(), name.data() + name.size(), which);  // where it is no number, the order decides
            const auto named = std::find(original.names_.begin(), original.names_.end(), name);
            if (named != original.names_.end()) which = static_cast<std::size_t>(named - original.names_.begin());
        }
        if (which < values.size()) out += values[which];
        out += literals_[i + 1];
    }
    return out;
}

}  // namespace base
