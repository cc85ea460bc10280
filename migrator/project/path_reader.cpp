#include "migrator/project/path_reader.h"

#include "migrator/project/python_paths.h"
#include "migrator/project/shell_paths.h"
#include "migrator/source/notebook.h"

namespace migrator {
namespace {

PathsOfFile of_python(std::string_view code, const PathFacts& facts, const base::Path& file) {
    // What a name of a library gives is of no use here.
    static const TypeFacts types;
    const SyntaxTree tree = SyntaxTree::parse(code);
    const Bindings bindings = Bindings::analyse(tree, types, {});
    return python_paths(tree, bindings, facts, file);
}

}  // namespace

base::Result<PathReader> path_reader(const base::DataStore& store) {
    TRY_ASSIGN(const PathFacts facts, PathFacts::load(store));
    return [facts](const base::Path& file, FileType type, const std::string& bytes) -> PathsOfFile {
        if (type != FileType::python && type != FileType::cython && type != FileType::notebook &&
            type != FileType::shell)
            return {};
        const SourceFile source = make_source_file(file, type, bytes);
        if (source.problem) return {};
        if (type == FileType::shell) return shell_paths(source.text, facts, file);
        if (type != FileType::notebook) return of_python(source.text, facts, file);
        const auto notebook = NotebookCode::read(source.text, file);
        return notebook ? of_python(notebook->python().text(), facts, file) : PathsOfFile();
    };
}

}  // namespace migrator
