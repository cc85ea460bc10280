#include "migrator/project/plain_packages.h"

#include "migrator/ruleset/package.h"

namespace migrator {

base::Status PlainPackages::read_standard_library() {
    if (!python_modules_.empty()) return {};
    TRY_ASSIGN(const auto python,
               base::read_rule_record<StandardLibraryFile>(store_, "rules/packages/standard_library.json"));
    python_modules_.insert(python.modules.begin(), python.modules.end());
    for (const std::string& package : python.packages) python_packages_.insert(normalise_distribution(package));
    return {};
}

base::Status PlainPackages::read_packages() {
    if (!packages_.empty()) return {};
    TRY_ASSIGN(const auto plain, base::read_rule_record<PlainPackageFile>(store_, "rules/packages/plain.json"));
    for (const PlainPackageRow& row : plain.packages) {
        packages_.insert(normalise_distribution(row.package));
        modules_.insert(row.modules.begin(), row.modules.end());
        for (const std::string_view module : row.modules) {
            for (std::size_t dot = module.find('.'); dot != module.npos; dot = module.find('.', dot + 1))
                namespaces_.emplace(module.substr(0, dot));
        }
    }
    return {};
}

std::string_view PlainPackages::package_part(std::string_view qualified) const {
    std::size_t end = qualified.find('.');
    while (end != qualified.npos && namespaces_.contains(qualified.substr(0, end)) &&
           !modules_.contains(qualified.substr(0, end)))
        end = qualified.find('.', end + 1);
    return qualified.substr(0, end);
}

base::Result<bool> PlainPackages::has_module(std::string_view qualified) {
    TRY(read_standard_library());
    if (python_modules_.contains(qualified.substr(0, qualified.find('.')))) return true;
    TRY(read_packages());
    const std::string_view package = package_part(qualified);
    return modules_.contains(package) || namespaces_.contains(package);
}

base::Result<bool> PlainPackages::has_package(std::string_view distribution) {
    const std::string name = normalise_distribution(distribution);
    TRY(read_standard_library());
    if (python_packages_.contains(name)) return true;
    TRY(read_packages());
    return packages_.contains(name);
}

}  // namespace migrator
