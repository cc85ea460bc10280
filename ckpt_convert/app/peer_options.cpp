#include "ckpt_convert/app/peer_options.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/nearest_word.h"

namespace ckpt {
namespace {

struct OptionsFile : RuleFile<"peer-options/1"> {
    Named<PeerOption> options;
};
constexpr auto record_of(const OptionsFile* file) {
    return base::extended(record_of(static_cast<const RuleFile<"peer-options/1">*>(file)), "peer_options", "",
                          base::field("options", &OptionsFile::options, "by name").needed());
}

// The value that stands behind the option, in the same word or in the next.
std::optional<std::string> value_of(const std::vector<std::string>& words, const std::string& option) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].starts_with(option + "=")) return words[i].substr(option.size() + 1);
        if (words[i] == option && i + 1 < words.size()) return words[i + 1];
    }
    return std::nullopt;
}

void take_out(std::vector<std::string>& words, const std::string& option) {
    for (std::size_t i = 0; i < words.size();) {
        bool same_word = words[i].starts_with(option + "=");
        if (!same_word && words[i] != option) {
            ++i;
            continue;
        }
        auto begin = words.begin() + static_cast<std::ptrdiff_t>(i);
        words.erase(begin, begin + (same_word || i + 1 == words.size() ? 1 : 2));
    }
}

// `meaning`: options, each followed by its value.
Status add_meaning(std::vector<std::string>& words, const PeerOption& option, std::vector<std::string> meaning) {
    std::vector<std::string> parts;
    for (std::size_t i = 1; i < meaning.size(); i += 2) {
        if (!meaning[i].starts_with("{")) continue;
        parts.push_back(meaning[i].substr(1, meaning[i].size() - 2));
        auto value = value_of(words, parts.back());
        if (!value) return base::fail(ErrorKind::usage, base::format("{} needs {}", option.name, parts.back()));
        meaning[i] = *value;
    }
    for (const std::string& part : parts) take_out(words, part);
    for (std::size_t i = 0; i + 1 < meaning.size(); i += 2) {
        if (!value_of(words, meaning[i])) words.insert(words.end(), {meaning[i], meaning[i + 1]});
    }
    for (const auto& [needed, reason] : option.needs) {
        if (!value_of(words, needed))
            return base::fail(ErrorKind::usage, base::format("{} needs {}: {}", option.name, needed, reason));
    }
    return {};
}

}  // namespace

Status PeerOption::check(const base::JsonPlace& at) {
    const bool takes_values = is.empty() && sets.empty() && means.empty();
    if (means.empty() && takes_values != values_key.has_value())
        return at.error("\"values\" belongs to options that are neither others nor set");
    values = values_key.value_or(Values::none);
    auto ways =
        !no_effect.empty() + !unsupported.empty() + !is.empty() + !sets.empty() + !must_be.empty() + !means.empty();
    if (ways != 1) return at.error("an option is exactly one of what the file says that options are");
    return {};
}

Result<PeerOptions> PeerOptions::load(const base::DataStore& store) {
    PeerOptions out;
    for (const std::string& path : store.list("rules/options/", ".json")) {
        TRY_ASSIGN(OptionsFile file, base::read_rule_record<OptionsFile>(store, path));
        std::move(file.options.begin(), file.options.end(), std::back_inserter(out.options_));
    }
    return out;
}

std::string PeerOptions::names(const std::string& option) const {
    std::string out = option;
    for (const PeerOption& other : options_) {
        if (other.is == option) out += "," + other.name;
    }
    return out;
}

Result<std::vector<std::string>> PeerOptions::spelled_out(std::vector<std::string> words) const {
    for (const PeerOption& option : options_) {
        auto value = option.means.empty() ? std::nullopt : value_of(words, option.name);
        if (!value) continue;
        auto meaning = option.means.find(*value);
        if (meaning == option.means.end() && !option.values_key) continue;
        if (meaning == option.means.end()) {
            std::vector<std::string> known;
            for (const auto& [one, meant] : option.means) known.push_back(one);
            return base::fail(ErrorKind::usage, base::format("{}: \"{}\" is not a value{}", option.name, *value,
                                                             base::did_you_mean_or_all(*value, known)));
        }
        take_out(words, option.name);
        TRY(add_meaning(words, option, meaning->second));
    }
    return words;
}

}  // namespace ckpt
