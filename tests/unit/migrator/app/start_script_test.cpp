// Scripts that start programs: how a project starts them, and what is written.
#include <doctest/doctest.h>

#include "base/format.h"
#include "migrator/start/start_script.h"
#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;
using test::file_named;
using test::options_for;

namespace {

const StartFacts& facts() {
    static base::DataStore store;
    static const StartFacts loaded = StartFacts::load(store).value();
    return loaded;
}

std::string started_in(std::string_view text) {
    std::string out;
    for (const StartedProgram& one : started_programs(text, facts()))
        out += base::format("{}: {} {} x{} headers {}\n", one.line, base::joined(one.launcher->words, " "), one.program,
                            one.processes, one.headers.size());
    return out;
}

constexpr const char* kTrains =
    "import torch\n\n\ndef main(net, opt, data):\n    for x in data:\n        net(x).sum().backward()\n"
    "        opt.step()\n\n\nif __name__ == '__main__':\n    main()\n";

Options with_start_script(Command command) {
    Options options = options_for(command, "in");
    options.start_script = true;
    return options;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("start script: commands that start programs") {
    CHECK(started_in("#!/bin/bash\n#SBATCH -N 2\n#SBATCH --gres=gpu:8\n"
                     "torchrun --nproc_per_node=8 \\\n    tools/train.py --lr 0.1\n") ==
          "4: torchrun tools/train.py x8 headers 0\n");
    CHECK(
        started_in("CUDA_VISIBLE_DEVICES=0,1 python3 -m torch.distributed.launch --nproc_per_node 2 train.py a.py\n") ==
        "1: python* -m torch.distributed.launch train.py x2 headers 0\n");
    CHECK(started_in("#SBATCH -N 2\n#SBATCH --gres=gpu:8\nsrun --ntasks-per-node=8 python train.py\n") ==
          "3: srun train.py x8 headers 1\n");
    CHECK(started_in("cd x && accelerate launch --num_processes $GPUS \"$DIR/train.py\"; deepspeed ./other.py") ==
          "1: accelerate launch train.py x headers 0\n1: deepspeed other.py x headers 0\n");
    CHECK(started_in("# python train.py\necho train.py\ncp a/train.py b.py\n").empty());
    CHECK(started_in("      run: python train.py --epochs 1  # smoke test") == "1: python* train.py x headers 0\n");
}

TEST_CASE("start script: a program that a variable of the script names") {
    CHECK(started_in("SCRIPT=\"pretrain.py\"\ntorchrun \"${ARGS[@]}\" \\\n  \"$SCRIPT\" \"${MODEL[@]}\"\n") ==
          "2: torchrun pretrain.py x headers 0\n");
    CHECK(started_in("export RUN=${1:-tools/run.py}\npython ${RUN} $@\n") == "2: python* tools/run.py x headers 0\n");
    CHECK(started_in("A=one.py\nif x; then A=two.py; fi\npython $A\npython $B\n").empty());
    CHECK(started_in("A=out.txt\npython $A\n").empty());
}

TEST_CASE("start script: modules, recipes of make, and lines of notebooks") {
    CHECK(started_in("python -m pkg.train --config a.py") == "1: python* pkg/train.py x headers 0\n");
    CHECK(started_in("torchrun --nproc_per_node=8 -m pkg.train") == "1: torchrun pkg/train.py x8 headers 0\n");
    CHECK(started_in("python -m torch.distributed.launch --nproc_per_node 2 -m pkg.train") ==
          "1: python* -m torch.distributed.launch pkg/train.py x2 headers 0\n");
    CHECK(started_in("train:\n\t@python train.py\n") == "2: python* train.py x headers 0\n");
    CHECK(started_in("!python train.py --epochs 2") == "1: python* train.py x headers 0\n");
    CHECK(started_in("grep -m 1 x.y a\npython -m .x\n").empty());
}

TEST_CASE("start script: the value of a launcher's option is not a program") {
    CHECK(started_in("srun -m cyclic python train.py") == "1: srun train.py x headers 0\n");
    CHECK(started_in("srun $OPTIONS -N 2 -m block:cyclic -n 8 python -m pkg.train") ==
          "1: srun pkg/train.py x headers 0\n");
    CHECK(started_in("srun -J python -m cyclic torchrun -m pkg.train") == "1: srun pkg/train.py x headers 0\n");
    CHECK(started_in("srun --job-name a.py python train.py") == "1: srun train.py x headers 0\n");
    CHECK(started_in("srun -m cyclic hostname; python -m pkg.a") == "1: python* pkg/a.py x headers 0\n");
}

TEST_CASE("start script: a module is started as one, wherever the command stands") {
    test::MemoryFileSystem fs;
    fs.add("in/pkg/train.py", kTrains);
    fs.add("in/pkg/tool/__main__.py", kTrains);
    fs.add("in/cell.py", kTrains);
    fs.add("in/Makefile",
           "train:\n\t@torchrun --nproc_per_node=4 -m pkg.train --lr 0.1\ntool:\n\tpython -m pkg.tool\n");
    fs.add(
        "in/use.ipynb",
        R"({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "metadata": {}, "outputs": [],
"execution_count": null, "source": ["!python cell.py --epochs 3\n"]}]})");
    REQUIRE(run(with_start_script(Command::migrate), fs));
    const std::string train = fs.content("out/pkg/run_npu.sh");
    CHECK(has(train, "# Line 2 of Makefile: @torchrun --nproc_per_node=4 -m pkg.train --lr 0.1\n"));
    CHECK(has(train, "cd \"$(dirname \"${BASH_SOURCE[0]}\")/..\"\n"));
    CHECK(has(train, " -m pkg.train \"$@\"\n"));
    const std::string tool = fs.content("out/pkg/tool/run_npu.sh");
    CHECK(has(tool, " -m pkg.tool.__main__ \"$@\"\n"));
    const std::string cell = fs.content("out/run_npu.sh");
    CHECK(has(cell, "# A cell of use.ipynb: python cell.py --epochs 3\n"));
}

TEST_CASE("start script: it stands beside the program, as the project starts it, and is recorded") {
    test::MemoryFileSystem fs;
    fs.add("in/tools/train.py", kTrains);
    fs.add("in/run.sh", "torchrun --nproc_per_node=4 tools/train.py --lr 0.1\n");
    const auto result = run(with_start_script(Command::migrate), fs);
    REQUIRE(result);
    const std::string text = fs.content("out/tools/run_npu.sh");
    CHECK(has(text, "# Line 1 of run.sh: torchrun --nproc_per_node=4 tools/train.py --lr 0.1\n"));
    CHECK(has(text, "cd \"$(dirname \"${BASH_SOURCE[0]}\")/..\"\n"));
    CHECK(has(text, "processes=\"${NPROC_PER_NODE:-4}\"\n"));
    CHECK(has(text, "export HCCL_CONNECT_TIMEOUT=\"${HCCL_CONNECT_TIMEOUT:-$((nodes > 1 ? 3600 : 1200))}\"\n"));
    CHECK(has(text, "--nproc_per_node \"$processes\" \\\n"));
    CHECK(has(text, " tools/train.py \"$@\"\n"));
    CHECK_FALSE(has(text,
                    "@"
                    "PROGRAM@"));
    const ReportFile* file = file_named(result->report, "tools/run_npu.sh");
    REQUIRE(file != nullptr);
    CHECK(file->findings.front().outcome.finding.rule == "file.start_script");
    CHECK(file->new_mode == 0755);
    CHECK(file->diff.starts_with("diff --git a/tools/run_npu.sh b/tools/run_npu.sh\nnew file mode 100755\n"));
}

TEST_CASE("start script: programs that only train, several of a directory, modules of packages") {
    test::MemoryFileSystem fs;
    fs.add("in/one.py", kTrains);
    fs.add("in/two.py", std::string(kTrains) + "import os\nrank = os.environ['LOCAL_RANK']\n");
    fs.add("in/pkg/__init__.py", "");
    fs.add("in/pkg/train.py", kTrains);
    fs.add("in/helper.py", "import torch\n\nif __name__ == '__main__':\n    print(torch.zeros(2))\n");
    REQUIRE(run(with_start_script(Command::migrate), fs));
    CHECK(has(fs.content("out/run_npu_one.sh"), "exec python3 one.py \"$@\"\n"));
    CHECK_FALSE(has(fs.content("out/run_npu_one.sh"), "HCCL_CONNECT_TIMEOUT"));
    CHECK_FALSE(has(fs.content("out/run_npu_one.sh"), "nodes="));
    CHECK(has(fs.content("out/run_npu_two.sh"), "exec torchrun "));
    CHECK(has(fs.content("out/run_npu_two.sh"), "processes=\"${NPROC_PER_NODE:-$(find /dev "));
    CHECK(has(fs.content("out/pkg/run_npu.sh"), "/..\"\n"));
    CHECK(has(fs.content("out/pkg/run_npu.sh"), "exec python3 -m pkg.train \"$@\"\n"));
    CHECK_FALSE(fs.exists("out/run_npu_helper.sh"));
}

TEST_CASE("start script: what the project sets itself is not set, and a file that is there stays") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", std::string(kTrains) + "# PYTORCH_CUDA_ALLOC_CONF\n");
    REQUIRE(run(with_start_script(Command::migrate), fs));
    CHECK_FALSE(has(fs.content("out/run_npu.sh"), "export PYTORCH_NPU_ALLOC_CONF"));
    CHECK(has(fs.content("out/run_npu.sh"), "export TASK_QUEUE_ENABLE"));
    fs.add("in/run_npu.sh", "own\n");
    Options options = with_start_script(Command::migrate);
    options.force = true;
    const auto result = run(options, fs);
    REQUIRE(result);
    CHECK(fs.content("out/run_npu.sh") == "own\n");
    bool said = false;
    for (const base::Message& note : result->report.notes)
        said |= note.text() == "run_npu.sh is there already and stays as it is: train.py gets no other.";
    CHECK(said);
}
