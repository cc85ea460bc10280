#include "migrator/app/explained_mentions.h"

#include "base/text.h"

namespace migrator {
namespace {

constexpr std::size_t kRulesShown = 8;

bool has_whole_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !base::is_word_char(text[at - 1])) && (end == text.size() || !base::is_word_char(text[end])))
            return true;
    }
    return false;
}

}  // namespace

std::vector<std::string> rules_speaking_of(const RuleSet& rules, const std::string& word) {
    std::vector<std::string> out;
    for (const auto& rule : rules.rules) {
        if (out.size() < kRulesShown && has_whole_word(rule->message, word)) out.push_back(rule->id);
    }
    return out;
}

}  // namespace migrator
