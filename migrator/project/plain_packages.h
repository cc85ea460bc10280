// PlainPackages: packages and modules of Python without device code: rules/packages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/rule_file.h"
#include "base/string_map.h"

namespace migrator {

struct PlainPackageRow {
    std::string package;
    std::string version;
    std::vector<std::string> modules;
};
constexpr auto record_of(const PlainPackageRow*) {
    using P = PlainPackageRow;
    return base::record(
        "plain_package", "a package without device code",
        base::field("package", &P::package, "the distribution").needed(),
        base::field("version", &P::version, "that was looked at").needed(),
        base::field("modules", &P::modules, "that it brings; of a namespace, the part that is its own").needed());
}

struct PlainPackageFile : base::RuleFileHead {
    std::vector<PlainPackageRow> packages;
};
constexpr auto record_of(const PlainPackageFile*) {
    return base::extended(record_of(static_cast<const base::RuleFileHead*>(nullptr)), "plain_packages",
                          "packages without device code",
                          base::field("packages", &PlainPackageFile::packages, "sorted by name").needed());
}

struct StandardLibraryFile : base::RuleFileHead {
    std::vector<std::string> modules;
    std::vector<std::string> packages;
};
constexpr auto record_of(const StandardLibraryFile*) {
    using S = StandardLibraryFile;
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "standard_library", "what comes with Python",
        base::field("modules", &S::modules, "of its standard library, also of older versions").needed(),
        base::field("packages", &S::packages, "that Python itself is in environments of conda").needed());
}

// Each list is read when the first question needs it: most names are known before.
class PlainPackages {
public:
    // The store must outlive it.
    explicit PlainPackages(const base::DataStore& store) : store_(store) {}

    // `qualified`: what is imported: "click.testing"; also a namespace alone, such as "google". Fails with rule_data.
    base::Result<bool> has_module(std::string_view qualified);
    // Case, '-', '_' and '.' make no difference. Fails with rule_data.
    base::Result<bool> has_package(std::string_view distribution);

    // Of a module that it does not have, the part that is a package's own: "google.maps" of "google.maps.x", as other
    // packages bring google.* as well.
    std::string_view package_part(std::string_view qualified) const;

private:
    base::Status read_standard_library();
    base::Status read_packages();

    const base::DataStore& store_;
    base::StringSet python_modules_;
    base::StringSet python_packages_;
    base::StringSet modules_;
    base::StringSet namespaces_;
    base::StringSet packages_;  // normalised
};

}  // namespace migrator
