// What a run says of files together.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;
using test::file_named;
using test::kTrain;
using test::options_for;

TEST_CASE("pipeline: whether transfer_to_npu would be enough, for each program and what it loads") {
    test::MemoryFileSystem fs;
    fs.add("in/plain.py", "import torch\nx = torch.zeros(2).cuda()\n");
    fs.add("in/edits.py", "import torch\nx = torch.zeros(2).cuda()\nif x.device.type == 'cuda':\n    pass\n");
    fs.add("in/compiled.py", "import net\nnet.run()\n");
    fs.add("in/net.py", "import torch\n\n\n@torch.jit.script\ndef run() -> int:\n    return 1\n");
    fs.add("in/text.py", "print('no torch here')\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    const auto& programs = result->report.programs;
    REQUIRE(programs.size() == 4);
    CHECK(programs[0].path == "compiled.py");
    CHECK(programs[0].files == 2);
    CHECK(programs[0].verdict == TransferVerdict::not_enough);
    REQUIRE(programs[0].places.size() == 1);
    CHECK(programs[0].places[0].path == "net.py");
    CHECK(programs[0].places[0].line == 4);
    CHECK(programs[0].places[0].rule == "transfer.jit");
    CHECK(programs[1].verdict == TransferVerdict::with_edits);
    CHECK(programs[1].edited == 1);
    CHECK(programs[1].redirected == 1);
    CHECK(programs[2].verdict == TransferVerdict::enough);
    CHECK(programs[2].redirected == 1);
    CHECK(programs[3].verdict == TransferVerdict::nothing_to_do);
    // Said of the style auto only; here it is a reason, not a finding.
    CHECK(file_named(result->report, "net.py") == nullptr);
}

TEST_CASE("pipeline: a file that loads the framework through another file has its objects moved, and loads torch_npu") {
    test::MemoryFileSystem fs;
    fs.add("in/lib/__init__.py", "");
    fs.add("in/lib/model.py", "import torch\n\n\ndef build(name):\n    return registry[name]()\n");
    fs.add("in/lib/again.py", "from lib.model import build\n");
    fs.add("in/run.py", "from lib.again import build\n\nnet = build('a').cuda()\n");
    fs.add("in/other.py", "import chainer\n\nchainer.build('a').cuda()\n");
    REQUIRE(run(options_for(Command::migrate, "in"), fs));
    CHECK(fs.content("out/run.py") == "from lib.again import build\nimport torch_npu\n\nnet = build('a').npu()\n");
    CHECK(fs.content("out/other.py") == fs.content("in/other.py"));
}

TEST_CASE("pipeline: a device that a function of another file takes by position") {
    test::MemoryFileSystem fs;
    fs.add("in/pkg/__init__.py", "from .tools import to_device\n");
    fs.add("in/pkg/tools.py",
           "def to_device(data, device=None, *rest):\n    return data.to(device)\n\n\n"
           "class Runner:\n    def __init__(self, /, path: str, device: str):\n        pass\n\n"
           "    @staticmethod\n    def load(device, name):\n        pass\n\n"
           "    def tag(self, name):\n        pass\n");
    fs.add("in/run.py",
           "import torch\nfrom pkg import to_device\nfrom pkg.tools import Runner\n\n"
           "to_device(1, \"cuda\" if torch else \"cpu\")\nrunner = Runner(\"a\", \"cuda:1\")\n"
           "Runner.load(\"cuda\", \"cuda\")\nrunner.tag(\"cuda\")\nto_device(1, 2, \"cuda\")\n");
    REQUIRE(run(options_for(Command::migrate, "in"), fs));
    CHECK(fs.content("out/run.py") ==
          "import torch\nimport torch_npu\nfrom pkg import to_device\nfrom pkg.tools import Runner\n\n"
          "to_device(1, \"npu\" if torch else \"cpu\")\nrunner = Runner(\"a\", \"npu:1\")\n"
          "Runner.load(\"npu\", \"cuda\")\nrunner.tag(\"cuda\")\nto_device(1, 2, \"cuda\")\n");
}

TEST_CASE("pipeline: a Python file that is too large is copied and reported") {
    test::MemoryFileSystem fs;
    const std::string large = "import torch\nx = '" + std::string(std::size_t{16} << 20, 'x') + "'\n";
    fs.add("in/data.py", large);
    fs.add("in/train.py", kTrain);
    auto result = run(options_for(Command::migrate, "in"), fs);
    REQUIRE(result);
    const ReportFile* file = file_named(result->report, "data.py");
    REQUIRE(file != nullptr);
    CHECK(file->findings[0].outcome.finding.rule == "file.too_large");
    CHECK(fs.content("out/data.py") == large);
    CHECK(fs.content("out/train.py") != kTrain);
}

TEST_CASE("pipeline: how the versions of the framework support what the project uses") {
    test::MemoryFileSystem fs;
    fs.add("in/a.py",
           "import torch\n"
           "a = torch.zeros(2, dtype=torch.float32)\n"
           "b = torch.topk(a, 1), torch.std_mean(a), torch.no_such_name(a), torch.cuda.synchronize()\n"
           "c = a @ a\n");
    fs.add("in/b.py", "import torch\nd = torch.zeros(3)\n");
    Options options = options_for(Command::analyze, "in");
    options.torch_version = Version{2, 9};
    auto result = run(options, fs);
    REQUIRE(result);
    const std::vector<ApiCoverageRow>& rows = result->report.api_coverage;
    const auto row = std::find_if(rows.begin(), rows.end(), [](const auto& item) { return item.chosen; });
    REQUIRE(row != rows.end());
    CHECK(rows.front().version == "2.1");
    CHECK(row->version == "2.9");
    CHECK(row->supported == 3);    // torch.zeros, torch.float32, torch.Tensor.matmul
    CHECK(row->limited == 1);      // torch.topk
    CHECK(row->unsupported == 1);  // torch.std_mean
    CHECK(row->not_listed == 1);   // torch.no_such_name
}
