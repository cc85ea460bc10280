// Language: what people read, in their language. The sources say everything in English; dictionaries of rules/translations
// have it in others. Nothing that a program reads goes through here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/format.h"
#include "base/message.h"
#include "base/printable.h"
#include "base/result.h"

namespace base {

class Language {
public:
    Language();  // English
    explicit Language(Dictionary dictionary);
    // The files of rules/translations/CODE; "en" is English. Fails with rule_data.
    static Result<Language> load(const DataStore& store, std::string_view code);

    const std::string& code() const { return code_; }
    // The same language, with more sentences.
    Language with(const Dictionary& more) const;

    // A whole text that the dictionary has; else the text itself.
    std::string text(std::string_view english) const;
    // A text that was put together already: it becomes that sentence of the dictionary whose {places} are parts of it.
    std::string said(std::string_view english) const;
    // The same of a sentence that may have a name in front of it: "weight.0: its shape is too large".
    std::string said_of_name(std::string_view english) const;
    // A text, line by line; blanks at the beginning of a line stay.
    std::string lines(std::string_view english) const;
    // What a finding says: by the sentences of findings alone, so that a value that is a word of a page stays a name.
    std::string message(const Message& english) const;
    std::string error_text(const Error& error) const;

    // base::format of the sentence as the dictionary has it.
    template <typename... Args>
    std::string format(fmt::format_string<Args...> pattern, Args&&... args) const {
        const fmt::string_view view = pattern;
        const std::string known = text({view.data(), view.size()});
        return format_erased(known, fmt::make_format_args(args...));
    }
    // The same, for people: every argument that is text is printable.
    template <typename... Args>
    std::string show(fmt::format_string<Args...> pattern, const Args&... args) const {
        const fmt::string_view view = pattern;
        const std::string known = text({view.data(), view.size()});
        const auto formatted = [&](const auto&... shown) {
            return format_erased(known, fmt::make_format_args(shown...));
        };
        return formatted(detail::printable_argument(args)...);
    }
    // base::plural
    std::string plural(std::uint64_t count, const std::string& one, const std::string& many = {}) const;

private:
    struct Sentences;
    Language(Dictionary dictionary, Dictionary of_findings);
    std::string code_ = "en";
    std::shared_ptr<const Sentences> sentences_;
};

}  // namespace base
