#include "tests/unit/migrator/rules/case_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/file_system.h"
#include "base/format.h"
#include "base/write_file.h"
#include "migrator/project/project_conditions.h"
#include "migrator/project/training_reach.h"
#include "migrator/semantic/project_index.h"
#include "migrator/source/discovery.h"

namespace test {
namespace {

template <class T, class... Options>
T load(Options... options) {
    static base::DataStore store;
    auto loaded = T::load(store, options...);
    if (!loaded) throw std::runtime_error(loaded.error().text());
    return std::move(*loaded);
}

// "pkg/mod.py" -> "pkg.mod"; "pkg/__init__.py" -> "pkg"
std::string module_of(std::string path) {
    path.resize(path.size() - 3);
    std::replace(path.begin(), path.end(), '/', '.');
    if (path.ends_with(".__init__")) path.resize(path.size() - 9);
    return path;
}

void list_files(const std::string& directory, const std::string& prefix, std::vector<CaseFile>& out) {
    base::FileSystem& fs = base::real_file_system();
    auto entries = fs.list(directory);
    REQUIRE(entries);
    for (const base::DirectoryEntry& entry : *entries) {
        std::string path = base::join(directory, entry.name);
        std::string shown = base::join(prefix, entry.name);
        if (entry.kind == base::FileKind::directory) {
            list_files(path, shown, out);
        } else {
            auto bytes = base::read_file(fs, path);
            REQUIRE(bytes);
            out.push_back({shown, std::move(*bytes)});
        }
    }
}

}  // namespace

std::string source_dir() {
#ifdef MIGRATION_SOURCE_DIR
    return MIGRATION_SOURCE_DIR;
#else
    if (const char* directory = std::getenv("MIGRATION_SOURCE_DIR")) return directory;
    std::string here = __FILE__;
    return here.substr(0, here.rfind("/tests/unit/"));
#endif
}

bool update_cases() { return std::getenv("MIGRATION_UPDATE_CASES") != nullptr; }

const migrator::RuleSet& rules(migrator::StyleKind style, std::optional<migrator::Version> version) {
    static std::map<std::pair<migrator::StyleKind, std::string>, migrator::RuleSet> loaded;
    const auto key = std::make_pair(style, version ? version->text() : std::string());
    auto found = loaded.find(key);
    if (found == loaded.end()) {
        found = loaded.emplace(key, load<migrator::RuleSet>(style)).first;
        if (version) found->second.restrict_to(*version);
    }
    return found->second;
}

const migrator::PatternSet& patterns(migrator::StyleKind style) {
    static std::map<migrator::StyleKind, migrator::PatternSet> compiled;
    auto found = compiled.find(style);
    if (found == compiled.end()) {
        auto set = migrator::PatternSet::compile(rules(style));
        if (!set) throw std::runtime_error(set.error().text());
        found = compiled.emplace(style, std::move(*set)).first;
    }
    return found->second;
}

const migrator::TypeFacts& type_facts() {
    static const auto loaded = load<migrator::TypeFacts>();
    return loaded;
}

const migrator::LoopFacts& loop_facts() {
    static const auto loaded = load<migrator::LoopFacts>();
    return loaded;
}

const migrator::ToldNames& told_names() {
    static const auto loaded = migrator::ToldNames::load(base::DataStore(), {});
    REQUIRE(loaded);
    return *loaded;
}

const migrator::OperatorSchemas& operator_schemas() {
    static const auto loaded = load<migrator::OperatorSchemas>();
    return loaded;
}

std::vector<CaseFile> read_files(const std::string& directory) {
    std::vector<CaseFile> out;
    list_files(directory, "", out);
    std::sort(out.begin(), out.end(), [](const CaseFile& a, const CaseFile& b) { return a.path < b.path; });
    return out;
}

void write_file(const std::string& path, std::string_view content) {
    base::FileSystem& fs = base::real_file_system();
    REQUIRE(fs.make_directories(base::parent(path)));
    REQUIRE(base::write_file(fs, path, content));
}

std::vector<migrator::FileOutcome> migrate(const std::vector<CaseFile>& files, migrator::ApplyMode apply,
                                           migrator::StyleKind style, std::optional<migrator::Version> version) {
    std::vector<migrator::SourceFile> sources;
    std::set<std::string> modules;
    std::set<std::string> members;
    for (const CaseFile& file : files) {
        sources.push_back(migrator::make_source_file(file.path, migrator::file_type_of(file.path), file.bytes));
        if (sources.back().type != migrator::FileType::python) continue;
        for (std::string name = module_of(file.path);;) {
            modules.insert(name);
            std::size_t dot = name.rfind('.');
            if (dot == name.npos) break;
            name.resize(dot);
        }
        migrator::SyntaxTree tree = migrator::SyntaxTree::parse(sources.back().text);
        for (std::string& name : migrator::member_names(tree)) members.insert(std::move(name));
    }
    std::vector<std::string> module_list(modules.begin(), modules.end());
    std::vector<std::string> member_list(members.begin(), members.end());
    migrator::ProjectIndex index(type_facts());
    auto module_context = [&](const migrator::SourceFile& source) {
        migrator::ModuleContext out;
        if (source.type == migrator::FileType::python) out.module_name = module_of(source.path);
        out.is_package = base::file_name(source.path) == "__init__.py";
        out.project_modules = module_list;
        return out;
    };
    for (const migrator::SourceFile& source : sources) {
        if (source.type != migrator::FileType::python || source.problem) continue;
        migrator::SyntaxTree tree = migrator::SyntaxTree::parse(source.text);
        std::vector<std::string> names{module_of(source.path)};
        index.add(migrator::summarise(tree, type_facts(), module_context(source)), names);
    }
    index.finish();
    std::vector<migrator::FileOutcome> outcomes;
    for (const migrator::SourceFile& source : sources) {
        migrator::RewriteContext context;
        context.match.rules = &rules(style, version);
        context.match.is_program = true;
        context.match.facts = &type_facts();
        context.match.loops = &loop_facts();
        context.match.told_names = &told_names();
        context.match.operator_schemas = &operator_schemas();
        context.match.patterns = &patterns(style);
        context.affinity = true;
        context.match.project_members = member_list;
        context.match.module = module_context(source);
        context.match.module.index = &index;
        context.apply = apply;
        outcomes.push_back(migrator::rewrite(source, context));
    }
    migrator::ProjectConditions conditions(rules(style));
    migrator::ImportGraph imports;
    migrator::TrainingReach::Code code;
    for (const migrator::FileOutcome& outcome : outcomes) {
        conditions.look_at(outcome.original);
        for (const migrator::FindingOutcome& item : outcome.findings) conditions.found(item.finding.rule);
        imports.add(outcome.path, {}, {{}, {}, true});
        code.emplace_back(outcome.path, &outcome.training);
    }
    imports.finish();
    const migrator::TrainingReach reach(imports, code);
    for (migrator::FileOutcome& outcome : outcomes)
        std::erase_if(outcome.findings, [&](migrator::FindingOutcome& item) {
            return !reach.keep(outcome.path, item.finding) || !conditions.keep(outcome.path, item);
        });
    return outcomes;
}

migrator::FileOutcome migrate_one(std::string_view path, std::string_view text, migrator::ApplyMode apply,
                                  migrator::StyleKind style, std::optional<migrator::Version> version) {
    return migrate({{std::string(path), std::string(text)}}, apply, style, version).front();
}

std::string list_findings(const migrator::FileOutcome& outcome) {
    std::string out;
    for (const migrator::FindingOutcome& finding : outcome.findings) {
        out += base::format("{} {} {} {}\n", finding.begin.line, finding.finding.rule, name(finding.state),
                            finding.finding.subject);
    }
    return out;
}

}  // namespace test
