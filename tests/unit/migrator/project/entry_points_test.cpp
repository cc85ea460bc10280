#include <doctest/doctest.h>

#include "migrator/project/entry_points.h"

using migrator::entry_points;

namespace {

std::vector<std::string> shown(const char* file, std::string_view text) {
    std::vector<std::string> out;
    for (const migrator::EntryPoint& one : entry_points(file, text))
        out.push_back(std::to_string(one.line) + " " + one.command + " " + one.module + " " + one.function);
    return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("entry points: of pyproject.toml, and only the commands") {
    CHECK(shown("pyproject.toml",
                "[project]\nname = \"toy\"\n\n[project.scripts]\ntoy-train = \"toy.train:main\"\n'q' = 'toy'\n\n"
                "[project.entry-points.x]\nz = \"a:b\"\n[tool.poetry.scripts]\np = \"pkg.p:run.it\"\n") ==
          Texts{"5 toy-train toy.train main", "6 q toy ", "11 p pkg.p run.it"});
}

TEST_CASE("entry points: keys with dots and between braces") {
    CHECK(
        shown(
            "pyproject.toml",
            "project.scripts.a = 'x.a:main'\n[project]\nscripts.litgpt = \"litgpt.__main__:main\"\ngui-scripts = { "
            "\"b\" "
            "= \"x.b:run\", c = 'x.c' }\nother.d = \"x:y\"\n[project.entry-points]\n\"console_scripts\".e = \"x.e:f\"\n"
            "[project.entry-points.\"console_scripts\"]\ng = \"x:g\"\n") ==
        Texts{"1 a x.a main", "3 litgpt litgpt.__main__ main", "4 b x.b run", "4 c x.c ", "7 e x.e f", "9 g x g"});
    CHECK(migrator::package_extras("pyproject.toml", "[project]\noptional-dependencies.npu = [\"torch-npu\"]\n") ==
          Texts{"npu"});
}

TEST_CASE("entry points: of setup.cfg and setup.py") {
    CHECK(shown("setup.cfg",
                "[options.entry_points]\nconsole_scripts =\n    toy = toy.cli:main\n    b=toy.b:main\n[other]\nc = "
                "d:e\n") == Texts{"3 toy toy.cli main", "4 b toy.b main"});
    CHECK(shown("setup.py",
                "setup(\n  entry_points={\n    'console_scripts': [\n      'toy = toy.cli:main',\n      "
                "\"b=toy.b:main\"],\n  },\n  x='c = d:e')\n") == Texts{"4 toy toy.cli main", "5 b toy.b main"});
    CHECK(
        shown("sub/setup.py", "setup(entry_points={'console_scripts': ['toy = toy.cli:main', 'b = toy.b:main']})\n") ==
        Texts{"1 toy toy.cli main", "1 b toy.b main"});
}

TEST_CASE("entry points: none of other files, and none that are no names") {
    CHECK(shown("train.py", "console_scripts = ['toy = toy.cli:main']\n").empty());
    CHECK(shown("pyproject.toml", "[project.scripts]\nbad name = \"x\"\nb = \"$(x):y\"\nc\n").empty());
}

TEST_CASE("package extras: the sets of packages of a pyproject.toml") {
    const char* text =
        "[project]\ndependencies = [\"torch>=2.6\"]\n[project.optional-dependencies]\nnpu = [\"torch-npu==2.7.1\"]\n"
        "\"dev-npu\" = [\n    \"torch-npu==2.7.1\",\n    \"x[extra]==1\",\n]\nname = \"x\"\n[tool.other]\nno = [1]\n";
    CHECK(migrator::package_extras("a/pyproject.toml", text) == std::vector<std::string>{"npu", "dev-npu"});
    CHECK(migrator::package_extras("setup.cfg", text).empty());
}
