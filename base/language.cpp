#include "base/language.h"

#include "base/human.h"
#include "base/sentence_pattern.h"
#include "base/text.h"
#include "base/translation_file.h"

namespace base {
namespace {

constexpr std::size_t kFewestLetters = 4;  // below, a sentence is little more than its places

struct Pair {
    SentencePattern english;
    SentencePattern translation;
    bool is_frame;
};

// "{}; see {} --help": it says something more behind another sentence, whatever that is.
bool is_around_others(std::string_view english) {
    return english.starts_with('{') && english.substr(english.find('}')).starts_with("}; ");
}

}  // namespace

struct Language::Sentences {
    Dictionary dictionary;
    Dictionary of_findings;
    std::vector<Pair> patterns;
};

Language::Language() : Language(Dictionary()) {}

Language::Language(Dictionary dictionary) : Language(dictionary, dictionary) {}

Language::Language(Dictionary dictionary, Dictionary of_findings) {
    auto made = std::make_shared<Sentences>();
    for (const auto& [english, translation] : dictionary) {
        if (english.find('{') == english.npos) continue;
        SentencePattern pattern(english);
        if (pattern.places() > 0 && pattern.letters() >= kFewestLetters)
            made->patterns.push_back({std::move(pattern), SentencePattern(translation), is_around_others(english)});
    }
    made->dictionary = std::move(dictionary);
    made->of_findings = std::move(of_findings);
    sentences_ = std::move(made);
}

Result<Language> Language::load(const DataStore& store, std::string_view code) {
    Dictionary of_findings, all;
    if (code != "en") {
        for (const std::string& path : store.list(std::string(kTranslations) + std::string(code) + "/", ".json")) {
            TRY(read_translations(store, path, all));
            if (path.find(kOfConsole) == path.npos) TRY(read_translations(store, path, of_findings));
        }
    }
    Language out(std::move(all), std::move(of_findings));
    out.code_ = code;
    return out;
}

Language Language::with(const Dictionary& more) const {
    Dictionary all = sentences_->dictionary;
    for (const auto& [english, translation] : more) all[english] = translation;
    Language out(std::move(all), sentences_->of_findings);
    out.code_ = code_;
    return out;
}

std::string Language::text(std::string_view english) const {
    const auto known = sentences_->dictionary.find(english);
    return std::string(known == sentences_->dictionary.end() ? english : std::string_view(known->second));
}

std::string Language::said(std::string_view english) const {
    const auto known = sentences_->dictionary.find(english);
    if (known != sentences_->dictionary.end()) return known->second;
    const Pair* best = nullptr;
    std::vector<std::string> values;
    for (const Pair& pair : sentences_->patterns) {
        const auto weight = [](const Pair& one) { return std::pair(one.is_frame, one.english.letters()); };
        if (best != nullptr && weight(*best) >= weight(pair)) continue;
        auto found = pair.english.values_in(english);
        if (!found) continue;
        best = &pair;
        values = std::move(*found);
    }
    if (best == nullptr) return std::string(english);
    for (std::string& value : values) {
        // A name that is also a word of ours stays a name. A value is shorter than what it was found in.
        if (value.size() < english.size() && value.find(' ') != value.npos) value = said(value);
    }
    return best->translation.filled(best->english, values);
}

std::string Language::lines(std::string_view english) const {
    if (sentences_->dictionary.empty()) return std::string(english);
    std::string out;
    while (!english.empty()) {
        const std::size_t end = english.find('\n');
        const std::string_view line = english.substr(0, end);
        const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
        out += std::string(begin, ' ') + said(line.substr(begin));
        if (end == english.npos) break;
        out += '\n';
        english.remove_prefix(end + 1);
    }
    return out;
}

std::string Language::message(const Message& english) const { return english.text_in(sentences_->of_findings); }

std::string Language::said_of_name(std::string_view english) const {
    std::string out = said(english);
    const std::size_t colon = english.find(": ");
    if (out != english || colon == english.npos) return out;
    return std::string(english.substr(0, colon + 2)) + said_of_name(english.substr(colon + 2));
}

std::string Language::error_text(const Error& error) const {
    Error out = error;
    out.message = said_of_name(error.message);
    for (std::string& context : out.context) context = said(context);
    return out.text();
}

std::string Language::plural(std::uint64_t count, const std::string& one, const std::string& many) const {
    const std::string english = base::plural(count, one, many);
    return sentences_->dictionary.empty() ? english : said(english);
}

}  // namespace base
