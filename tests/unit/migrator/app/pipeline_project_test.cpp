// What a run says of files together.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;
using test::file_named;
using test::kTrain;
using test::options_for;

TEST_CASE("pipeline: what serves an engine of GPUs is left alone, and judged with transfer_to_npu like other code") {
    test::MemoryFileSystem fs;
    fs.add("in/engine.py", "import tensorrt as trt\nimport torch\n\nx = torch.zeros(1).cuda()\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    const ReportFile* file = file_named(result->report, "engine.py");
    REQUIRE(file != nullptr);
    std::string rules;
    for (const ReportFinding& item : file->findings) rules += item.outcome.finding.rule + " ";
    CHECK(rules == "serving.code third_party.replacement ");
}

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
    CHECK(programs[0].transfer.path == "compiled.py");
    CHECK(programs[0].transfer.files == 2);
    CHECK(programs[0].transfer.verdict == TransferVerdict::not_enough);
    REQUIRE(programs[0].transfer.places.size() == 1);
    CHECK(programs[0].transfer.places[0].path == "net.py");
    CHECK(programs[0].transfer.places[0].line == 4);
    CHECK(programs[0].transfer.places[0].rule == "transfer.jit");
    CHECK(programs[1].transfer.verdict == TransferVerdict::with_edits);
    CHECK(programs[1].transfer.edited == 1);
    CHECK(programs[1].transfer.redirected == 1);
    CHECK(programs[2].transfer.verdict == TransferVerdict::enough);
    CHECK(programs[2].transfer.redirected == 1);
    CHECK(programs[3].transfer.verdict == TransferVerdict::nothing_to_do);
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

TEST_CASE("pipeline: a directory without a file of a known kind is no project, one whose files are left out is") {
    test::MemoryFileSystem prose, large, ignored;
    prose.add("in/prose.txt", "Nothing.\n");
    const auto result = run(options_for(Command::analyze, "in"), prose);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == base::ErrorKind::bad_input);
    large.add("in/data.py", std::string((std::size_t{16} << 20) + 1, '#'));
    CHECK(run(options_for(Command::analyze, "in"), large));
    ignored.add("in/.gitignore", "*.py\n");
    ignored.add("in/a.py", kTrain);
    CHECK(run(options_for(Command::analyze, "in"), ignored));
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

TEST_CASE("pipeline: where the chips run the operators of what the project uses, when a report is made") {
    test::MemoryFileSystem fs;
    fs.add("in/a.py", "import torch\na = torch.matmul(x, x), torch.linalg.inv(x), torch.save(x, 'x')\n");
    Options options = options_for(Command::analyze, "in");
    const auto plain = run(options, fs);
    REQUIRE(plain);
    CHECK(plain->report.chip_coverage.empty());
    options.json = true;
    const auto result = run(options, fs);
    REQUIRE(result);
    const std::vector<ChipCoverageRow>& rows = result->report.chip_coverage;
    REQUIRE(rows.size() > 3);
    CHECK(rows.front().product == "Atlas A2");
    CHECK(rows.front().on_npu == 1);         // torch.matmul
    CHECK(rows.front().on_cpu == 1);         // torch.linalg.inv
    for (const ChipCoverageRow& row : rows)  // torch.save is no operator
        CHECK(row.on_npu + row.recompiled + row.on_cpu + row.refused + row.unknown == 2);
}

namespace {

// The message of the only finding of this rule about this subject.
std::string message_of(const Report& report, std::string_view path, std::string_view rule, std::string_view subject) {
    const ReportFile* file = file_named(report, path);
    REQUIRE(file != nullptr);
    for (const ReportFinding& item : file->findings) {
        if (item.outcome.finding.rule == rule && item.outcome.finding.subject == subject)
            return item.outcome.finding.message.text();
    }
    return "";
}

}  // namespace

TEST_CASE("pipeline: from where operators of the project's C++ sources are called") {
    test::MemoryFileSystem fs;
    fs.add("in/csrc/ops.cpp",
           "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n  m.def(\"scale\", &scale);\n  m.def(\"unused\", &unused);\n}\n"
           "TORCH_LIBRARY(mine, m) { m.def(\"shift(Tensor x) -> Tensor\"); }\n");
    fs.add("in/net/__init__.py", "");
    fs.add("in/net/layer.py",
           "import torch\nfrom . import _C\nfrom . import plain\n\n\ndef run(x):\n    plain.scale(x)\n"
           "    return _C.scale(torch.ops.mine.shift(x))\n");
    fs.add("in/net/plain.py", "def scale(x):\n    return x\n");
    fs.add("in/main.py",
           "import scale_ext\nimport numpy\n\nfor i in range(3):\n    scale_ext.scale(i)\nscale_ext.scale(1)\n"
           "scale_ext.scale(2)\nscale_ext.scale(3)\nnumpy.scale(4)\n");
    fs.add("in/csrc/loaded.cpp",
           "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"spin\", &spin); m.def(\"turn\", &turn); }\n");
    fs.add("in/loaded.py",
           "from torch.utils.cpp_extension import load\n\next = load(name=\"e\", sources=[\"csrc/loaded.cpp\"])\n\n\n"
           "class Net:\n    def __init__(self):\n        self.ops = load(\"f\", [\"csrc/loaded.cpp\"])\n\n"
           "    def run(self, x):\n        return self.ops.turn(ext.spin(x))\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    const Report& report = result->report;
    CHECK(message_of(report, "csrc/loaded.cpp", "custom_ops.pybind", "spin")
              .ends_with(" It is called from loaded.py:11."));
    CHECK(message_of(report, "csrc/loaded.cpp", "custom_ops.pybind", "turn")
              .ends_with(" It is called from loaded.py:11."));
    CHECK(message_of(report, "csrc/ops.cpp", "custom_ops.pybind", "scale")
              .ends_with(" It is called from main.py:5, main.py:6, main.py:7, main.py:8, net/layer.py:8."));
    CHECK(message_of(report, "csrc/ops.cpp", "custom_ops.registration", "mine::shift")
              .ends_with(" It is called from net/layer.py:8."));
    CHECK(message_of(report, "csrc/ops.cpp", "custom_ops.pybind", "unused").find("called from") == std::string::npos);
}

TEST_CASE("pipeline: compiled files are looked into, and copied as they are") {
    test::MemoryFileSystem fs;
    const std::string library = std::string(
        "\x7f"
        "ELF\0\0libcudart.so.12\0",
        23);
    fs.add("in/lib/fused.so", library);
    fs.add("in/lib/plain.so", std::string("\x7f"
                                          "ELF\0libc.so.6\0",
                                          15));
    fs.add("in/train.py", kTrain);
    const auto result = run(options_for(Command::migrate, "in"), fs);
    REQUIRE(result);
    CHECK(!message_of(result->report, "lib/fused.so", "custom_ops.compiled_file", "fused.so").empty());
    CHECK(file_named(result->report, "lib/plain.so") == nullptr);
    CHECK(fs.content("out/lib/fused.so") == library);
}

TEST_CASE("pipeline: the size of a communicator's buffer from the sizes that the project writes down") {
    test::MemoryFileSystem fs;
    const std::string sizes = "micro_batch_size: 4\nseq_length: 8192\n";
    const std::string split = "tensor_model_parallel_size: 2\n";
    fs.add("in/config.yaml", sizes + split);
    fs.add("in/train.py",
           "import torch\n\nhidden_size = 5120\ntorch.distributed.init_process_group('gloo')\n\n\n"
           "def train(model, data, optimizer):\n    for x in data:\n        model(x).sum().backward()\n"
           "        optimizer.step()\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    // 4 x 8192 x 5120 x 4 bytes are 640 MB exactly: the loop trains in float32, as other advice says.
    CHECK(message_of(result->report, "train.py", "advice.hccl_buffer", "torch.distributed.init_process_group")
              .ends_with(
                  " Of this project: micro_batch_size 4 x seq_length 8192 x hidden_size 5120 x 4 bytes = 640 MB."));
    fs.add("in/config.yaml", sizes + split + "bf16: true\n");
    const auto half = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(half);
    CHECK(message_of(half->report, "train.py", "advice.hccl_buffer", "torch.distributed.init_process_group")
              .ends_with("hidden_size 5120 x 2 bytes = 320 MB."));
    // Nothing sends activations where the data alone is split.
    fs.add("in/config.yaml", sizes);
    fs.add("in/wrap.py", "def wrap(model):\n    return DistributedDataParallel(model, bucket_cap_mb=800)\n");
    const auto buckets = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(buckets);
    CHECK(message_of(buckets->report, "train.py", "advice.hccl_buffer", "torch.distributed.init_process_group")
              .ends_with("when memory is short. Of this project: bucket_cap_mb = 800 MB."));
    fs.add("in/wrap.py", "");
    fs.add("in/other.yaml", "hidden_size: 1024\n");
    const auto two = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(two);
    CHECK(message_of(two->report, "train.py", "advice.hccl_buffer", "torch.distributed.init_process_group")
              .find("Of this project") == std::string::npos);
}

TEST_CASE("pipeline: a function of the project that is named like a compiled module is none") {
    test::MemoryFileSystem fs;
    fs.add("in/net/__init__.py", "");
    fs.add("in/net/checks.py", "def needs_cuda(x):\n    return x\n");
    fs.add("in/net/use.py", "from .checks import needs_cuda\nfrom . import ops_cuda\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    const ReportFile* file = file_named(result->report, "net/use.py");
    REQUIRE(file != nullptr);
    REQUIRE(file->findings.size() == 1);
    CHECK(file->findings[0].outcome.finding.subject == "net.ops_cuda");
}
