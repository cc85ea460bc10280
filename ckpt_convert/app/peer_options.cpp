#include "ckpt_convert/app/peer_options.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "base/json_object.h"
#include "base/rule_file.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Json;
using base::JsonDocument;
using base::JsonObject;
using base::Result;
using base::Status;

constexpr const char* kOptionsFolder = "rules/options/";
constexpr const char* kOptionsSchema = "peer-options/1";

Result<Values> read_values(JsonObject& object, const PeerOption& option) {
    TRY_ASSIGN(std::string values, object.string_or("values", ""));
    bool no_value = !option.is.empty() || !option.sets.empty();
    if (no_value != values.empty())
        return object.error("\"values\" belongs to options that are neither others nor set");
    if (values.empty() || values == "none") return Values::none;
    if (values == "one") return Values::one;
    if (values == "many") return Values::many;
    return object.error("\"values\" must be \"none\", \"one\" or \"many\"");
}

Status read_meaning(const JsonDocument& document, JsonObject& object, PeerOption& option) {
    const Json* means = object.optional("means");
    if (means == nullptr) return {};
    TRY_ASSIGN(JsonObject by_value, JsonObject::of(document, *means));
    for (const auto& [value, words] : by_value.members()) {
        TRY_ASSIGN(option.means[value], by_value.strings(value));
    }
    const Json* needs = object.optional("needs");
    if (needs == nullptr) return {};
    TRY_ASSIGN(JsonObject needed, JsonObject::of(document, *needs));
    for (const auto& [name, reason] : needed.members()) {
        TRY_ASSIGN(std::string why, needed.string(name));
        option.needs.emplace_back(name, std::move(why));
    }
    return {};
}

Result<PeerOption> read_option(const JsonDocument& document, const std::string& name, const Json& json) {
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, json));
    PeerOption option;
    option.name = name;
    TRY_ASSIGN(option.no_effect, object.string_or("no_effect", ""));
    TRY_ASSIGN(option.unsupported, object.string_or("unsupported", ""));
    TRY_ASSIGN(option.is, object.string_or("is", ""));
    TRY_ASSIGN(option.sets, object.string_or("sets", ""));
    TRY_ASSIGN(option.must_be, object.string_or("must_be", ""));
    TRY(read_meaning(document, object, option));
    TRY_ASSIGN(option.values, read_values(object, option));
    auto ways = !option.no_effect.empty() + !option.unsupported.empty() + !option.is.empty() + !option.sets.empty() +
                !option.must_be.empty() + !option.means.empty();
    if (ways != 1) return object.error("an option is exactly one of what the file says that options are");
    TRY(object.finish());
    return option;
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

Result<PeerOptions> PeerOptions::load(const base::DataStore& store) {
    PeerOptions out;
    for (const std::string& path : store.list(kOptionsFolder, ".json")) {
        TRY_ASSIGN(JsonDocument document, base::read_rule_file(store, path));
        TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
        TRY_ASSIGN(std::string schema, object.string("schema"));
        if (schema != kOptionsSchema) return object.error(base::format("the schema must be \"{}\"", kOptionsSchema));
        TRY(object.string("about"));
        TRY(object.strings("source"));
        TRY_ASSIGN(const Json* options, object.required("options"));
        TRY_ASSIGN(JsonObject by_name, JsonObject::of(document, *options));
        for (const auto& [name, json] : by_name.members()) {
            TRY_ASSIGN(PeerOption option, read_option(document, name, json));
            out.options_.push_back(std::move(option));
        }
        TRY(object.finish());
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
        if (meaning == option.means.end()) {
            std::vector<std::string> known;
            for (const auto& [one, meant] : option.means) known.push_back(one);
            return base::fail(ErrorKind::usage, base::format("{}: there is no \"{}\"; known: {}", option.name, *value,
                                                             base::joined(known, ", ")));
        }
        take_out(words, option.name);
        TRY(add_meaning(words, option, meaning->second));
    }
    return words;
}

}  // namespace ckpt
