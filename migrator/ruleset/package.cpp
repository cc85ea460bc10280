#include "migrator/ruleset/package.h"

#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

// `*-cu#`: every package with this ending, where `#` is a version: "cupy-cuda12x", "tensorrt-cu12-libs".
constexpr std::string_view kEnding = "*-";
constexpr char kVersion = '#';

// The name in front of the ending; empty when it is not there.
std::string_view name_before(std::string_view ending, std::string_view key) {
    ending.remove_prefix(1);
    ending.remove_suffix(1);
    const std::size_t at = key.find(ending);
    if (at == key.npos) return {};
    std::string_view rest = key.substr(at + ending.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    rest.remove_prefix(digits);
    if (rest.starts_with('x')) rest.remove_prefix(1);
    const bool is_version = (digits == 2 || digits == 3) && (rest.empty() || rest.starts_with('-'));
    return is_version ? key.substr(0, at) : std::string_view();
}

}  // namespace

std::string normalise_distribution(std::string_view name) {
    std::string out;
    for (char c : name) {
        bool separator = c == '-' || c == '_' || c == '.';
        if (separator && out.ends_with('-')) continue;
        out += separator ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

base::Status add(RuleSet& set, PackageRow row, const Adding& adding) {
    if (adding.status.empty()) return adding.place.error("a table of packages has a \"status\"");
    row.status = adding.status;
    return set.packages.add(std::move(row), adding.place);
}

base::Status PackageIndex::add(PackageRow row, const base::JsonPlace& at) {
    const bool is_beginning = row.name.ends_with('*');
    const std::string key =
        normalise_distribution(std::string_view(row.name).substr(0, row.name.size() - is_beginning));
    if (key.ends_with(kVersion) && !key.starts_with(kEnding))
        return at.error(base::format("\"{}\": an ending is written as \"*-cu#\" is", row.name));
    // Several distributions may bring the same module: the one of its name speaks for it, or else the first.
    for (const std::string& module : row.modules) {
        const bool same_name = normalise_distribution(module) == key;
        const auto [known, fresh] = package_modules_.emplace(module, key);
        if (!fresh && same_name) known->second = key;
    }
    const std::string name = row.name;
    if (!(is_beginning ? beginnings_ : packages_).emplace(key, std::move(row)).second)
        return at.error(base::format("there already is a package \"{}\"", name));
    return {};
}

const PackageRow* PackageIndex::of_module(std::string_view module) const {
    for (std::string_view at = module; !at.empty(); at = parent_module(at)) {
        const auto found = package_modules_.find(at);
        if (found != package_modules_.end()) return &packages_.find(found->second)->second;
    }
    return nullptr;
}

const PackageRow* PackageIndex::find(std::string_view distribution) const {
    const std::string key = normalise_distribution(distribution);
    if (const auto found = packages_.find(key); found != packages_.end()) return &found->second;
    for (std::size_t size = key.size(); size > 0; --size) {
        const auto found = beginnings_.find(std::string_view(key).substr(0, size));
        if (found != beginnings_.end()) return &found->second;
    }
    for (auto ending = packages_.lower_bound(kEnding); ending != packages_.end() && ending->first.starts_with(kEnding);
         ++ending) {
        const std::string_view name = name_before(ending->first, key);
        if (name.empty()) continue;
        // A build is what the package is, unless that is nothing to say.
        const PackageRow* row = find(name);
        const bool speaks = row != nullptr && !row->quiet && row->rule->severity > Severity::info;
        return speaks ? row : &ending->second;
    }
    return nullptr;
}

std::map<std::string, std::string> PackageIndex::status() const {
    std::map<std::string, std::string> out;
    for (const auto* rows : {&packages_, &beginnings_}) {
        // Of a row that speaks of many its rule tells.
        for (const auto& [key, row] : *rows) out[row.name] = out[row.rule->id] = row.status;
    }
    return out;
}

}  // namespace migrator
