// Library mode: from the files of a package to what its functions lead to, and from there to findings of a project.
#include <doctest/doctest.h>

#include "base/json.h"
#include "migrator/app/library_run.h"
#include "migrator/app/pipeline.h"
#include "tests/support/memory_file_system.h"

using namespace migrator;

namespace {

Options analysis_of(base::Path path) {
    Options options;
    options.paths = {std::move(path)};
    options.threads = 1;  // the file system in memory is for one thread
    options.progress = false;
    return options;
}

void add_library(test::MemoryFileSystem& fs) {
    fs.add("site/lib/__init__.py", "from ._impl import Net, helper as run\nfrom .ops import *\n");
    fs.add("site/lib/ops.py",
           "import torch\n"
           "class Op:\n"
           "    def apply(self, x):\n"
           "        return torch.std_mean(x)\n"
           "def fast(x):\n"
           "    return _inner(x)\n"
           "def _inner(x):\n"
           "    return torch.std_mean(x)\n"
           "def plain(x):\n"
           "    return x + 1\n");
    fs.add("site/lib/_impl.py",
           "import torch\n"
           "from . import ops\n"
           "from .ops import fast\n"
           "class Base(torch.nn.Module):\n"
           "    def shared(self, x):\n"
           "        return map(fast, x)\n"
           "class Net(Base):\n"
           "    def __init__(self):\n"
           "        super().__init__()\n"
           "        self.op = ops.Op()\n"
           "    def ping(self, x):\n"
           "        return self.pong(x)\n"
           "    def pong(self, x):\n"
           "        self.op.apply(x)\n"
           "        return self.ping(x)\n"
           "    def quiet(self, x):\n"
           "        return ops.plain(x)\n"
           "def helper(x):\n"
           "    return Net().ping(x)\n");
}

std::string result_of(test::MemoryFileSystem& fs) {
    Options options = analysis_of("site");
    options.library = true;
    auto result = analyse_library(options, fs);
    if (!result) FAIL(result.error().text());
    return *result;
}

LibraryTable table_of(const std::string& result) {
    LibraryTable table;
    auto document = base::parse_json(result, "result.json");
    REQUIRE(document);
    REQUIRE(table.add(*document));
    return table;
}

std::string chain(const LibraryTable& table, std::string_view name) {
    const auto* ways = table.find(name);
    return ways == nullptr ? "-" : ways->front().way();
}

}  // namespace

TEST_CASE("library: calls are followed through modules, methods, callbacks and cycles") {
    test::MemoryFileSystem fs;
    add_library(fs);
    const LibraryTable table = table_of(result_of(fs));
    CHECK(chain(table, "lib.ops.fast") == "lib.ops.fast -> lib.ops._inner -> torch.std_mean");
    CHECK(chain(table, "lib.ops.Op.apply") == "lib.ops.Op.apply -> torch.std_mean");
    CHECK(chain(table, "lib.Net.pong") == "lib._impl.Net.pong -> lib.ops.Op.apply -> torch.std_mean");
    CHECK(chain(table, "lib.Net.ping") ==
          "lib._impl.Net.ping -> lib._impl.Net.pong -> lib.ops.Op.apply -> torch.std_mean");
    CHECK(chain(table, "lib.ops.plain") == "-");
    CHECK(chain(table, "lib.Net.quiet") == "-");
    CHECK(chain(table, "lib.Net") == "-");
}

TEST_CASE("library: public names are those of re-exports, stars and heirs") {
    test::MemoryFileSystem fs;
    add_library(fs);
    const LibraryTable table = table_of(result_of(fs));
    CHECK(chain(table, "lib.run").starts_with("lib._impl.helper -> lib._impl.Net.ping -> "));
    CHECK(chain(table, "lib.fast") == "lib.ops.fast -> lib.ops._inner -> torch.std_mean");
    CHECK(chain(table, "lib.Net.shared") ==
          "lib._impl.Base.shared -> lib.ops.fast -> lib.ops._inner -> torch.std_mean");
    CHECK(chain(table, "lib._impl.helper") == "-");
    CHECK(chain(table, "lib.ops._inner") == "-");
}

TEST_CASE("library: a project's calls are judged by the result") {
    test::MemoryFileSystem fs;
    add_library(fs);
    fs.add("lib.json", result_of(fs));
    fs.add("in/train.py",
           "import lib\n"
           "from lib import fast as quick\n"
           "net = lib.Net()\n"
           "net.ping(1)\n"
           "net.quiet(1)\n"
           "net.cuda()\n"
           "quick(2)\n");
    Options options = analysis_of("in");
    options.with_libraries = {"lib.json"};
    auto result = run(options, fs);
    REQUIRE(result);
    REQUIRE(result->report.files.size() == 1);
    std::vector<std::string> said;
    for (const ReportFinding& item : result->report.files[0].findings)
        said.push_back(std::to_string(item.outcome.begin.line) + " " + item.outcome.finding.rule + " " +
                       item.outcome.finding.subject);
    CHECK(said == std::vector<std::string>{"4 library.reaches lib.Net.ping", "6 method.cuda torch.nn.Module.cuda",
                                           "7 library.reaches lib.fast"});
    CHECK(result->report.files[0].findings[2].outcome.finding.message.text().find(
              "lib.ops.fast -> lib.ops._inner -> torch.std_mean (lib/ops.py:8)") != std::string::npos);
}

TEST_CASE("library: a result that is none is an error that names the place") {
    LibraryTable table;
    auto document = base::parse_json(R"({"schema": "migrator-report/1"})", "report.json");
    REQUIRE(document);
    auto added = table.add(*document);
    REQUIRE_FALSE(added);
    CHECK(added.error().text().find("report.json:1:30: \"migrator-report/1\" is not a result of library mode") !=
          std::string::npos);
}
