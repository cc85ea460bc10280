// Tables of packages: a distribution and the modules it brings.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

struct PackageRow {
    const Rule* rule = nullptr;
    std::string name;
    std::vector<std::string> modules;
    std::string status{};
    std::string advice;
    std::string source;
    Effort effort = Effort::none;
    bool quiet = false;  // known, and nothing to say about
};

constexpr auto record_of(const PackageRow*) {
    return base::record(
        "package_row", "a package on Ascend",
        base::field("package", &PackageRow::name,
                    "the distribution, as requirements name it, or a package of conda or of the system; may end "
                    "in `*`")
            .needed(),
        base::field("modules", &PackageRow::modules, "that it brings"),
        base::field("advice", &PackageRow::advice, "the `{note}` of the message"),
        base::field("source", &PackageRow::source, "where the fact comes from, if not from the table's source"),
        base::field("effort", &PackageRow::effort, "as of a rule"),
        base::field("quiet", &PackageRow::quiet, "known, and nothing to say"));
}

class PackageIndex {
public:
    base::Status add(PackageRow row, const base::JsonPlace& at);

    // By module: the longest listed one that `module` is or is in ("nvidia.dali" before "nvidia").
    const PackageRow* of_module(std::string_view module) const;
    // By distribution, as requirements spell it: case, '-', '_' and '.' make no difference. Of those that end in `*` the
    // longest counts.
    const PackageRow* find(std::string_view distribution) const;
    // Distribution -> status ("native", "ascend_fork" ...), for the report's table.
    std::map<std::string, std::string> status() const;

private:
    ByName<PackageRow> packages_;          // by normalised distribution
    ByName<PackageRow> beginnings_;        // without the `*` behind them
    ByName<std::string> package_modules_;  // module -> normalised distribution
};

// "Flash_Attn" -> "flash-attn": how package names are compared.
std::string normalise_distribution(std::string_view name);

base::Status add(RuleSet& set, PackageRow row, const Adding& adding);

}  // namespace migrator
