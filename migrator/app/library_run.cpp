#include "migrator/app/library_run.h"

#include <iterator>

#include "base/parallel.h"
#include "migrator/app/named_projects.h"
#include "migrator/app/path_checks.h"
#include "migrator/library/library_result.h"
#include "migrator/project/framework_version.h"
#include "migrator/project/project.h"

namespace migrator {
namespace {

// Of a file that cannot be read nothing is known.
std::vector<LibraryFunction> functions_of_file(base::FileSystem& fs, const Knowledge& knowledge, const Project& project,
                                               std::size_t i) {
    const FoundFile& file = project.files.files[i];
    SourceFile read;
    SyntaxTree parsed_here;
    ParsedFile* kept = i < project.parsed.size() ? project.parsed[i].get() : nullptr;
    if (kept == nullptr) {
        auto bytes = project.read(fs, file.path);
        if (!bytes) return {};
        read = make_source_file(file.path, file.type, std::move(*bytes), file.mode);
        if (read.problem) return {};
        parsed_here = SyntaxTree::parse(read.text);
    }
    const SourceFile& source = kept != nullptr ? kept->source : read;
    if (source.problem) return {};
    if (kept != nullptr) kept->unpack();
    const SyntaxTree& tree = kept != nullptr ? kept->tree : parsed_here;
    MatchContext context;
    context.rules = &knowledge.rules;
    context.facts = &knowledge.facts;
    context.module = module_context(project, file.path);
    context.project_members = project.members;
    const Bindings bindings = Bindings::analyse(tree, knowledge.facts, context.module);
    const ParsedText parsed{&tree, &bindings};
    std::vector<LibraryFunction> functions =
        functions_of(source, parsed, context, match(source, source.text, context, parsed));
    if (kept != nullptr) kept->pack();
    return functions;
}

}  // namespace

base::Result<std::string> analyse_library(const Options& options, base::FileSystem& fs) {
    TRY(check_paths(fs, options));
    TRY_ASSIGN(Knowledge knowledge, load_knowledge(fs, options.rules, options.style, options.megatron));
    TRY_ASSIGN(auto projects, find_projects(fs, knowledge.store, options));
    const FrameworkVersion version = framework_versions(fs, options.torch_version, knowledge.rules, projects).whole;
    knowledge.rules.restrict_to(version.version);
    TRY(add_libraries(options, fs, knowledge));
    TRY(index_projects(fs, options.threads, knowledge, projects));
    const Project& project = projects.front();
    std::vector<std::vector<LibraryFunction>> found(project.files.files.size());
    TRY(base::parallel_for(found.size(), options.threads, [&](std::size_t i) -> base::Status {
        const FoundFile& file = project.files.files[i];
        if (file.analysed && file.type == FileType::python) found[i] = functions_of_file(fs, knowledge, project, i);
        return {};
    }));
    std::vector<LibraryFunction> functions;
    for (auto& of_file : found)
        functions.insert(functions.end(), std::move_iterator(of_file.begin()), std::move_iterator(of_file.end()));
    return library_json(CallGraph(std::move(functions)), version.version);
}

base::Status add_libraries(const Options& options, base::FileSystem& fs, RuleSet& rules) {
    for (const base::Path& path : options.with_libraries) {
        TRY_ASSIGN(const std::string text, base::read_file(fs, path));
        TRY_ASSIGN(const auto document, base::parse_json(text, path));
        TRY(rules.libraries.add(document));
    }
    return {};
}

base::Status add_libraries(const Options& options, base::FileSystem& fs, Knowledge& knowledge) {
    TRY(add_libraries(options, fs, knowledge.rules));
    for (const LibraryClass& known : knowledge.rules.libraries.classes())
        for (const std::string& name : known.names) knowledge.facts.add_class(name, known.base, known.methods);
    return {};
}

}  // namespace migrator
