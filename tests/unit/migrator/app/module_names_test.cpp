#include "migrator/project/module_names.h"

#include <doctest/doctest.h>

using namespace migrator;

namespace {

FileList files(base::Path root, const std::vector<std::string>& paths) {
    FileList list;
    list.root = std::move(root);
    for (const std::string& path : paths) {
        FoundFile file;
        file.path = path;
        file.type = file_type_of(path);
        list.files.push_back(file);
    }
    return list;
}

}  // namespace

TEST_CASE("module names: files, packages and packages without __init__.py") {
    ModuleNames names(files(
        "proj", {"train.py", "pkg/__init__.py", "pkg/model.py", "tools/deep/run.py", "my-tool/x.py", "README.md"}));
    CHECK(names.all() == std::vector<std::string>{"my-tool", "my-tool.x", "pkg", "pkg.model", "tools", "tools.deep",
                                                  "tools.deep.run", "train"});
    CHECK(names.packages() == std::vector<std::string>{"pkg"});
    CHECK(names.of("train.py") == "train");
    CHECK(names.of("pkg/__init__.py") == "pkg");
    CHECK(names.of("pkg/model.py") == "pkg.model");
    CHECK(names.of("my-tool/x.py") == "my-tool.x");
    CHECK(ModuleNames(files("proj", {"v1.2/run.py"})).of("v1.2/run.py") == "v1-2.run");
    CHECK(names.of("run.sh").empty());
}

TEST_CASE("module names: src is a root, unless it is a package") {
    ModuleNames names(files("proj", {"src/lib/__init__.py", "src/lib/a.py"}));
    CHECK(names.all() == std::vector<std::string>{"lib", "lib.a", "src", "src.lib", "src.lib.a"});
    CHECK(names.of("src/lib/a.py") == "lib.a");
    ModuleNames package(files("proj", {"src/__init__.py", "src/a.py"}));
    CHECK(package.of("src/a.py") == "src.a");
}

TEST_CASE("module names: a root that is itself a package") {
    ModuleNames names(files("work/mypkg", {"__init__.py", "a.py"}));
    CHECK(names.all() == std::vector<std::string>{"a", "mypkg", "mypkg.a"});
    CHECK(names.of("a.py") == "mypkg.a");
    CHECK(names.of("__init__.py") == "mypkg");
    CHECK(ModuleNames(files(".", {"__init__.py", "a.py"})).of("a.py") == "a");
}
