#include "migrator/project/unknown_packages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/format.h"
#include "migrator/match/required_packages.h"
#include "migrator/project/plain_packages.h"

namespace migrator {
namespace {

using base::Path;

// Files that list packages of Python. Scripts and images install those of systems as well.
bool lists_packages(FileType type) {
    return type == FileType::requirements || type == FileType::toml || type == FileType::setup_cfg ||
           type == FileType::yaml;
}

std::string_view first_part(std::string_view qualified) { return qualified.substr(0, qualified.find('.')); }

class UnknownPackages {
public:
    explicit UnknownPackages(const Knowledge& knowledge) : rules_(knowledge.rules), plain_(knowledge.store) {}

    base::Status add(base::FileSystem& fs, const Project& project) {
        const base::StringSet own = own_packages(project);
        TRY(add_imports(project, own));
        for (const FoundFile& found : project.files.files) {
            constexpr std::uint64_t kMostBytes = 4 << 20;
            if (!found.analysed || !lists_packages(found.type) || found.bytes > kMostBytes) continue;
            auto bytes = project.read(fs, found.path);
            // Most files of YAML are settings.
            if (!bytes || (found.type == FileType::yaml && bytes->find("dependencies") == bytes->npos)) continue;
            const SourceFile file = make_source_file(found.path, found.type, std::move(*bytes), found.mode);
            if (!file.problem) TRY(add_requirements(file, project, own));
        }
        return {};
    }

    std::vector<UnknownPackageRow> take() && {
        std::vector<UnknownPackageRow> out;
        for (auto& [name, row] : rows_) out.push_back(std::move(row));
        std::stable_partition(out.begin(), out.end(), [](const UnknownPackageRow& row) { return row.is_imported; });
        return out;
    }

private:
    base::Status add_imports(const Project& project, const base::StringSet& own) {
        std::unordered_map<std::string_view, UnknownPackageRow*> rows;
        for (const auto& [file, qualified] : project.imports.external()) {
            if (qualified.starts_with('.')) continue;  // of a package that is not there
            const auto [found, fresh] = rows.emplace(qualified, nullptr);
            if (fresh && !own.contains(normalise_distribution(first_part(qualified)))) {
                TRY_ASSIGN(const bool known, is_known_module(qualified));
                if (!known) found->second = &imported_row(plain_.package_part(qualified));
            }
            if (found->second != nullptr) add_place(*found->second, project.shown(Path(file)));
        }
        return {};
    }

    UnknownPackageRow& imported_row(std::string_view package) {
        UnknownPackageRow& row = rows_[normalise_distribution(package)];
        if (row.package.empty()) row.package = package;
        row.is_imported = true;
        return row;
    }

    base::Status add_requirements(const SourceFile& file, const Project& project, const base::StringSet& own) {
        std::optional<base::LineIndex> lines;
        for (const RequiredPackage& package : required_packages(file, rules_)) {
            const std::string name = normalise_distribution(package.name);
            if (!package.is_listed || own.contains(name)) continue;
            TRY_ASSIGN(const bool known, is_known_package(name));
            if (known) continue;
            if (!lines) lines.emplace(file.text);
            UnknownPackageRow& row = rows_[name];
            row.package = package.name;
            add_place(row, base::format("{}:{}", project.shown(file.path), lines->position(package.place.begin).line));
        }
        return {};
    }

    static void add_place(UnknownPackageRow& row, std::string place) {
        if (row.places.empty() || row.places.back() != place) row.places.push_back(std::move(place));
    }

    // What the project may import as its own, wherever it lies: each outermost package, and each module in none.
    static base::StringSet own_packages(const Project& project) {
        base::StringSet out;
        for (const std::string& module : project.modules.all()) out.insert(normalise_distribution(first_part(module)));
        for (const FoundFile& file : project.files.files) {
            if (file.type == FileType::python)
                out.insert(normalise_distribution(project.imports.outermost_name(file.path)));
        }
        return out;
    }

    base::Result<bool> is_known_module(std::string_view qualified) {
        if (rules_.packages.of_module(qualified) != nullptr) return true;
        const std::string_view last = qualified.substr(qualified.rfind('.') + 1);
        const bool has_rule = std::ranges::any_of(rules_.imports, [&](const ImportRow& row) {
            return std::ranges::any_of(row.all, [&](const std::string& pattern) {
                return fits(pattern, last) || fits(pattern, first_part(qualified));
            });
        });
        if (has_rule) return true;
        return plain_.has_module(qualified);
    }

    base::Result<bool> is_known_package(std::string_view name) {
        if (rules_.packages.find(name) != nullptr || rules_.is_framework(name)) return true;
        return plain_.has_package(name);
    }

    const RuleSet& rules_;
    PlainPackages plain_;
    std::map<std::string, UnknownPackageRow> rows_;  // by normalised distribution
};

}  // namespace

base::Result<std::vector<UnknownPackageRow>> unknown_packages(base::FileSystem& fs,
                                                              const std::vector<Project>& projects,
                                                              const Knowledge& knowledge) {
    UnknownPackages out(knowledge);
    for (const Project& project : projects) TRY(out.add(fs, project));
    return std::move(out).take();
}

}  // namespace migrator
