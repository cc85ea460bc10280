#include "ckpt_convert/app/launcher.h"

#include <charconv>
#include <cstdlib>

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

constexpr const char* kFile = "rules/launchers/launchers.json";
constexpr const char* kSchema = "launchers/1";

struct Launcher {
    std::string name;
    std::string rank;   // variables: the number of this worker, from 0
    std::string size;   // the number of workers
    std::string first;  // the number of the first worker, if that is not 0
};

Result<std::vector<Launcher>> load_launchers(const base::DataStore& store) {
    TRY_ASSIGN(JsonDocument document, base::read_rule_file(store, kFile));
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
    TRY_ASSIGN(std::string schema, object.string("schema"));
    if (schema != kSchema) return object.error(base::format("\"schema\" must be \"{}\"", kSchema));
    TRY(object.strings("source"));
    TRY_ASSIGN(const Json* list, object.required("launchers"));
    if (list->array() == nullptr) return object.error(*list, "\"launchers\" must be a list");
    std::vector<Launcher> out;
    for (const Json& json : *list->array()) {
        TRY_ASSIGN(JsonObject entry, JsonObject::of(document, json));
        Launcher launcher;
        TRY_ASSIGN(launcher.name, entry.string("name"));
        TRY_ASSIGN(launcher.rank, entry.string("rank"));
        TRY_ASSIGN(launcher.size, entry.string("size"));
        TRY_ASSIGN(launcher.first, entry.string_or("first", ""));
        TRY(entry.finish());
        out.push_back(std::move(launcher));
    }
    TRY(object.finish());
    return out;
}

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

std::optional<std::uint32_t> variable(const Environment& environment, const std::string& name) {
    const char* text = environment(name.c_str());
    return text == nullptr ? std::nullopt : number(text);
}

Result<std::optional<Shard>> from_launcher(const base::DataStore& store, const Environment& environment) {
    TRY_ASSIGN(auto launchers, load_launchers(store));
    std::vector<std::string> sizes;
    for (const Launcher& launcher : launchers) {
        sizes.push_back(launcher.size);
        auto rank = variable(environment, launcher.rank), size = variable(environment, launcher.size);
        if (!rank || !size || *size < 2) continue;
        std::uint32_t first = launcher.first.empty() ? 0 : variable(environment, launcher.first).value_or(0);
        // A part of an array that runs again has numbers that begin elsewhere, and is not the whole.
        if (first > 1 || *rank < first || *rank - first >= *size) {
            return base::fail(ErrorKind::usage,
                              base::format("--shard auto: {} is {} of {} workers that begin with {}; say which shard "
                                           "this is, for example --shard {}/16",
                                           launcher.rank, *rank, *size, first, *rank));
        }
        return std::optional(Shard{*rank - first + 1, *size});
    }
    return base::fail(ErrorKind::usage,
                      base::format("--shard auto: no launcher has started several workers (looked for {}); say which "
                                   "shard this is, for example --shard 3/16",
                                   base::joined(sizes, ", ")));
}

}  // namespace

Environment process_environment() {
    return [](const char* name) { return std::getenv(name); };
}

Result<std::optional<Shard>> shard_of(const base::DataStore& store, const std::string& text,
                                      const Environment& environment) {
    constexpr std::uint32_t kMostShards = 65536;
    if (text.empty()) return std::optional<Shard>();
    if (text == "auto") return from_launcher(store, environment);
    std::size_t slash = text.find('/');
    std::uint32_t index = number(std::string_view(text).substr(0, slash)).value_or(0);
    std::uint32_t count = slash == text.npos ? 0 : number(std::string_view(text).substr(slash + 1)).value_or(0);
    if (index < 1 || index > count || count > kMostShards) {
        return base::fail(ErrorKind::usage,
                          base::format("--shard: \"{}\" is neither I/N with I from 1 to N, nor auto", text));
    }
    return std::optional(Shard{index, count});
}

}  // namespace ckpt
