#include "migrator/project/project.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <map>

#include "base/format.h"
#include "base/human.h"
#include "base/parallel.h"
#include "migrator/match/matcher.h"
#include "migrator/source/notebook.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {
namespace {

using base::FileKind;
using base::Path;

constexpr std::size_t kNamesInNote = 5;

// Parsing costs more than all the rest, so files are kept with their trees; beyond this they are parsed again when it is
// their turn.
constexpr std::size_t kKeptBytes = std::size_t{256} << 20;

// What one Python file tells the others.
struct FileFacts {
    std::vector<std::string> members;
    FileImports imports;
    CodeNames code;
    std::optional<PackedSummary> summary;
    bool holds_values = false;  // see match/value_ends.h
    std::unique_ptr<ParsedFile> parsed;
};

// if __name__ == "__main__": a text that only speaks of it is none.
bool is_guarded(const SyntaxTree& tree) {
    if (tree.source().find("__main__") == std::string_view::npos) return false;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::comparison_operator) continue;
        bool has_name = false, has_main = false;
        for (const NodeId side : tree.named_children(id)) {
            has_name |= tree.text(side) == "__name__";
            has_main |=
                tree.kind(side) == NodeKind::string && tree.text(side).find("__main__") != std::string_view::npos;
        }
        if (has_name && has_main) return true;
    }
    return false;
}

// A notebook is imported by none, and tells the others only what it imports.
FileFacts facts_of_notebook(const Project& project, const Knowledge& knowledge, const SourceFile& source) {
    FileFacts out;
    const auto code = NotebookCode::read(source.text, source.path);
    if (source.problem || !code) return out;
    const SyntaxTree tree = SyntaxTree::parse(code->python().text());
    ModuleContext context = module_context(project, source.path);
    ModuleSummary summary = summarise(tree, knowledge.facts, context);
    out.imports = {std::move(summary.imports), {}, true};
    out.code = std::move(summary.code);
    return out;
}

FileFacts facts_of(base::FileSystem& fs, const Project& project, const Knowledge& knowledge, const FoundFile& file) {
    FileFacts out;
    auto bytes = project.read(fs, file.path);
    // A file that cannot be read is told of when it is analysed.
    if (!bytes) return out;
    if (file.type == FileType::notebook)
        return facts_of_notebook(project, knowledge,
                                 make_source_file(file.path, file.type, std::move(*bytes), file.mode));
    out.parsed = std::make_unique<ParsedFile>();
    out.parsed->source = make_source_file(file.path, file.type, std::move(*bytes), file.mode);
    if (out.parsed->source.problem) return out;
    const SyntaxTree& tree = out.parsed->tree = SyntaxTree::parse(out.parsed->source.text);
    out.members = member_names(tree);
    ModuleContext context = module_context(project, file.path);
    ModuleSummary summary = summarise(tree, knowledge.facts, context);
    if (!summary.module.empty()) out.summary = summary;
    out.imports = {std::move(summary.imports), std::move(summary.lazy), is_guarded(tree)};
    out.code = std::move(summary.code);
    out.holds_values = holds_values(tree, knowledge.rules);
    return out;
}

}  // namespace

void ParsedFile::pack() {
    bindings.reset();
    if (packed.empty()) packed = tree.pack();
    tree = {};
}

void ParsedFile::unpack() {
    if (tree.size() == 0) tree = SyntaxTree::unpack(packed, source.text);
}

std::optional<std::size_t> find_python_file(const Project& project, const Path& named) {
    const std::vector<FoundFile>& files = project.files.files;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const bool same = files[i].path == base::normal_path(named) ||
                          base::normal_path(project.on_disk(files[i].path)) == base::normal_path(named);
        if (same && files[i].analysed && files[i].type == FileType::python) return i;
    }
    return std::nullopt;
}

base::Result<SourceFile> read_source(base::FileSystem& fs, const Project& project, std::size_t number) {
    if (number < project.parsed.size() && project.parsed[number]) return project.parsed[number]->source;
    const FoundFile& file = project.files.files[number];
    TRY_ASSIGN(std::string bytes, project.read(fs, file.path));
    return make_source_file(file.path, file.type, std::move(bytes), file.mode);
}

ModuleContext module_context(const Project& project, const Path& path) {
    ModuleContext out;
    out.module_name = project.modules.of(path);
    out.is_package = base::file_name(path) == "__init__.py";
    out.project_modules = project.modules.all();
    out.project_packages = project.modules.packages();
    out.index = project.index.get();
    return out;
}

base::Status index_projects(base::FileSystem& fs, int threads, const Knowledge& knowledge,
                            std::vector<Project>& projects) {
    const TypeFacts& facts = knowledge.facts;
    std::atomic<std::size_t> kept = 0;
    for (Project& project : projects) {
        const std::vector<FoundFile>& files = project.files.files;
        std::vector<std::size_t> modules;
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (files[i].analysed && is_python_code(files[i].type)) modules.push_back(i);
        }
        project.parsed.resize(files.size());
        project.holds_values.resize(files.size());
        std::vector<FileFacts> found(modules.size());
        TRY(base::parallel_for(modules.size(), threads, [&](std::size_t i) -> base::Status {
            found[i] = facts_of(fs, project, knowledge, files[modules[i]]);
            if (found[i].parsed) found[i].parsed->pack();
            const std::size_t bytes = found[i].parsed ? found[i].parsed->packed_bytes() : 0;
            if (kept.fetch_add(bytes) + bytes <= kKeptBytes) {
                project.parsed[modules[i]] = std::move(found[i].parsed);
            } else {
                kept -= bytes;
                found[i].parsed.reset();
            }
            return {};
        }));
        auto index = std::make_shared<ProjectIndex>(facts);
        std::map<Path, CodeNames> code;
        for (std::size_t i = 0; i < modules.size(); ++i) {
            project.members.insert(project.members.end(), std::move_iterator(found[i].members.begin()),
                                   std::move_iterator(found[i].members.end()));
            project.holds_values[modules[i]] = found[i].holds_values;
            const base::Path& path = files[modules[i]].path;
            const std::vector<std::string> names = project.modules.names_of(path);
            project.imports.add(path, names, std::move(found[i].imports));
            code.emplace(path, std::move(found[i].code));
            if (found[i].summary) index->add(std::move(*found[i].summary), names);
        }
        index->finish();
        project.imports.finish();
        project.reach = std::make_shared<ProgramReach>(project.imports, code);
        const std::vector<std::string>& framework = knowledge.rules.framework.loaded_by;
        project.loading_framework = project.imports.loading_through_others(framework);
        project.beside_framework = project.imports.imported_by_loading(framework);
        std::sort(project.members.begin(), project.members.end());
        project.members.erase(std::unique(project.members.begin(), project.members.end()), project.members.end());
        project.index = std::move(index);
    }
    return {};
}

MatchContext match_context(const Knowledge& knowledge, const Project& project, const Path& path) {
    MatchContext context;
    context.rules = &knowledge.rules;
    context.facts = &knowledge.facts;
    context.told_names = &knowledge.told_names;
    context.operator_schemas = &knowledge.operator_schemas;
    context.module = module_context(project, path);
    context.cuda_names = project.cuda_names.get();
    context.project_members = project.members;
    const auto& left = project.own_programs.files;
    if (const auto own = left.find(path); own != left.end()) context.own_choice = own->second;
    context.loads_framework = std::ranges::binary_search(project.loading_framework, path);
    context.is_beside_framework = std::ranges::binary_search(project.beside_framework, path);
    return context;
}

base::Message some_of(const std::vector<std::string>& paths) {
    std::string shown;
    for (std::size_t i = 0; i < std::min(kNamesInNote, paths.size()); ++i) shown += (i == 0 ? "" : ", ") + paths[i];
    if (paths.size() <= kNamesInNote) return shown;
    return {"{paths} and {count} more",
            {{"paths", shown}, {"count", base::with_separators(paths.size() - kNamesInNote)}}};
}

std::vector<base::Message> notes_of(const Project& project, bool copied) {
    std::vector<base::Message> notes;
    for (const base::Error& error : project.files.unusable_indexes)
        notes.push_back({"What git tracks is not known, so what a .gitignore excludes is left out: {path}: {problem}.",
                         {{"path", error.where}, {"problem", error.message}}});
    const auto add_paths = [&](const std::vector<Path>& paths, std::string_view sentence) {
        std::vector<Path> shown;
        for (const Path& path : paths) shown.push_back(project.shown(path));
        if (!paths.empty()) notes.push_back({sentence, {{"paths", some_of(shown)}}});
    };
    const OwnPrograms& own = project.own_programs;
    if (!own.programs.empty()) {
        std::vector<std::string> programs, places;
        for (const auto& [path, program] : own.programs) programs.push_back(project.shown(path));
        for (const ProjectSign& sign : own.signs) places.push_back(sign.place());
        notes.push_back(
            {"These programs take an NPU by themselves, so what they load is left as it is: {programs}. What "
             "says so: {places}. --edit-native migrates them all the same.",
             {{"programs", some_of(programs)}, {"places", some_of(places)}}});
    }
    add_paths(
        project.files.in_by_name,
        "Part of the project, although a .gitignore excludes it, as files of the project import or open it: {paths}.");
    add_paths(project.files.analysed_by_name,
              "Analysed, although vendored or generated, as files of the project import it: {paths}.");
    const auto& files = project.files.files;
    const auto is_partly_in = [&](const Path& directory) {
        const Path inside = base::join(directory, "");
        const auto first = std::ranges::lower_bound(files, inside, {}, &FoundFile::path);
        return first != files.end() && first->path.starts_with(inside);
    };
    std::vector<Path> skipped = project.files.directories_skipped;
    const auto partly_in = std::stable_partition(skipped.begin(), skipped.end(), std::not_fn(is_partly_in));
    add_paths({skipped.begin(), partly_in},
              copied ? "Neither analysed nor copied: {paths}." : "Not analysed: {paths}.");
    add_paths({partly_in, skipped.end()}, copied ? "Not copied, but for what files of the project open: {paths}."
                                                 : "Not part of the project, but for what its files open: {paths}.");
    std::map<std::string, std::vector<Path>> by_reason;
    for (const FoundFile& file : project.files.files) {
        if (!file.skipped_because.empty()) by_reason[file.skipped_because].push_back(project.shown(file.path));
    }
    for (const auto& [reason, paths] : by_reason) {
        notes.push_back(
            {paths.size() == 1 ? "1 file not analysed ({reason}): {paths}."
                               : "{count} files not analysed ({reason}): {paths}.",
             {{"count", base::with_separators(paths.size())}, {"reason", reason}, {"paths", some_of(paths)}}});
    }
    return notes;
}

}  // namespace migrator
