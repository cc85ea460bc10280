#include "migrator/ruleset/api.h"

#include <algorithm>

#include "base/check.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

// The value that holds for a version: that of the last entry which is not newer; T{} in front of the first.
template <class T>
T at_version(const ByVersion<T>& by_version, Version version) {
    T out{};
    for (const auto& [since, value] : by_version.values) {
        if (since <= version) out = value;
    }
    return out;
}

}  // namespace

std::string_view name(ApiSupport support) {
    switch (support) {
        case ApiSupport::unknown: return "unknown";
        case ApiSupport::no: return "no";
        case ApiSupport::partly: return "partly";
        case ApiSupport::yes: return "yes";
    }
    CHECK(false);
    return {};
}

std::string_view name(ApiCase which) {
    switch (which) {
        case ApiCase::no: return "no";
        case ApiCase::partly: return "partly";
        case ApiCase::beyond_limit: return "beyond_limit";
        case ApiCase::wrong_dtype: return "wrong_dtype";
    }
    CHECK(false);
    return {};
}

const Rule*& ApiRules::of(ApiCase which) {
    switch (which) {
        case ApiCase::no: return no;
        case ApiCase::partly: return partly;
        case ApiCase::beyond_limit: return beyond_limit;
        case ApiCase::wrong_dtype: return wrong_dtype;
    }
    CHECK(false);
    return no;
}

base::Status add(RuleSet& set, ApiCase which, const Adding& adding) {
    const Rule*& rule = set.api_rules.of(which);
    if (rule != nullptr)
        return adding.place.error(base::format("\"{}\" is already covered by the rule \"{}\"", name(which), rule->id));
    rule = adding.rule;
    return {};
}

base::Status add(RuleSet& set, LibraryCase, const Adding& adding) {
    if (set.library_rule != nullptr)
        return adding.place.error(
            base::format("\"library\" is already covered by the rule \"{}\"", set.library_rule->id));
    set.library_rule = adding.rule;
    return {};
}

base::Status add(RuleSet& set, const ByName<ApiLimit>& limits, const base::JsonPlace& at) {
    return set.apis.add(limits, at);
}
base::Status add(RuleSet& set, std::vector<ApiRow> rows, const base::JsonPlace& at) {
    return set.apis.add(std::move(rows), at);
}

base::Status ApiLimit::check(const base::JsonPlace& at) const {
    if (keyword.empty() && (!allowed.empty() || optional || !positions.empty()))
        return at.error("\"allowed\", \"positions\" and \"optional\" are about a \"keyword\"");
    return {};
}

base::Status ApiTable::add(const ByName<ApiLimit>& limits, const base::JsonPlace& at) {
    for (const auto& [code, limit] : limits) {
        if (!limits_.emplace(code, limit).second)
            return at.error(base::format("there already is a limit \"{}\"", code));
    }
    return {};
}

base::Status ApiTable::add(std::vector<ApiRow> rows, const base::JsonPlace& at) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ApiRow& row = rows[i];
        const base::JsonPlace place = at.at(at.key, (*at.json.array())[i]);
        if (row.support.values.empty()) row.support.values.emplace_back(Version{}, ApiSupport::yes);
        for (const auto& [version, codes] : row.limits.values) {
            for (const std::string& code : codes) {
                if (!limits_.contains(code)) return place.error(base::format("there is no limit \"{}\"", code));
            }
        }
        const std::string name = row.name;
        if (!rows_.emplace(name, std::move(row)).second)
            return place.error(base::format("there already is a row for \"{}\"", name));
    }
    return {};
}

bool ApiTable::is_interface(std::string_view name) const {
    if (rows_.contains(name)) return true;
    const auto has_below = [&](const std::string& module) {
        const auto at = rows_.lower_bound(module);
        return at != rows_.end() && at->first.starts_with(module);
    };
    return has_below(std::string(name.substr(0, name.find('.') + 1))) && name.find('.') != name.npos &&
           !has_below(std::string(name) + ".");
}

std::vector<std::string> ApiTable::ever_accepted(std::string_view name) const {
    std::vector<std::string> out;
    const auto found = rows_.find(name);
    if (found == rows_.end()) return out;
    for (const auto& [since, dtypes] : found->second.dtypes.values) out.insert(out.end(), dtypes.begin(), dtypes.end());
    return out;
}

std::vector<std::string_view> ApiTable::names() const {
    std::vector<std::string_view> out;
    for (const auto& [name, row] : rows_) out.push_back(name);
    return out;
}

std::vector<Version> ApiTable::versions() const {
    std::vector<Version> out;
    for (const auto& [name, row] : rows_) {
        for (const auto& [since, support] : row.support.values) {
            if (since != Version{}) out.push_back(since);
        }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::optional<ApiTable::Facts> ApiTable::find(std::string_view name, Version version) const {
    const auto found = rows_.find(name);
    if (found == rows_.end()) return std::nullopt;
    Facts out;
    out.support = at_version(found->second.support, version);
    out.dtypes = at_version(found->second.dtypes, version);
    out.quiet = found->second.quiet;
    for (const std::string& code : at_version(found->second.limits, version)) out.limits.push_back(&limits_.at(code));
    return out;
}

}  // namespace migrator
