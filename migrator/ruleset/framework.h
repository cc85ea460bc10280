// What the rules are about: a package under each of its names, and the versions of it that are known.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

struct Framework {
    std::vector<std::string> packages;
    std::vector<std::string> loaded_by;  // modules whose import loads it, its own first: "torch", "torchvision"
    std::vector<Version> versions;
    std::string source;

    Version newest() const;  // 0.0 when none is known
};

constexpr auto record_of(const Framework*) {
    return base::record(
        "framework", "what the rules are about",
        base::field("packages", &Framework::packages, "its names in requirements").needed(),
        base::field("loaded_by", &Framework::loaded_by,
                    "modules whose import loads it: files that import one of these, or files of the project that do, "
                    "count as importing it")
            .needed(),
        base::field("versions", &Framework::versions, "that are known").needed(),
        base::field("source", &Framework::source, "where the facts come from").needed());
}

base::Status add(RuleSet& set, Framework framework, const base::JsonPlace& at);

}  // namespace migrator

template <>
struct base::InJson<migrator::Version> {
    static Result<migrator::Version> read(const JsonPlace& at);
    static void describe(SchemaWriter& out) { out.type("string"); }
};
