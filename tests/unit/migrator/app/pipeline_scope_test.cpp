// What a report is about: the programs, or all files.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/text.h"
#include "tests/unit/migrator/app/program_support.h"

using migrator::Command;
using migrator::ProgramVerdict;
using migrator::run;
using migrator::Verdict;
using test::analysed;
using test::options_for;
using test::program;
using test::reach_of;

namespace {

// One program that needs edits, one that cannot run, and what none of them loads.
void add_two_programs(test::MemoryFileSystem& fs) {
    fs.add("in/README.md", "`python train.py`, and later `python serve.py`\n");
    fs.add("in/train.py", "import torch\nimport net\nnet.Net().cuda()\n");
    fs.add("in/net.py",
           "import torch\n\n\nclass Net(torch.nn.Module):\n    pass\n\n\ndef fast(x):\n    import flash_attn\n    "
           "return flash_attn.flash_attn_func(x, x, x)\n");
    fs.add("in/serve.py", "import torch\nimport cupy\ntorch.cuda.nccl.version()\n");
    fs.add("in/attic/old.py", "import torch\ntorch.cuda.nccl.version()\n");
    fs.add("in/tests/test_a.py", "import torch\ntorch.cuda.nccl.version()\n");
}

}  // namespace

TEST_CASE("pipeline: the verdict is that of the program that people start first") {
    test::MemoryFileSystem fs;
    add_two_programs(fs);
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "train.py").verdict == ProgramVerdict::edit);
    CHECK(program(report, "serve.py").verdict == ProgramVerdict::blocked);
    CHECK(report.summary.verdict == Verdict::partly);
    CHECK(
        report.summary.sentence.text() ==
        "train.py: what it always runs can be rewritten automatically (places: 1). What it comes to in some cases only "
        "may fail there: net.py:9. Work is left for serve.py.");
    using enum migrator::Reach;
    CHECK(reach_of(report, "train.py") == std::vector{hard});
    CHECK_FALSE(base::contains(reach_of(report, "net.py"), hard));
    CHECK_FALSE(base::contains(reach_of(report, "net.py"), none));
    CHECK(reach_of(report, "attic/old.py") == std::vector{optional});  // it is a program too
    CHECK(reach_of(report, "tests/test_a.py") == std::vector{none});
    CHECK(report.summary.blocking == 2);  // of serve.py
}

TEST_CASE("pipeline: --program is what the report is about, and --scope all is about all files") {
    test::MemoryFileSystem fs;
    add_two_programs(fs);
    const migrator::Report train = analysed(fs, {"train.py"});
    CHECK(train.summary.verdict == Verdict::convertible);
    CHECK(train.summary.blocking == 0);
    CHECK_FALSE(base::contains(reach_of(train, "serve.py"), migrator::Reach::hard));
    const migrator::Report serve = analysed(fs, {"serve.py", "in/train.py"});
    CHECK(serve.summary.verdict == Verdict::blocked);
    CHECK(serve.summary.sentence.text().starts_with("serve.py cannot run on Ascend NPU before this is replaced: "));
    // What nothing else starts.
    const migrator::Report old = analysed(fs, {"attic/old.py"});
    CHECK(program(old, "attic/old.py").verdict == ProgramVerdict::blocked);
    CHECK(old.summary.verdict == Verdict::blocked);
    const migrator::Report whole = analysed(fs, {}, true);
    CHECK(whole.summary.verdict == Verdict::blocked);
    CHECK(reach_of(whole, "attic/old.py") == std::vector{migrator::Reach::hard});

    migrator::Options options = options_for(Command::analyze, "in");
    options.programs = {"trian.py"};
    const auto failed = run(options, fs);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().message == "--program: the project has no program \"trian.py\"; did you mean \"train.py\"?");
}

TEST_CASE("pipeline: after a migration a program that needed edits only is ready") {
    test::MemoryFileSystem fs;
    add_two_programs(fs);
    migrator::Options options = options_for(Command::migrate, "in");
    options.output = "out";
    options.programs = {"train.py"};
    auto result = run(options, fs);
    REQUIRE(result);
    CHECK(result->report.summary.verdict == Verdict::ready);
    CHECK(result->report.summary.sentence.text() ==
          "train.py: what it always runs is rewritten (places: 1), so it is ready for its first run on Ascend NPU. "
          "What it "
          "comes to in some cases only may fail there: net.py:9.");
}

TEST_CASE(
    "pipeline: what the project is installed by comes first, and what a folder builds counts where it is loaded") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", "import torch\ntorch.ones(1).cuda()\n");
    fs.add("in/ops/setup.py",
           "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('fast', ['fast.cu'])\n");
    CHECK(analysed(fs).summary.verdict == Verdict::convertible);
    fs.add("in/requirements.txt", "torch\ncupy\n");
    const migrator::Report report = analysed(fs);
    CHECK(report.summary.verdict == Verdict::review);
    CHECK(report.summary.sentence.text() ==
          "train.py: what it always runs can be rewritten automatically (places: 1). Replace first what is installed "
          "with "
          "it: requirements.txt:2.");
}

TEST_CASE("pipeline: what is said once is said where the programs come to it") {
    test::MemoryFileSystem fs;
    fs.add("in/README.md", "`python train.py`\n");
    fs.add("in/attic.py", "import torch\nimport cupy\n");
    fs.add("in/train.py", "import torch\nimport cupy\n");
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "train.py").verdict == ProgramVerdict::blocked);
    CHECK(report.summary.verdict == Verdict::blocked);
    CHECK(report.summary.blocking > 0);
    for (const std::string& id : program(report, "train.py").blockers) {
        const auto has = [&](const migrator::ReportFile& file) {
            return std::ranges::any_of(file.findings, [&](const auto& item) { return item.id == id; });
        };
        CHECK(std::ranges::any_of(report.files, has));
    }
}

TEST_CASE("pipeline: a setting without effect on the NPU stops no program") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py",
           "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\ntorch.backends.cudnn.allow_tf32 = True\n"
           "torch.ones(1).cuda()\n");
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "train.py").verdict == ProgramVerdict::edit);
    CHECK(report.summary.verdict == Verdict::convertible);
}

TEST_CASE("pipeline: a key for CUDA next to the same for the NPU is for CUDA") {
    test::MemoryFileSystem fs;
    fs.add("in/pyproject.toml",
           "[project]\nname = \"toy\"\n[project.optional-dependencies]\ngpu = [\"cupy\", \"nvidia-ml-py\"]\nnpu = "
           "[\"torch-npu\"]\nall = [\"cupy\"]\n");
    const migrator::Report report = analysed(fs);
    std::vector<std::string> shown;
    for (const migrator::ReportFinding& item : test::file_named(report, "pyproject.toml")->findings)
        shown.push_back(std::to_string(item.outcome.begin.line) + " " +
                        std::string(name(item.outcome.finding.severity)));
    CHECK(shown == std::vector<std::string>{"4 info", "6 error"});
}

TEST_CASE("pipeline: what is made for the old NPU stack is obsolete, by its code or by what it asks for") {
    const std::string train = "import torch\nx = torch.ones(2).to('npu:0')\n";
    test::MemoryFileSystem by_code;
    by_code.add("in/train.py", "import torch\nimport torch.npu\nx = torch.ones(2).to('npu:0')\n");
    const migrator::Report code = analysed(by_code);
    CHECK(program(code, "train.py").verdict == ProgramVerdict::obsolete);
    CHECK(code.project->state == migrator::ProjectState::obsolete);
    CHECK(code.project->kind == migrator::ProjectKind::obsolete);
    CHECK(code.summary.verdict == Verdict::review);
    CHECK(
        code.summary.sentence.text() ==
        "train.py is made for the NPU stack of 2020 to 2022 (train.py:2), which is out of use: start from what it was "
        "made of for CUDA, or replace what is listed.");
    test::MemoryFileSystem by_pin;
    by_pin.add("in/train.py", train);
    by_pin.add("in/requirements.txt", "torch==1.8.1+ascend.rc2\n");
    CHECK(program(analysed(by_pin), "train.py").verdict == ProgramVerdict::obsolete);
    by_pin.add("in/requirements.txt", "torch==2.7.1\n");
    CHECK(program(analysed(by_pin), "train.py").verdict != ProgramVerdict::obsolete);
    by_code.add("in/device.py", "import torch_npu\n");
    CHECK(program(analysed(by_code), "train.py").verdict != ProgramVerdict::obsolete);
}

TEST_CASE("pipeline: where places are left that transfer_to_npu redirects, the summary says so") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py",
           "import torch\n\n\ndef pick(kind):\n    if kind == 'cuda':\n        return torch.device('cuda')\n    return "
           "torch.device('cpu')\n\n\nnet = torch.nn.Linear(2, 2).to(pick('cuda'))\n");
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "train.py").verdict == ProgramVerdict::open);
    CHECK(report.summary.sentence.text() ==
          "train.py needs a look before its first run on Ascend NPU: train.py:5. transfer_to_npu (--style auto) leaves "
          "nothing of that to a person for train.py, so it is the safer way.");
}

TEST_CASE("pipeline: code that could not be read leaves no project ready") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", "import torch\ntorch.ones(1).cuda()\n");
    fs.add("in/other.py", "import torch\nname = '\xe9'\ntorch.ones(1).cuda()\n");
    const migrator::Report report = analysed(fs);
    CHECK(report.summary.verdict == Verdict::review);
    CHECK(report.summary.sentence.text() ==
          "train.py: what it always runs can be rewritten automatically (places: 1). Not all of this could be read, so "
          "look at it: other.py:1.");
}

TEST_CASE("pipeline: parts of a mapping that stand in nothing, as in a text that does not parse") {
    test::MemoryFileSystem fs;
    std::string text = "import torch\n";
    for (int i = 0; i < 12; ++i) text += " \"hccl\", \"cpu\": \"end = {\"npu\":";
    fs.add("in/train.py", text + " \"gloo\"}[torch.device(\"npu\").type]\n");
    CHECK(analysed(fs).summary.files_with_problems == 1);
}
