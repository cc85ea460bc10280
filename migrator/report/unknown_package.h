// UnknownPackageRow: a package of which nothing is known, as a report has it.
#pragma once

#include <string>
#include <vector>

#include "base/record.h"

namespace migrator {

struct UnknownPackageRow {
    std::string package;  // as requirements name it; else the module
    bool is_imported = false;
    std::vector<std::string> places;  // "train.py", "requirements.txt:3"
};

constexpr auto record_of(const UnknownPackageRow*) {
    using U = UnknownPackageRow;
    return base::record(
        "unknown_package", "a package of which nothing is known",
        base::field("package", &U::package, "the distribution, as requirements name it; else the module").always(),
        base::field(
            "imported", &U::is_imported,
            "whether code imports a module of this name; else the package is only asked for, and what it brings "
            "may have other names")
            .always(),
        base::field("places", &U::places,
                    "every file that imports it, then every place that asks for it: `train.py`, `requirements.txt:3`")
            .always());
}

}  // namespace migrator
