#include "command_line/spoken_language.h"

#include <algorithm>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"

namespace command_line {
namespace {

constexpr std::string_view kOption = "--lang";

base::Status speak(std::string_view code, base::Language& language) {
    if (!base::contains(kLanguages, code))
        return base::fail(base::ErrorKind::usage, base::format("--lang: \"{}\" is not a value; there are {}", code,
                                                               base::joined(kLanguages, ", ")));
    TRY_ASSIGN(language, base::Language::load(base::DataStore(), code));
    return {};
}

}  // namespace

std::string_view language_of_locale() {
    for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
        const char* value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        const auto named = std::find_if(kLanguages.begin(), kLanguages.end(), [&](std::string_view language) {
            return std::string_view(value).starts_with(language);
        });
        return named == kLanguages.end() ? kLanguages.front() : *named;
    }
    return kLanguages.front();
}

base::Result<std::vector<const char*>> take_language(int argc, const char* const* argv, base::Language& language) {
    TRY(speak(language_of_locale(), language));
    std::vector<const char*> kept;
    bool ended = false;
    for (int i = 0; i < argc; ++i) {
        const std::string_view word = argv[i];
        ended = ended || word == "--";
        if (!ended && word == kOption) {
            if (++i == argc) return base::fail(base::ErrorKind::usage, "--lang requires a language: en or zh");
            TRY(speak(argv[i], language));
        } else if (!ended && word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
            TRY(speak(word.substr(kOption.size() + 1), language));
        } else {
            kept.push_back(argv[i]);
        }
    }
    return kept;
}

}  // namespace command_line
