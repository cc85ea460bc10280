// SentencePattern: a sentence with {places}, found again in a text that was made of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace base {

class SentencePattern {
public:
    // "{}", "{name}", "{0}" and "{:.1f}" are places; "{{" is a brace.
    explicit SentencePattern(std::string_view sentence);

    std::size_t places() const { return names_.size(); }
    // How much of a text it says itself: of several that fit, the one that says most is meant.
    std::size_t letters() const;
    // What stands at the places when the whole text is the sentence.
    std::optional<std::vector<std::string>> values_in(std::string_view text) const;
    // This sentence with the values of `original`, whose places it has by name, by number or in their order.
    std::string filled(const SentencePattern& original, const std::vector<std::string>& values) const;

private:
    std::vector<std::string> literals_;  // one more than places
    std::vector<std::string> names_;
};

}  // namespace base
