#include "ckpt_convert/app/launcher.h"

#include <charconv>
#include <cstdlib>

#include "base/format.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {
namespace {

struct Launcher {
    std::string name;
    std::string rank;   // variables: the number of this worker, from 0
    std::string size;   // the number of workers
    std::string first;  // the number of the first worker, if that is not 0
};

constexpr auto record_of(const Launcher*) {
    using base::field;
    return base::record("launcher", "what starts several workers",
                        field("name", &Launcher::name, "what it is called").needed(),
                        field("rank", &Launcher::rank, "the variable with the number of this worker").needed(),
                        field("size", &Launcher::size, "the variable with the number of workers").needed(),
                        field("first", &Launcher::first, "the variable with the first worker's number, if not 0"));
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
    constexpr const char* kFile = "rules/launchers/launchers.json";
    TRY_ASSIGN(auto launchers, (read_rule_list<"launchers/1", "launchers", Launcher>(store, kFile)));
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
