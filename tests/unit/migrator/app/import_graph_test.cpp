#include <doctest/doctest.h>

#include "migrator/project/import_graph.h"

using migrator::ImportGraph;
using Names = std::vector<std::string>;

namespace {

// Whatever happens, outside functions.
migrator::FileImports imports(const Names& names, bool is_guarded = false) {
    migrator::FileImports out;
    for (const std::string& name : names) out.modules.push_back({name});
    out.is_guarded = is_guarded;
    return out;
}

// train.py and tools/bench.py are run; the package lib and the folder utils are imported.
ImportGraph project() {
    ImportGraph graph;
    graph.add("train.py", {"train"}, imports({"torch", "lib.model.Net", "utils.metrics"}, true));
    graph.add("tools/bench.py", {"tools.bench"}, imports({"numpy", "timing.Timer"}));
    graph.add("tools/timing.py", {"tools.timing"}, imports({"torch.cuda"}));
    graph.add("lib/__init__.py", {"lib"}, {});
    graph.add("lib/model.py", {"lib.model"}, imports({"torch.nn", "lib.layers"}));
    graph.add("lib/layers.py", {"lib.layers"}, imports({"lib.model", "einops"}));
    graph.add("lib/main.py", {"lib.main"}, imports({}, true));
    graph.add("utils/metrics.py", {"utils.metrics"}, imports({"torch"}));
    graph.add("my-run.py", {}, imports({"torch"}));
    graph.finish();
    return graph;
}

}  // namespace

TEST_CASE("import graph: what is run and what is imported") {
    const ImportGraph graph = project();
    CHECK(graph.is_program("train.py"));
    CHECK(graph.is_program("tools/bench.py"));
    CHECK(graph.is_program("lib/main.py"));
    CHECK(graph.is_program("my-run.py"));
    CHECK_FALSE(graph.is_program("tools/timing.py"));
    CHECK_FALSE(graph.is_program("lib/model.py"));
    CHECK_FALSE(graph.is_program("utils/metrics.py"));
    CHECK_FALSE(graph.is_program("not/there.py"));
}

TEST_CASE("import graph: what a file loads, also round a circle of imports") {
    const ImportGraph graph = project();
    CHECK(graph.files_of("train.py") ==
          Names{"train.py", "lib/model.py", "lib/__init__.py", "utils/metrics.py", "lib/layers.py"});
    CHECK(graph.files_of("not/there.py").empty());
    CHECK(graph.loads("train.py") == Names{"einops", "torch", "torch.nn"});
    CHECK(graph.loads("tools/bench.py") == Names{"numpy", "torch.cuda"});
    CHECK(graph.loads("lib/main.py").empty());
}

TEST_CASE("import graph: what a file loads whatever happens, with the packages that it is in") {
    ImportGraph graph;
    migrator::FileImports of_program = imports({"lib.ops.norm", "fast"}, true);
    of_program.modules[1].standing.sometimes = true;
    graph.add("train.py", {"train"}, of_program);
    graph.add("fast.py", {"fast"}, imports({"torch"}));
    migrator::FileImports of_package = imports({"lib.extra", "lib.base"});
    of_package.modules[0].standing.sometimes = true;
    graph.add("lib/__init__.py", {"lib"}, of_package);
    graph.add("lib/base.py", {"lib.base"}, {});
    graph.add("lib/extra.py", {"lib.extra"}, {});
    graph.add("lib/ops/__init__.py", {"lib.ops"}, {});
    graph.add("lib/ops/norm.py", {"lib.ops.norm"}, {});
    graph.finish();
    CHECK(graph.files_always_of("train.py") ==
          Names{"train.py", "lib/ops/norm.py", "lib/ops/__init__.py", "lib/__init__.py", "lib/base.py"});
    CHECK(graph.files_of("train.py") == Names{"train.py", "lib/ops/norm.py", "lib/ops/__init__.py", "lib/__init__.py",
                                              "fast.py", "lib/extra.py", "lib/base.py"});
}

TEST_CASE("import graph: where a module stands that every file finds") {
    const ImportGraph graph = project();
    auto place = [&](const char* file) {
        const ImportGraph::Place found = graph.place_of_module(file);
        return found.directory + "|" + found.package;
    };
    CHECK(place("lib/model.py") == "lib|lib");
    CHECK(place("train.py") == "lib|lib");        // it imports the package
    CHECK(place("tools/bench.py") == "tools|");   // beside it
    CHECK(place("tools/timing.py") == "tools|");  // found beside the program
    CHECK(place("utils/metrics.py") == "|");      // utils.metrics counts from the root
    CHECK(place("my-run.py") == "|");
    CHECK(place("notes/explore.ipynb") == "notes|");  // not a file of the graph
}

TEST_CASE("import graph: by which ways files are reached, the shortest, and which programs load a file") {
    ImportGraph graph;
    graph.add("train.py", {"train"}, imports({"engine.run", "data.build"}, true));
    graph.add("engine.py", {"engine"}, imports({"losses", "torch"}));
    graph.add("losses.py", {"losses"}, imports({"engine"}));
    graph.add("data/build.py", {"data.build"}, imports({"data.loaders", "losses"}));
    graph.add("data/loaders.py", {"data.loaders"}, {});
    graph.add("other.py", {"other"}, imports({"data.loaders"}, true));
    graph.finish();
    std::string ways;
    for (const auto& [file, way] : graph.ways_from({"engine.py", "train.py", "no.py"}))
        ways += file + " < " + way.importer + " < " + way.root + "\n";
    CHECK(ways ==
          "data/build.py < train.py < train.py\n"
          "data/loaders.py < data/build.py < train.py\n"
          "engine.py < engine.py < engine.py\n"
          "losses.py < engine.py < engine.py\n"
          "train.py < train.py < train.py\n");
    CHECK(graph.programs_loading({"engine.py"}) == Names{"train.py"});
    CHECK(graph.programs_loading({"data/loaders.py"}) == Names{"other.py", "train.py"});
    CHECK(graph.programs_loading({}).empty());
}

TEST_CASE("import graph: what a package loads as soon as it is asked for a name") {
    ImportGraph graph;
    migrator::FileImports lazy;
    lazy.lazy = {{"Net", "lib.sub.Net"}, {"Other", "lib.other.Other"}};
    graph.add("train.py", {"train"}, imports({"lib.Net"}));
    graph.add("lib/__init__.py", {"lib"}, lazy);
    lazy.lazy = {{"Net", "lib.sub.net.Net"}, {"Net", "lib.sub"}, {"Net", "lib.nowhere.Net"}};
    graph.add("lib/sub/__init__.py", {"lib.sub"}, lazy);
    graph.add("lib/sub/net.py", {"lib.sub.net"}, imports({"torch"}));
    graph.add("lib/other.py", {"lib.other"}, imports({"apex"}));
    graph.finish();
    CHECK(graph.files_always_of("train.py") ==
          std::vector<base::Path>{"train.py", "lib/__init__.py", "lib/sub/__init__.py", "lib/sub/net.py"});
    CHECK(graph.loads("train.py") == Names{"torch"});
}
