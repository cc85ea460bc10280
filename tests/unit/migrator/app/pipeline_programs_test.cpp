// Which programs a project has, and what is said of each.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/program_support.h"

using migrator::Command;
using migrator::ProgramOutcome;
using migrator::ProgramVerdict;
using migrator::run;
using migrator::Verdict;
using test::analysed;
using test::options_for;
using test::program;
using test::reach_of;
using Names = std::vector<std::string>;

namespace {

// It takes an NPU by itself.
constexpr const char* kDevice =
    "import torch\n\n\ndef name():\n    try:\n        import torch_npu\n        return \"npu\"\n    except "
    "ImportError:\n        return "
    "\"cuda\"\n";

// It takes an NPU when it is told to.
constexpr const char* kOnRequest =
    "import argparse\nimport os\nimport torch\np = argparse.ArgumentParser()\n"
    "p.add_argument('-d', '--device', default='cuda', choices=['cuda', 'npu'])\n"
    "backend = os.environ.get('BACKEND', 'nccl')\na = p.parse_args()\nif a.device == 'npu':\n    import torch_npu\n"
    "torch.ones(1, device=a.device)\n";

}  // namespace

TEST_CASE("pipeline: programs, what people start first in front, and what says so") {
    test::MemoryFileSystem fs;
    const std::string torch = "import torch\n";
    fs.add("in/README.md", "Run `bash run.sh tasks/b.py`, or\n`python tasks/a.py`.\n    $ toy train\n");
    fs.add("in/FINETUNE.md", "    python late.py\n");
    fs.add("in/CONTRIBUTING.md", "    python bench/x.py\n");
    fs.add("in/run.sh", "torchrun \"$@\"\n");
    fs.add("in/more.sh", "# python old.py\npython tasks/c.py\n");
    fs.add("in/pyproject.toml",
           "[project.scripts]\ntoy = \"toy.cli:main\"\nother = \"toy.other:main\"\n[tool.x]\ny = \"a.b:c\"\n");
    fs.add("in/toy/__init__.py", "");
    fs.add("in/toy/cli.py", torch);
    fs.add("in/toy/other.py", torch);
    for (const char* file : {"tasks/a.py", "tasks/b.py", "tasks/c.py", "old.py", "late.py", "train_it.py", "bench/x.py",
                             "examples/e.py", "docs/conf.py"})
        fs.add(std::string("in/") + file, torch);
    fs.add("in/tests/test_a.py", torch + "if __name__ == '__main__':\n    pass\n");
    const migrator::Report report = analysed(fs);
    Names shown;
    for (const ProgramOutcome& row : report.programs)
        shown.push_back(std::to_string(row.rank) + " " + row.name() + " " + row.origin);
    std::string all;
    for (const std::string& one : shown) all += one + "\n";
    CAPTURE(all);
    CHECK(shown == Names{"1 tasks/b.py README.md:1", "1 tasks/a.py README.md:2", "1 toy README.md:3",
                         "1 late.py FINETUNE.md:1", "2 other pyproject.toml:3", "3 tasks/c.py more.sh:2",
                         "4 train_it.py ", "4 old.py ", "5 examples/e.py ", "6 bench/x.py ", "7 docs/conf.py ",
                         "7 tests/test_a.py "});
    CHECK(program(report, "toy").transfer.path == "toy/cli.py");
}

TEST_CASE("pipeline: programs that take an NPU by themselves, and what they cannot do without") {
    test::MemoryFileSystem fs;
    fs.add("in/device.py", kDevice);
    const std::string begin = "import torch\nfrom device import name\nx = torch.ones(1, device=name())\n";
    fs.add("in/a.py", begin);
    fs.add("in/at_load.py", begin + "import flash_attn\n");
    fs.add("in/called.py", begin +
                               "def run():\n    import flash_attn\n\n\ndef main():\n    run()\n\n\nif __name__ == "
                               "'__main__':\n    main()\n");
    fs.add("in/not_called.py", begin + "def run():\n    import flash_attn\n");
    fs.add("in/on_request.py", begin + "def run():\n    import flash_attn\n\n\nif x.sum() > 1:\n    run()\n");
    fs.add("in/in_a_table.py", begin + "def run():\n    import flash_attn\n\n\nways = {'fast': run}\n");
    fs.add("in/by_base.py", begin +
                                "class Base:\n    def __init__(self):\n        import flash_attn\n\n\nclass "
                                "Net(Base):\n    pass\n\n\nNet()\n");
    fs.add("in/base_alone.py",
           begin + "class Base:\n    def __init__(self):\n        import flash_attn\n\n\nclass Net(Base):\n    pass\n");
    fs.add("in/fixed.py", begin + "torch.ones(1, device='cuda')\n");
    fs.add("in/compares.py", begin + "if str(x.device) == 'cuda':\n    print(1)\n");
    const migrator::Report report = analysed(fs);
    const auto verdict = [&](const char* name) { return program(report, name).verdict; };
    CHECK(verdict("a.py") == ProgramVerdict::runs);
    CHECK(program(report, "a.py").chooses_at.starts_with("device.py:"));
    CHECK(verdict("at_load.py") == ProgramVerdict::blocked);
    CHECK(program(report, "at_load.py").places == Names{"at_load.py:4"});
    CHECK(verdict("called.py") == ProgramVerdict::blocked);
    CHECK(verdict("not_called.py") == ProgramVerdict::runs);
    CHECK(program(report, "not_called.py").not_with == Names{"not_called.py:5"});
    CHECK(verdict("on_request.py") == ProgramVerdict::runs);
    CHECK(verdict("in_a_table.py") == ProgramVerdict::runs);
    CHECK(verdict("by_base.py") == ProgramVerdict::blocked);
    CHECK(verdict("base_alone.py") == ProgramVerdict::runs);
    CHECK(verdict("fixed.py") == ProgramVerdict::open);
    CHECK(verdict("compares.py") == ProgramVerdict::runs);
    // The first of them runs, and others do not.
    CHECK(report.summary.verdict == Verdict::partly);
}

TEST_CASE("pipeline: programs that take an NPU on request, and how they are asked") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", kOnRequest);
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "train.py").verdict == ProgramVerdict::runs_with);
    CHECK(program(report, "train.py").with == Names{"--device npu", "BACKEND=hccl"});
    CHECK(report.summary.verdict == Verdict::native);
    CHECK(report.summary.sentence.text() ==
          "train.py takes an NPU on request (train.py:9): run it with --device npu BACKEND=hccl.");
}

TEST_CASE("pipeline: a program that runs by nothing of its own leaves the verdict to what was found") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", "import torch\n\n\ndef run():\n    import flash_attn\n");
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "train.py").verdict == ProgramVerdict::runs);
    CHECK(report.summary.verdict == Verdict::review);
    CHECK(reach_of(report, "train.py") == std::vector{migrator::Reach::optional});
    CHECK(report.summary.sentence.text() ==
          "train.py: nothing that it always runs is known to need CUDA. What it comes to in some cases only may fail "
          "there: train.py:5.");
}

TEST_CASE("pipeline: what no judged program always loads does not count for --fail-on") {
    test::MemoryFileSystem fs;
    fs.add("in/device.py", kDevice);
    fs.add("in/train.py", "import torch\nfrom device import name\ntorch.ones(1, device=name())\n");
    fs.add("in/bench/old.py",
           "import torch\nimport pynvml\nimport apex.parallel\ntorch.cuda.nccl.version()\nprint(torch.version.cuda + "
           "'')\n");
    const migrator::Report report = analysed(fs);
    CHECK(report.summary.verdict == Verdict::native);
    CHECK_FALSE(migrator::has_open_finding(report, migrator::Severity::error));
    const std::vector<migrator::Reach> reach = reach_of(report, "bench/old.py");
    CHECK(reach.size() > 3);
    CHECK(base::contains(reach, migrator::Reach::optional));
    CHECK_FALSE(base::contains(reach, migrator::Reach::hard));
}

TEST_CASE("pipeline: what transfer_to_npu leaves is what the project is told") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py",
           "import os\nimport torch\nimport torch.distributed as dist\n\n\ndef main():\n    "
           "torch.cuda.set_device(int(os.environ['LOCAL_RANK']))\n"
           "    dist.init_process_group('nccl')\n\n\nif __name__ == '__main__':\n    main()\n");
    const migrator::Report report = analysed(fs);
    Names left;
    for (const migrator::TransferPlace& place : program(report, "train.py").transfer.places) left.push_back(place.rule);
    CHECK(left == Names{});
}

TEST_CASE("pipeline: a program that two paths name is one program") {
    test::MemoryFileSystem fs;
    fs.add("in/a/train.py", "import torch\nimport flash_attn\n");
    migrator::Options options = options_for(Command::analyze, "in");
    options.paths.push_back("in/a/train.py");
    const auto result = run(options, fs);
    REQUIRE(result);
    REQUIRE(result->report.programs.size() == 1);
    CHECK(result->report.programs.front().verdict == ProgramVerdict::blocked);
}

TEST_CASE("pipeline: what a program assumes, and settings for CUDA, are in the sentence") {
    test::MemoryFileSystem fs;
    fs.add("in/device.py", kDevice);
    fs.add("in/train.py",
           "import torch\nfrom device import name\n\n\ndef make(device='cuda'):\n    return torch.ones(1, "
           "device=device)\n\n\n"
           "make(name())\n");
    fs.add("in/conf/train.yaml", "device: cuda\n");
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "train.py").assumed == Names{"train.py:5"});
    const std::string sentence = report.summary.sentence.text();
    CHECK(sentence.find("Where nothing else is said, it takes CUDA: train.py:5.") != sentence.npos);
    CHECK(sentence.find("These settings name CUDA, so give them the NPU where they are used: conf/train.yaml:1.") !=
          sentence.npos);
}

TEST_CASE("pipeline: what a function imports is loaded when the function is called") {
    test::MemoryFileSystem fs;
    fs.add("in/device.py", kDevice);
    fs.add("in/kernels.py", "import flash_attn\n\n\ndef fast(x):\n    return x\n");
    const std::string begin = "import torch\nfrom device import name\nx = torch.ones(1, device=name())\n";
    const std::string loader = "def load():\n    from kernels import fast\n    return fast\n";
    fs.add("in/lib/loader.py", loader);
    fs.add("in/lib/net.py",
           "from lib.loader import load\n\n\nclass Base:\n    def __init__(self):\n        self.other()\n\n    def "
           "other(self):\n"
           "        pass\n\n\nclass Net(Base):\n    def __init__(self):\n        super().__init__()\n\n    def "
           "forward(self):\n"
           "        load()\n\n    def other(self):\n        pass\n\n\nclass Module(torch.nn.Module):\n    def "
           "forward(self):\n"
           "        load()\n");
    fs.add("in/main_of_other.py",
           "import torch\nfrom device import name\nx = torch.ones(1, device=name())\nif __name__ == '__main__':\n    "
           "import "
           "flash_attn\n");
    const auto add = [&](const char* path, const std::string& text) {
        fs.add(std::string("in/") + path, begin + text);
    };
    add("called.py", "from lib.loader import load\nload()\n");
    add("by_other_name.py", "from lib.loader import load as get\nget()\n");
    add("not_called.py", "from lib.loader import load\n");
    add("variable.py", "from lib.loader import other\n\n\ndef run(load):\n    load()\n\n\nrun(print)\n");
    add("of_a_class.py", "from lib.net import Net\nNet().forward()\n");
    add("of_its_class.py", "from lib.net import Net\nNet()\n");
    add("by_its_base.py", "from lib.net import Module\nModule()\n");
    add("of_another.py", "from lib.net import Net\nx.forward()\n");
    add("registered.py", "from lib.loader import load\nREGISTRY.register(Way(name='fast', call=load))\n");
    add("by_text.py", "from lib import loader\ngetattr(loader, 'load')()\n");
    add("guard_of_other.py", "import main_of_other\n");
    const migrator::Report report = analysed(fs);
    const auto verdict = [&](const char* name) { return program(report, name).verdict; };
    for (const char* name : {"called.py", "by_other_name.py", "of_a_class.py", "by_its_base.py", "by_text.py"}) {
        CAPTURE(name);
        CHECK(verdict(name) == ProgramVerdict::blocked);
        CHECK(program(report, name).places == Names{"kernels.py:1"});
    }
    for (const char* name :
         {"not_called.py", "variable.py", "of_its_class.py", "of_another.py", "registered.py", "guard_of_other.py"}) {
        CAPTURE(name);
        CHECK(verdict(name) == ProgramVerdict::runs);
    }
    CHECK(program(report, "not_called.py").not_with == Names{"kernels.py:1"});
    CHECK(verdict("main_of_other.py") == ProgramVerdict::blocked);
}

TEST_CASE("pipeline: a package that loads its parts when they are asked for") {
    test::MemoryFileSystem fs;
    fs.add("in/device.py", kDevice);
    fs.add("in/pkg/__init__.py",
           "import sys\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .fast import run\n    from "
           ".plain import "
           "walk\nelse:\n    sys.modules[__name__] = Lazy(__name__, {'fast': ['run'], 'plain': ['walk']})\n");
    fs.add("in/pkg/fast.py", "import flash_attn\n\n\ndef run():\n    pass\n");
    fs.add("in/pkg/plain.py", "def walk():\n    pass\n");
    const std::string begin = "import torch\nfrom device import name\nx = torch.ones(1, device=name())\n";
    fs.add("in/fast.py", begin + "from pkg import run\nrun()\n");
    fs.add("in/plain.py", begin + "from pkg import walk\nwalk()\n");
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "fast.py").verdict == ProgramVerdict::blocked);
    CHECK(program(report, "plain.py").verdict == ProgramVerdict::runs);
    CHECK(program(report, "plain.py").not_with.empty());
}

TEST_CASE("pipeline: how far the project supports the NPU, what says so, and how it is started there") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", kOnRequest);
    fs.add("in/requirements-npu.txt", "torch_npu\n");
    fs.add("in/pyproject.toml", "[project.optional-dependencies]\nnpu = [\"torch-npu\"]\n");
    const migrator::Report report = analysed(fs);
    REQUIRE(report.project);
    CHECK(report.project->state == migrator::ProjectState::supports);
    CHECK(report.project->kind == migrator::ProjectKind::native_with);
    REQUIRE(report.project->evidence.size() == 1);
    CHECK(report.project->evidence.front().place() == "train.py:9");
    CHECK(report.project->evidence.front().percent == 85);
    CHECK(report.project->start.arguments == Names{"--device npu"});
    CHECK(report.project->start.environment == Names{"BACKEND=hccl"});
    CHECK(report.project->start.install == Names{"pip install '.[npu]'", "pip install -r requirements-npu.txt"});
    CHECK(report.project->sentence.text() == report.summary.sentence.text());
    CHECK(report.summary.sentence.text().find(
              "The project has its own way to install it for the NPU: pip install '.[npu]', pip "
              "install -r requirements-npu.txt.") != std::string::npos);
}

TEST_CASE("pipeline: a library chooses the device, and what measures CUDA is for CUDA") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", "import torch\nfrom transformers import Trainer\nTrainer(model=None).train()\n");
    fs.add("in/bench/kernels.py", "import torch\nimport pynvml\npynvml.nvmlInit()\n");
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "train.py").verdict == ProgramVerdict::runs);
    CHECK(program(report, "train.py").library_at == "train.py:3");
    CHECK(program(report, "bench/kernels.py").verdict == ProgramVerdict::cuda_only);
    REQUIRE(report.project);
    CHECK(report.project->state == migrator::ProjectState::library);
    CHECK(report.project->kind == migrator::ProjectKind::library);
}

TEST_CASE("pipeline: a library chooses the device of one program, and another has its own way to CUDA") {
    test::MemoryFileSystem fs;
    fs.add("in/README.md", "`python train.py`, then `python infer.py`\n");
    fs.add("in/train.py", "import torch\nfrom accelerate import Accelerator\nAccelerator()\n");
    const auto state = [&] {
        const migrator::Report report = analysed(fs);
        return report.project ? report.project->state : migrator::ProjectState::unaware;
    };
    CHECK(state() == migrator::ProjectState::library);
    CHECK(analysed(fs).summary.verdict == Verdict::native);
    fs.add("in/infer.py", "import torch\ntorch.ones(1).cuda()\n");
    CHECK(state() == migrator::ProjectState::in_part);
    CHECK(analysed(fs).summary.verdict == Verdict::partly);
}

TEST_CASE("pipeline: two commands of one file are two programs") {
    test::MemoryFileSystem fs;
    fs.add("in/device.py", kDevice);
    fs.add("in/pyproject.toml", "[project.scripts]\ntoy-train = \"toy.cli:train\"\ntoy-fast = \"toy.cli:fast\"\n");
    fs.add("in/toy/__init__.py", "");
    fs.add("in/toy/cli.py",
           "import torch\nfrom device import name\nx = torch.ones(1, device=name())\n\n\ndef train():\n    "
           "print(x)\n\n\ndef "
           "fast():\n    import flash_attn\n");
    const migrator::Report report = analysed(fs);
    REQUIRE(report.programs.size() == 2);
    CHECK(report.programs[0].name() == "toy-train");
    CHECK(report.programs[0].verdict == ProgramVerdict::runs);
    CHECK(report.programs[1].name() == "toy-fast");
    CHECK(report.programs[1].verdict == ProgramVerdict::blocked);
    CHECK(report.programs[1].origin == "pyproject.toml:3");
}

TEST_CASE("pipeline: what leaves a program, and what is kept for a choice") {
    test::MemoryFileSystem fs;
    fs.add("in/device.py", kDevice);
    const auto add = [&](const char* path, const std::string& text) {
        fs.add(std::string("in/") + path,
               "import torch\nfrom device import name\nx = torch.ones(1, device=name())\n" + text);
    };
    const std::string flash = "def flash(q):\n    import flash_attn\n\n\ndef plain(q):\n    return q\n\n\n";
    add("exits.py", "import sys\ntry:\n    import flash_attn\nexcept ImportError:\n    print('no')\n    sys.exit(1)\n");
    add("hook.py", flash + "net.register_forward_hook(flash)\n");
    add("by_dict.py", flash + "ways = dict(flash=flash, plain=plain)\nways['plain'](x)\n");
    add("by_list.py", flash + "ways = [('flash', flash), ('plain', plain)]\nways[1][1](x)\n");
    add("guard_needed.py",
        "def f(q):\n    if q.is_cuda:\n        import pynvml\n        return pynvml.x(q)\n    raise "
        "ValueError(q)\n\n\nf(x)\n");
    const migrator::Report report = analysed(fs);
    const auto verdict = [&](const char* name) { return program(report, name).verdict; };
    CHECK(verdict("exits.py") == ProgramVerdict::blocked);
    CHECK(verdict("hook.py") == ProgramVerdict::blocked);
    CHECK(verdict("by_dict.py") == ProgramVerdict::runs);
    CHECK(verdict("by_list.py") == ProgramVerdict::runs);
    CHECK(verdict("guard_needed.py") == ProgramVerdict::open);
}

TEST_CASE("pipeline: a notebook that takes an NPU by itself is left as it is") {
    test::MemoryFileSystem fs;
    const std::string cell =
        "{\"cell_type\": \"code\", \"metadata\": {}, \"outputs\": [], \"execution_count\": null, \"source\": [\n"
        "\"import torch\\n\",\n\"try:\\n\",\n\"    import torch_npu\\n\",\n\"    device = 'npu'\\n\",\n\"except "
        "ImportError:\\n\",\n\"    device = 'cuda' if torch.cuda.is_available() else 'cpu'\\n\",\n\"torch.ones(1, "
        "device=device)\\n\"]}";
    const std::string notebook =
        "{\"nbformat\": 4, \"nbformat_minor\": 5, \"metadata\": {}, \"cells\": [" + cell + "]}";
    fs.add("in/train.ipynb", notebook);
    const migrator::Report report = analysed(fs);
    CHECK(program(report, "train.ipynb").verdict == ProgramVerdict::runs);
    CHECK(program(report, "train.ipynb").chooses_at == "train.ipynb:5");
    CHECK(report.summary.verdict == Verdict::native);
    REQUIRE(run(options_for(Command::migrate, "in"), fs));
    CHECK(fs.content("out/train.ipynb") == notebook);
}
