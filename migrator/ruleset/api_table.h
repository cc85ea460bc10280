// ApiTable: how the NPU supports the interfaces of the framework, by version of the framework (rules/api).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "migrator/ruleset/version.h"

namespace migrator {

enum class ApiSupport { unknown, no, partly, yes };

// What a partly supported interface cannot do, in words; and, where a call shows it, the argument that decides.
struct ApiLimit {
    std::string text;
    std::string keyword;                                        // of the argument; empty: the call does not show it
    std::map<std::string, std::size_t, std::less<>> positions;  // where an interface takes it without the keyword
    std::vector<std::string> allowed;  // its values that are supported, as Python source text; empty: see the text
    bool optional = false;             // a call without the argument keeps to the limit
    bool minor = false;                // worth knowing, and nothing that fails
};

class ApiTable {
public:
    // Adds a file's "limits" and "apis". Strict: unknown keys, codes and words and a second row of a name fail.
    base::Status add(const base::JsonDocument& document, const base::Json* limits, const base::Json* apis);

    struct Facts {
        ApiSupport support = ApiSupport::unknown;
        std::vector<std::string> dtypes;  // that are accepted; empty: not stated
        std::vector<const ApiLimit*> limits;
        bool quiet = false;  // the pages say no, and it works: Python code around operators
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
    // Values by the first version that they hold for, oldest first.
    template <class T>
    using ByVersion = std::vector<std::pair<Version, T>>;
    struct Row {
        ByVersion<ApiSupport> support;
        ByVersion<std::vector<std::string>> dtypes;
        ByVersion<std::vector<std::string>> limits;  // codes
        bool quiet = false;
    };
    base::Status add_limit(const base::JsonDocument& document, const std::string& code, const base::Json& json);
    base::Status add_row(const base::JsonDocument& document, const base::Json& json);

    std::map<std::string, ApiLimit, std::less<>> limits_;
    std::map<std::string, Row, std::less<>> rows_;
};

}  // namespace migrator
