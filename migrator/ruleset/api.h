// `api`: how the NPU supports the interfaces of the framework, by version of the framework (rules/api).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/rule/rule_word.h"
#include "migrator/rule/version.h"
#include "migrator/ruleset/library_table.h"

namespace migrator {

enum class ApiSupport { unknown, no, partly, yes };
std::string_view name(ApiSupport support);

// What a partly supported interface cannot do, in words; and, where a call shows it, the argument that decides.
struct ApiLimit {
    std::string text;
    std::string keyword;               // of the argument; empty: the call does not show it
    ByName<std::uint64_t> positions;   // where an interface takes it without the keyword
    std::vector<std::string> allowed;  // its values that are supported, as Python source text; empty: see the text
    bool optional = false;             // a call without the argument keeps to the limit
    bool minor = false;                // worth knowing, and nothing that fails

    base::Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const ApiLimit*) {
    return base::record(
        "limit", "what an interface cannot do", base::field("text", &ApiLimit::text, "in words").needed(),
        base::field("keyword", &ApiLimit::keyword, "of the argument that decides"),
        base::field("positions", &ApiLimit::positions, "interface to the position of that argument"),
        base::field("allowed", &ApiLimit::allowed, "its values that are supported, as Python source text"),
        base::field("optional", &ApiLimit::optional, "a call without it keeps to the limit"),
        base::field("minor", &ApiLimit::minor, "worth knowing, not said"));
}

// Values by the first version that they hold for, oldest first.
template <class T>
struct ByVersion {
    std::vector<std::pair<Version, T>> values;
};

struct ApiRow {
    std::string name;
    ByVersion<ApiSupport> support;
    ByVersion<std::vector<std::string>> dtypes;
    ByVersion<std::vector<std::string>> limits;  // codes
    bool quiet = false;
};
constexpr auto record_of(const ApiRow*) {
    return base::record(
        "api_row",
        "an interface of the framework; its values are by the first version that they hold for, or one for all",
        base::field("name", &ApiRow::name, "the interface").needed(),
        base::field("support", &ApiRow::support, "without it `yes`"),
        base::field("dtypes", &ApiRow::dtypes, "types of elements that it takes"),
        base::field("limits", &ApiRow::limits, "what it cannot do: names of `limits`"),
        base::field("quiet", &ApiRow::quiet, "works, although the pages say it is not supported all the same"));
}

class ApiTable {
public:
    base::Status add(const ByName<ApiLimit>& limits, const base::JsonPlace& at);
    base::Status add(std::vector<ApiRow> rows, const base::JsonPlace& at);

    struct Facts {
        ApiSupport support = ApiSupport::unknown;
        std::vector<std::string> dtypes;  // that are accepted; empty: not stated
        std::vector<const ApiLimit*> limits;
        bool quiet = false;  // works, although the pages say it is not supported: Python code around operators
    };
    // nullopt for a name that is not in the table.
    std::optional<Facts> find(std::string_view name, Version version) const;
    // The dtypes that an interface accepts in any version.
    std::vector<std::string> ever_accepted(std::string_view name) const;
    std::vector<std::string_view> names() const;  // of all rows, sorted
    // Every version at which a row changes, oldest first.
    std::vector<Version> versions() const;
    // Whether the name is one of a package that the rows speak of: "torch.zeros", and not "torch", which has rows in it.
    bool is_interface(std::string_view name) const;

private:
    ByName<ApiLimit> limits_;
    ByName<ApiRow> rows_;
};

// Interfaces that `apis` list: what a rule speaks of.
enum class ApiCase { no, partly, beyond_limit, wrong_dtype };
std::string_view name(ApiCase which);

// What is said of an interface in each case. nullptr: nothing.
struct ApiRules {
    const Rule* no = nullptr;
    const Rule* partly = nullptr;
    const Rule* beyond_limit = nullptr;
    const Rule* wrong_dtype = nullptr;

    const Rule*& of(ApiCase which);
};

// `library`: calls of functions that lead to an obstacle, by a result of `analyze --library`.
enum class LibraryCase { reaches };
constexpr std::string_view name(LibraryCase) { return "reaches"; }

base::Status add(RuleSet& set, LibraryCase which, const Adding& adding);
base::Status add(RuleSet& set, ApiCase which, const Adding& adding);
base::Status add(RuleSet& set, const ByName<ApiLimit>& limits, const base::JsonPlace& at);
base::Status add(RuleSet& set, std::vector<ApiRow> rows, const base::JsonPlace& at);

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::ApiSupport> = [] {
    using enum migrator::ApiSupport;
    return std::to_array({yes, partly, no, unknown});
}();
template <>
inline constexpr auto base::kAll<migrator::ApiCase> = [] {
    using enum migrator::ApiCase;
    return std::to_array({no, partly, beyond_limit, wrong_dtype});
}();

template <>
inline constexpr auto base::kAll<migrator::LibraryCase> = std::to_array({migrator::LibraryCase::reaches});

// A value, or an object of values by the first version that they hold for.
template <class T>
struct base::InJson<migrator::ByVersion<T>> {
    static Result<migrator::ByVersion<T>> read(const JsonPlace& at) {
        migrator::ByVersion<T> out;
        if (at.json.object() == nullptr) {
            TRY_ASSIGN(T value, read_json<T>(at));
            out.values.emplace_back(migrator::Version{}, std::move(value));
            return out;
        }
        for (const auto& [text, json] : *at.json.object()) {
            const auto version = migrator::Version::parse(text);
            if (!version) return at.error(format("\"{}\" is not a version such as 2.6", text));
            TRY_ASSIGN(T value, read_json<T>(at.at(text, json)));
            out.values.emplace_back(*version, std::move(value));
        }
        std::sort(out.values.begin(), out.values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        return out;
    }
    static void describe(SchemaWriter& out) {
        out.key("anyOf").begin_array();
        out.open_item();
        InJson<T>::describe(out);
        out.close();
        out.open_item().type("object").open("additionalProperties");
        InJson<T>::describe(out);
        out.close().close();
        out.end_list();
    }
};
