// LibraryTable: functions of libraries that lead to something the NPU lacks, from the results of library mode
// (docs/reference/library-schema.md).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"

namespace migrator {

inline constexpr std::string_view kLibrarySchema = "migrator-library/1";

class LibraryTable {
public:
    // Adds a result. Strict: unknown keys and other schemas fail.
    base::Status add(const base::JsonDocument& document);

    // One way from a function to what the NPU lacks.
    struct Way {
        std::string subject;  // "torch.std_mean"
        std::string place;    // in the library: "lib/ops.py:8"
        std::string chain;    // "lib.f -> lib.ops.g -> torch.std_mean"
    };
    // nullptr for a function that leads to nothing, or of another library.
    const std::vector<Way>* find(std::string_view name) const;
    bool empty() const { return functions_.empty(); }

    struct Class {
        std::string name;
        std::string base;  // empty: not known
        std::vector<std::string> methods;
    };
    const std::vector<Class>& classes() const { return classes_; }

private:
    base::Status add_function(const base::JsonDocument& document, const base::Json& json);
    base::Status add_class(const base::JsonDocument& document, const base::Json& json);

    std::vector<std::vector<Way>> ways_;
    std::map<std::string, std::size_t, std::less<>> functions_;  // name -> place in ways_
    std::vector<Class> classes_;
};

}  // namespace migrator
