#include "migrator/ruleset/api_table.h"

#include <algorithm>

#include "base/format.h"

namespace migrator {
namespace {

using Strings = std::vector<std::string>;

// The value that holds for a version: that of the last entry which is not newer; T{} in front of the first.
template <class T>
T at_version(const std::vector<std::pair<Version, T>>& values, Version version) {
    T out{};
    for (const auto& [since, value] : values) {
        if (since <= version) out = value;
    }
    return out;
}

// A value, or an object of values by the first version that they hold for.
template <class T, class Read>
base::Result<std::vector<std::pair<Version, T>>> by_version(base::JsonObject& row, std::string_view key, Read read) {
    std::vector<std::pair<Version, T>> out;
    const base::Json* json = row.optional(key);
    if (json == nullptr) return out;
    if (json->object() == nullptr) {
        TRY_ASSIGN(T value, read(row, key));
        out.emplace_back(Version{}, std::move(value));
        return out;
    }
    TRY_ASSIGN(auto versions, base::JsonObject::of(row.document(), *json));
    for (const auto& [text, value] : versions.members()) {
        const auto version = Version::parse(text);
        if (!version) return versions.error(base::format("\"{}\" is no version such as 2.6", text));
        TRY_ASSIGN(T read_value, read(versions, text));
        out.emplace_back(*version, std::move(read_value));
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return out;
}

base::Result<ApiSupport> read_support(base::JsonObject& object, std::string_view key) {
    TRY_ASSIGN(const std::string word, object.string(key));
    if (word == "yes") return ApiSupport::yes;
    if (word == "partly") return ApiSupport::partly;
    if (word == "no") return ApiSupport::no;
    if (word == "unknown") return ApiSupport::unknown;
    return object.error(
        base::format("\"{}\" is \"{}\", which is not one of \"yes\", \"partly\", \"no\", \"unknown\"", key, word));
}

base::Result<Strings> read_strings(base::JsonObject& object, std::string_view key) { return object.strings(key); }

}  // namespace

base::Status ApiTable::add(const base::JsonDocument& document, const base::Json* limits, const base::Json* apis) {
    if (limits != nullptr) {
        TRY_ASSIGN(auto codes, base::JsonObject::of(document, *limits));
        for (const auto& [code, json] : codes.members()) TRY(add_limit(document, code, json));
    }
    if (apis == nullptr) return {};
    if (apis->array() == nullptr)
        return base::fail(base::ErrorKind::rule_data, "\"apis\" must be a list of objects", document.where(*apis));
    for (const base::Json& json : *apis->array()) TRY(add_row(document, json));
    return {};
}

base::Status ApiTable::add_limit(const base::JsonDocument& document, const std::string& code, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    ApiLimit limit;
    TRY_ASSIGN(limit.text, object.string("text"));
    TRY_ASSIGN(limit.keyword, object.string_or("keyword", {}));
    TRY_ASSIGN(limit.allowed, object.strings("allowed"));
    if (const base::Json* positions = object.optional("positions")) {
        TRY_ASSIGN(auto by_name, base::JsonObject::of(document, *positions));
        for (const auto& [name, value] : by_name.members()) {
            TRY_ASSIGN(const std::int64_t position, by_name.integer(name));
            if (position < 0) return by_name.error("\"positions\" count from 0, without self");
            limit.positions[name] = static_cast<std::size_t>(position);
        }
    }
    TRY_ASSIGN(limit.minor, object.boolean_or("minor", false));
    TRY_ASSIGN(limit.optional, object.boolean_or("optional", false));
    if (limit.keyword.empty() && (!limit.allowed.empty() || limit.optional || !limit.positions.empty()))
        return object.error("\"allowed\", \"positions\" and \"optional\" are about a \"keyword\"");
    if (!limits_.emplace(code, std::move(limit)).second)
        return object.error(base::format("there already is a limit \"{}\"", code));
    return object.finish();
}

base::Status ApiTable::add_row(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    Row row;
    TRY_ASSIGN(const std::string name, object.string("name"));
    TRY_ASSIGN(row.support, by_version<ApiSupport>(object, "support", read_support));
    if (row.support.empty()) row.support.emplace_back(Version{}, ApiSupport::yes);
    TRY_ASSIGN(row.dtypes, by_version<Strings>(object, "dtypes", read_strings));
    TRY_ASSIGN(row.limits, by_version<Strings>(object, "limits", read_strings));
    TRY_ASSIGN(row.quiet, object.boolean_or("quiet", false));
    for (const auto& [version, codes] : row.limits) {
        for (const std::string& code : codes) {
            if (!limits_.contains(code)) return object.error(base::format("there is no limit \"{}\"", code));
        }
    }
    if (!rows_.emplace(name, std::move(row)).second)
        return object.error(base::format("there already is a row for \"{}\"", name));
    return object.finish();
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
    for (const auto& [since, dtypes] : found->second.dtypes) out.insert(out.end(), dtypes.begin(), dtypes.end());
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
        for (const auto& [since, support] : row.support) {
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
