#include "migrator/ruleset/package.h"

#include "migrator/ruleset/rule_set.h"

namespace migrator {

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
    const std::string key = normalise_distribution(std::string_view(row.name).substr(0, row.name.find('*')));
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
    return nullptr;
}

std::map<std::string, std::string> PackageIndex::status() const {
    std::map<std::string, std::string> out;
    for (const auto& [key, row] : packages_) out[row.name] = row.status;
    for (const auto& [key, row] : beginnings_) out[row.name] = row.status;
    return out;
}

}  // namespace migrator
