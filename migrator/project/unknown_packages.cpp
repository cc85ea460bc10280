#include "migrator/project/unknown_packages.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/format.h"
#include "migrator/match/required_packages.h"
#include "migrator/project/own_packages.h"
#include "migrator/project/plain_packages.h"
#include "migrator/source/notebook.h"

namespace migrator {
namespace {

using base::Path;

bool lists_packages(const FoundFile& file) {
    using enum FileType;
    constexpr std::array kTypes{requirements, toml, setup_cfg, yaml, shell, script, dockerfile, makefile, notebook};
    return base::contains(kTypes, file.type) || base::file_name(file.path) == "setup.py";
}

// Of a notebook the commands of a shell in it; empty: none, or nothing that can be read.
SourceFile listing_of(const FoundFile& found, std::string bytes) {
    SourceFile file = make_source_file(found.path, found.type, std::move(bytes), found.mode);
    if (found.type != FileType::notebook || file.problem) return file;
    const auto code = NotebookCode::read(file.text, found.path);
    file.type = FileType::shell;
    file.text = code ? code->shell().text() : "";
    return file;
}

bool is_notebook(const SourceFile& file) { return file_type_of(file.path) == FileType::notebook; }

std::string_view first_part(std::string_view qualified) { return qualified.substr(0, qualified.find('.')); }

class UnknownPackages {
public:
    explicit UnknownPackages(const Knowledge& knowledge)
        : rules_(knowledge.rules), store_(knowledge.store), plain_(store_) {}

    base::Status add(base::FileSystem& fs, const Project& project) {
        TRY_ASSIGN(OwnPackages own, OwnPackages::find(fs, project, store_));
        TRY(add_imports(project, own));
        for (const FoundFile& found : project.files.files) {
            constexpr std::uint64_t kMostBytes = 4 << 20;
            if (!found.analysed || !lists_packages(found) || found.bytes > kMostBytes) continue;
            auto bytes = project.read(fs, found.path);
            // Most files of YAML are settings.
            if (!bytes || (found.type == FileType::yaml && bytes->find("dependencies") == bytes->npos)) continue;
            const SourceFile file = listing_of(found, std::move(*bytes));
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
    base::Status add_imports(const Project& project, OwnPackages& own) {
        std::unordered_map<std::string_view, UnknownPackageRow*> rows;
        for (const auto& [file, qualified] : project.imports.external()) {
            if (qualified.starts_with('.')) continue;  // of a package that is not there
            const auto [found, fresh] = rows.emplace(qualified, nullptr);
            if (fresh) {
                TRY_ASSIGN(const bool known, is_known_module(qualified));
                if (!known && !own.contains(first_part(qualified)))
                    found->second = &imported_row(plain_.package_part(qualified));
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

    base::Status add_requirements(const SourceFile& file, const Project& project, OwnPackages& own) {
        std::optional<base::LineIndex> lines;
        for (const RequiredPackage& package : required_packages(file, rules_)) {
            const std::string name = normalise_distribution(package.name);
            if (!package.is_listed) continue;
            TRY_ASSIGN(const bool known, is_known_package(name));
            if (known || own.contains(name)) continue;
            if (!lines) lines.emplace(file.text);
            UnknownPackageRow& row = rows_[name];
            row.package = package.name;
            const auto line = lines->position(package.place.begin).line;
            const base::Path shown = project.shown(file.path);
            // Lines of a notebook's commands are none of its file.
            add_place(row, is_notebook(file) ? shown : base::format("{}:{}", shown, line));
        }
        return {};
    }

    static void add_place(UnknownPackageRow& row, std::string place) {
        if (row.places.empty() || row.places.back() != place) row.places.push_back(std::move(place));
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
    const base::DataStore& store_;
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
