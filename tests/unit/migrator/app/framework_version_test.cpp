// Which version of the framework files are migrated for, and what it decides.
#include <doctest/doctest.h>

#include "migrator/app/pipeline.h"
#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;
using test::file_named;
using test::options_for;

TEST_CASE("pipeline: the version of the framework comes from the requirements, and decides on fixes") {
    constexpr const char* kNew = "import torch\nprint(torch.cuda.host_memory_stats())\n";
    auto migrated = [&](const base::Path& file, const std::string& text, std::optional<Version> said = {}) {
        test::MemoryFileSystem fs;
        fs.add("repo/.git/HEAD", "");
        fs.add("repo/p/a.py", kNew);
        if (!file.empty()) fs.add(file, text);
        Options options = options_for(Command::migrate, "repo/p");
        options.torch_version = said;
        auto result = run(options, fs);
        REQUIRE(result);
        const bool rewritten = fs.content("out/a.py").find("torch.npu") != std::string::npos;
        return std::pair(rewritten, result->report.notes.front());
    };
    auto check = [&](const base::Path& file, const std::string& text, bool rewritten, const std::string& note) {
        CAPTURE(text);
        auto found = migrated(file, text);
        CHECK(found.first == rewritten);
        CHECK(found.second == note);
    };
    check("", "", true, "For torch 2.13: nothing in the project asks for a version; this is the newest one known.");
    check("repo/p/requirements.txt", "numpy\ntorch==2.1.0+cu118  # old\n", false,
          "For torch 2.1: requirements.txt:2 asks for torch==2.1.0+cu118.");
    check("repo/p/requirements.txt", "torch>=2.0,<2.7 ; python_version > '3'\n", false,
          "For torch 2.6: requirements.txt:1 asks for torch>=2.0,<2.7.");
    check("repo/p/requirements.txt", "torch\n", true,
          "For torch 2.13: nothing in the project asks for a version; this is the newest one known.");
    check("repo/p/pyproject.toml", "[project]\ndependencies = [\n  \"torch~=2.7\",\n]\n", true,
          "For torch 2.13: pyproject.toml:3 asks for torch~=2.7.");
    check("repo/p/pyproject.toml", "[tool.poetry.dependencies]\ntorch = {version = \"2.1\"}\n", false,
          "For torch 2.1: pyproject.toml:2 asks for torch 2.1.");
    check("repo/p/setup.py", "setup(install_requires=['torch<2.2'])\n", false,
          "For torch 2.1: setup.py:1 asks for torch<2.2.");
    check("repo/p/environment.yml", "dependencies:\n  - pytorch=2.6\n", false,
          "For torch 2.6: environment.yml:2 asks for pytorch=2.6.");
    check("repo/requirements-gpu.txt", "torch==2.4\n", false,
          "For torch 2.4: repo/requirements-gpu.txt:1 asks for torch==2.4.");
    check("requirements.txt", "torch==2.4\n", true,
          "For torch 2.13: nothing in the project asks for a version; this is the newest one known.");
    CHECK(migrated("repo/p/requirements.txt", "torch==2.1\n", Version{2, 7}).first);
}

TEST_CASE("pipeline: a Dockerfile names the version where nothing else of the project does") {
    const auto note = [](std::initializer_list<std::pair<const char*, const char*>> files) {
        test::MemoryFileSystem fs;
        fs.add("p/a.py", "import torch\nprint(torch.cuda.host_memory_stats())\n");
        for (const auto& [path, text] : files) fs.add(path, text);
        auto result = run(options_for(Command::migrate, "p"), fs);
        REQUIRE(result);
        const bool is_old = fs.content("out/a.py").find("torch.npu") == std::string::npos;
        return std::pair(is_old, result->report.notes.front().text());
    };
    const std::string image = "FROM pytorch/pytorch:2.1.0-cuda12.1-cudnn8-devel AS base\n";
    const auto by_image = std::pair(true, std::string("For torch 2.1: Dockerfile:1 asks for torch==2.1.0."));
    CHECK(note({{"p/Dockerfile", image.c_str()}}) == by_image);
    CHECK(note({{"p/Dockerfile", image.c_str()}, {"p/requirements.txt", "numpy\ntorch\n"}}) == by_image);
    CHECK(note({{"p/Dockerfile", image.c_str()}, {"p/requirements.txt", "torch==2.6\n"}}) ==
          std::pair(true, std::string("For torch 2.6: requirements.txt:1 asks for torch==2.6.")));
    CHECK(note({{"p/Dockerfile", image.c_str()}, {"p/requirements/base.txt", "torch==2.6\n"}}) ==
          std::pair(true, std::string("For torch 2.6: requirements/base.txt:1 asks for torch==2.6.")));
    CHECK(note({{"p/sub/Dockerfile", image.c_str()}, {"p/sub/b.py", ""}, {"p/requirements.txt", "torch==2.6\n"}}) ==
          std::pair(true, std::string("For torch 2.6: requirements.txt:1 asks for torch==2.6.")));
    CHECK(note({{"p/Dockerfile", "FROM ubuntu:22.04\nRUN pip install numpy torch==2.4.1\n"}}) ==
          std::pair(true, std::string("For torch 2.4: Dockerfile:2 asks for torch==2.4.1.")));
    CHECK(note({{"p/docker/train.Dockerfile", image.c_str()}}) ==
          std::pair(true, std::string("For torch 2.1: docker/train.Dockerfile:1 asks for torch==2.1.0.")));
    constexpr const char* kNothing =
        "For torch 2.13: nothing in the project asks for a version; this is the newest one known.";
    CHECK(note({{"p/Dockerfile", "ARG TAG=2.1.0\nFROM pytorch/pytorch:${TAG}\n"}}) ==
          std::pair(false, std::string(kNothing)));
    CHECK(note({{"p/Dockerfile", "FROM pytorch/pytorch:latest\n# torch==2.1\n"}}) ==
          std::pair(false, std::string(kNothing)));
}

TEST_CASE("pipeline: every file is migrated for the version that the nearest requirements ask for") {
    constexpr const char* kNew = "import torch\nprint(torch.cuda.host_memory_stats())\n";
    test::MemoryFileSystem fs;
    fs.add("p/old/requirements/base.txt", "");
    fs.add("p/old/requirements.txt", "torch==1.10.1\n");
    fs.add("p/old/deep/a.py", kNew);
    fs.add("p/new/docker/requirements.txt", "torch>=2.9\n");
    fs.add("p/new/a.py", kNew);
    fs.add("p/new/older/setup.py", "setup(install_requires=['torch<2.2'])\n");
    fs.add("p/new/older/a.py", kNew);
    fs.add("p/a.py", kNew);
    auto result = run(options_for(Command::migrate, "p"), fs);
    REQUIRE(result);
    const auto is_rewritten = [&](const char* path) { return fs.content(path).find("torch.npu") != std::string::npos; };
    CHECK_FALSE(is_rewritten("out/old/deep/a.py"));
    CHECK(is_rewritten("out/new/a.py"));
    CHECK_FALSE(is_rewritten("out/new/older/a.py"));
    CHECK(is_rewritten("out/a.py"));
    const auto& notes = result->report.notes;
    REQUIRE(notes.size() >= 4);
    CHECK(notes[0] == "For torch 2.13: nothing in the project asks for a version; this is the newest one known.");
    CHECK(notes[1] == "The files below new/ for torch 2.13: new/docker/requirements.txt:1 asks for torch>=2.9.");
    CHECK(notes[2] == "The files below new/older/ for torch 2.1: new/older/setup.py:1 asks for torch<2.2.");
    CHECK(notes[3] == "The files below old/ for torch 1.10: old/requirements.txt:1 asks for torch==1.10.1.");
}

TEST_CASE("pipeline: what the version lacks is reported with the reason") {
    test::MemoryFileSystem fs;
    fs.add("p/a.py",
           "import torch\nfrom torch.cuda import ExternalStream, synchronize\nprint(ExternalStream)\nsynchronize()\n");
    Options options = options_for(Command::migrate, "p");
    options.torch_version = Version{2, 6};
    auto result = run(options, fs);
    REQUIRE(result);
    CHECK(fs.content("out/a.py").find("from torch.cuda import ExternalStream") != std::string::npos);
    CHECK(fs.content("out/a.py").find("from torch.npu import synchronize") != std::string::npos);
    const ReportFile* file = file_named(result->report, "a.py");
    REQUIRE(file != nullptr);
    const auto found = std::find_if(file->findings.begin(), file->findings.end(), [](const ReportFinding& item) {
        return item.outcome.finding.subject == "torch.cuda.ExternalStream";
    });
    REQUIRE(found != file->findings.end());
    CHECK(found->outcome.state == FixState::none);
    CHECK(found->outcome.finding.message ==
          "torch.npu.ExternalStream is in torch >=2.13 only, and this project has 2.6, so torch.cuda.ExternalStream is "
          "left as it is. Wraps a raw aclrtStream instead of a cudaStream_t.");
}
