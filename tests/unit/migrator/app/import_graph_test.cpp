#include <doctest/doctest.h>

#include "migrator/project/import_graph.h"

using migrator::ImportGraph;
using Names = std::vector<std::string>;

namespace {

std::vector<migrator::ImportedModule> always(const Names& names) {
    std::vector<migrator::ImportedModule> out;
    for (const std::string& name : names) out.push_back({name, true});
    return out;
}

// train.py and tools/bench.py are run; the package lib and the folder utils are imported.
ImportGraph project() {
    ImportGraph graph;
    graph.add("train.py", {"train"}, always({"torch", "lib.model.Net", "utils.metrics"}), true);
    graph.add("tools/bench.py", {"tools.bench"}, always({"numpy", "timing.Timer"}), false);
    graph.add("tools/timing.py", {"tools.timing"}, always({"torch.cuda"}), false);
    graph.add("lib/__init__.py", {"lib"}, {}, false);
    graph.add("lib/model.py", {"lib.model"}, always({"torch.nn", "lib.layers"}), false);
    graph.add("lib/layers.py", {"lib.layers"}, always({"lib.model", "einops"}), false);
    graph.add("lib/main.py", {"lib.main"}, {}, true);
    graph.add("utils/metrics.py", {"utils.metrics"}, always({"torch"}), false);
    graph.add("my-run.py", {}, always({"torch"}), false);
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
    CHECK(graph.files_of("train.py") == Names{"train.py", "lib/model.py", "utils/metrics.py", "lib/layers.py"});
    CHECK(graph.files_of("not/there.py").empty());
    CHECK(graph.loads("train.py") == Names{"einops", "torch", "torch.nn"});
    CHECK(graph.loads("tools/bench.py") == Names{"numpy", "torch.cuda"});
    CHECK(graph.loads("lib/main.py").empty());
}

TEST_CASE("import graph: what a file loads whatever happens, with the packages that it is in") {
    ImportGraph graph;
    graph.add("train.py", {"train"}, {{"lib.ops.norm", true}, {"fast", false}}, true);
    graph.add("fast.py", {"fast"}, always({"torch"}), false);
    graph.add("lib/__init__.py", {"lib"}, {{"lib.extra", false}, {"lib.base", true}}, false);
    graph.add("lib/base.py", {"lib.base"}, {}, false);
    graph.add("lib/extra.py", {"lib.extra"}, {}, false);
    graph.add("lib/ops/__init__.py", {"lib.ops"}, {}, false);
    graph.add("lib/ops/norm.py", {"lib.ops.norm"}, {}, false);
    graph.finish();
    CHECK(graph.files_always_of("train.py") ==
          Names{"train.py", "lib/ops/norm.py", "lib/ops/__init__.py", "lib/__init__.py", "lib/base.py"});
    CHECK(graph.files_of("train.py") == Names{"train.py", "lib/ops/norm.py", "fast.py"});
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
    graph.add("train.py", {"train"}, always({"engine.run", "data.build"}), true);
    graph.add("engine.py", {"engine"}, always({"losses", "torch"}), false);
    graph.add("losses.py", {"losses"}, always({"engine"}), false);
    graph.add("data/build.py", {"data.build"}, always({"data.loaders", "losses"}), false);
    graph.add("data/loaders.py", {"data.loaders"}, {}, false);
    graph.add("other.py", {"other"}, always({"data.loaders"}), true);
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
