#include "migrator/match/requirement.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/python/python_file.h"

namespace migrator {
namespace {

bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
}

std::string_view leading_name(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && is_name(text[end])) ++end;
    return text.substr(0, end);
}

// The last part of a URL or path, up to what follows the name of a distribution in it.
std::optional<std::string_view> package_of_location(std::string_view text) {
    std::size_t egg = text.find("#egg=");
    if (egg != text.npos) return leading_name(text.substr(egg + 5));
    std::string_view path = text.substr(0, text.find_first_of("#?;"));
    std::size_t scheme = path.find("://");
    // git+https://host/owner/name.git@tag
    std::size_t at = path.find('@', scheme == path.npos ? 0 : path.find('/', scheme + 3));
    if (at != path.npos) path = path.substr(0, at);
    while (path.ends_with('/')) path.remove_suffix(1);
    std::string_view last = path.substr(path.rfind('/') + 1);
    if (last.ends_with(".whl")) return last.substr(0, last.find('-'));
    if (last.ends_with(".git")) last.remove_suffix(4);
    if (last.empty() || last.find_first_of("*${") != last.npos) return std::nullopt;
    return leading_name(last);
}

}  // namespace

std::optional<std::string_view> required_package(std::string_view text) {
    text = base::trimmed(text, " \t\r");
    if (text.empty() || text.starts_with('#')) return std::nullopt;
    for (std::string_view option : {"-e ", "--editable ", "--editable="}) {
        if (text.starts_with(option)) return required_package(text.substr(option.size()));
    }
    if (text.starts_with('-') || text.starts_with('$')) return std::nullopt;
    std::string_view name = leading_name(text);
    std::string_view rest = base::trimmed(text.substr(name.size()), " \t\r");
    bool is_requirement =
        !name.empty() && name != "." && name != ".." &&
        (rest.empty() || std::string_view("<>=!~;[@(,#").find(rest.front()) != std::string_view::npos);
    if (is_requirement && !name.ends_with(".whl")) return name;
    if (text.find('/') != text.npos || name.ends_with(".whl")) return package_of_location(text);
    return std::nullopt;
}

Finding package_finding(const PackageRow& row, base::ByteRange place, std::string_view name) {
    Finding finding =
        make_finding(*row.rule, place, std::string(name), Certainty::resolved, {}, row.advice, row.source);
    finding.effort = row.effort;
    return finding;
}

std::optional<Finding> package_finding(const RuleSet& rules, std::string_view package, base::ByteRange place) {
    const PackageRow* row = rules.packages.find(package);
    if (row == nullptr || row->quiet) return std::nullopt;
    // A row may speak of many, and of a package in all its builds.
    const bool is_its_own = normalise_distribution(package) == normalise_distribution(row->name);
    return package_finding(*row, place, is_its_own ? row->name : package);
}

}  // namespace migrator
