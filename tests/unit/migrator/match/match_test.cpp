#include <doctest/doctest.h>

#include "migrator/match/import_plan.h"
#include "migrator/match/requirement.h"
#include "migrator/python/import_index.h"
#include "migrator/values/value_form.h"
#include "tests/unit/migrator/rules/case_support.h"

namespace {

migrator::ValueRow device_row() {
    migrator::ValueRow row;
    row.tokens = {"cuda"};
    row.fix.replace = {{"cuda", "npu"}};
    return row;
}

migrator::ValueRow backend_row() {
    migrator::ValueRow row;
    row.form = migrator::ValueForm::backend;
    row.tokens = {"nccl", "NCCL"};
    row.fix.replace = {{"cuda", "npu"}, {"nccl", "hccl"}, {"NCCL", "HCCL"}};
    return row;
}

std::string after(std::string_view text, const migrator::ValueRow& row) {
    return migrator::replaced(text, migrator::value_tokens(text, row));
}

}  // namespace

TEST_CASE("device values: names with an index, fields and lists of them") {
    migrator::ValueRow row = device_row();
    CHECK(after("cuda", row) == "npu");
    CHECK(after("cuda:0", row) == "npu:0");
    CHECK(after("cuda:", row) == "npu:");
    CHECK(after("cuda:\x01", row) == "npu:\x01");
    CHECK(after("cuda\x01", row) == "npu\x01");
    CHECK(after("cuda:%d", row) == "npu:%d");
    CHECK(after("cuda:%(rank)d", row) == "npu:%(rank)d");
    CHECK(after("cuda:{idx}", row) == "npu:{idx}");
    CHECK(after("cpu,cuda:0, cuda:1", row) == "cpu,npu:0, npu:1");
    for (const char* other : {"cuda is fast", " cuda ", "cuda:setup", "cuda:11.8", "cuda_if_available", "'cuda'",
                              "nvidia/cuda:1", "cuda:0;cuda:1", "^cuda:", "cuda,", "cuda true", "CUDA"}) {
        CAPTURE(other);
        CHECK(migrator::value_tokens(other, row).empty());
    }
}

TEST_CASE("backend values: names and maps as a whole") {
    migrator::ValueRow row = backend_row();
    CHECK(after("nccl", row) == "hccl");
    CHECK(after("NCCL", row) == "HCCL");
    CHECK(after("cpu:gloo,cuda:nccl", row) == "cpu:gloo,npu:hccl");
    for (const char* other : {"gloo", "cuda:gloo", "gloo+nccl", "the nccl library", "nccl:", "nccl_timeout"}) {
        CAPTURE(other);
        CHECK(migrator::value_tokens(other, row).empty());
    }
}

TEST_CASE("requirements: names, locations, options") {
    auto package = [](std::string_view text) { return std::string(migrator::required_package(text).value_or("-")); };
    CHECK(package("flash-attn>=2.5") == "flash-attn");
    CHECK(package("  torch == 2.1 ; python_version < '3.9'") == "torch");
    CHECK(package("bitsandbytes[x]==0.4") == "bitsandbytes");
    CHECK(package("apex @ git+https://github.com/NVIDIA/apex") == "apex");
    CHECK(package("git+https://github.com/NVIDIA/apex.git@main") == "apex");
    CHECK(package("-e git+ssh://git@host/team/xformers.git#egg=xformers") == "xformers");
    CHECK(package("https://host/wheels/torch_scatter-2.1.2-cp310-linux.whl") == "torch_scatter");
    CHECK(package("./wheels/flash_attn-2.5-py3.whl") == "flash_attn");
    for (const char* none : {"", "# apex", "-r other.txt", "--index-url https://x/y", "$PACKAGES", "two words"}) {
        CAPTURE(none);
        CHECK(package(none) == "-");
    }
}

TEST_CASE("dotted names: only the parts that differ are touched") {
    auto edit = [](std::string_view from, std::string_view to) {
        auto edits = migrator::rename_dotted({100, 100 + from.size()}, from, to);
        REQUIRE(edits.size() == 1);
        return edits[0];
    };
    CHECK(edit("torch.cuda.amp", "torch.npu.amp") == migrator::Edit{{106, 110}, "npu"});
    CHECK(edit("torch.cuda", "torch.npu") == migrator::Edit{{106, 110}, "npu"});
    CHECK(edit("torch.profiler", "torch_npu.profiler") == migrator::Edit{{100, 105}, "torch_npu"});
    CHECK(edit("torch.cuda", "torch").replacement == "torch");
    CHECK(migrator::rename_dotted({0, 1}, "a", "a").empty());
}

TEST_CASE("member names: methods, properties and attributes of classes") {
    migrator::SyntaxTree tree = migrator::SyntaxTree::parse(
        "class A:\n    x = 1\n    def cuda(self):\n        self.y = 2\n        def inner(): pass\n    class B: "
        "pass\ndef f(): pass\nz = 1\nobj.w = 3\n");
    CHECK(migrator::member_names(tree) == std::vector<std::string>{"B", "B()", "cuda", "cuda()", "w", "x", "y"});
}

TEST_CASE("setup scripts and project files: the packages they ask for") {
    auto packages = [](std::string_view path, std::string_view text) {
        return test::list_findings(test::migrate_one(path, text));
    };
    CHECK(packages("setup.py",
                   "from setuptools import setup\nextras_require = {'x': "
                   "['apex']}\nsetup(install_requires=['flash-attn>=2'],\n  name='apex')\n") ==
          "2 third_party.ascend_fork none apex\n3 third_party.replacement none flash-attn\n");
    CHECK(packages("pyproject.toml",
                   "[project]\nname = 'apex'\ndependencies = [\n  \"flash-attn>=2\", # "
                   "apex\n]\n[tool.poetry.dependencies]\nxformers = \"^1\"\n") ==
          "4 third_party.replacement none flash-attn\n7 third_party.replacement none xformers\n");
    CHECK(packages("setup.cfg", "[options]\ninstall_requires =\n    flash-attn\nname = x\n    apex\n") ==
          "3 third_party.replacement none flash-attn\n");
    CHECK(packages("environment.yml", "name: x\ndependencies:\n  - pip:\n    - flash-attn\n") ==
          "4 third_party.replacement none flash-attn\n");
    CHECK(packages("Dockerfile",
                   "FROM x\nRUN pip install --no-cache-dir torch \\\n    flash-attn -r apex.txt && echo apex\n") ==
          "3 third_party.replacement none flash-attn\n");
    // What Python code installs, as one text or as a list of them.
    CHECK(packages(
              "main.py",
              "import subprocess, sys\nsubprocess.run('pip install -q flash-attn', shell=True)\n"
              "subprocess.check_call([sys.executable, '-m', 'pip', 'install', '-r', 'apex',\n  'xformers==0.0.20'])\n"
              "subprocess.run(['echo', 'install', 'apex'])\n") ==
          "2 third_party.replacement none flash-attn\n4 third_party.replacement none xformers\n");
}

TEST_CASE("imports by what they bind") {
    using migrator::ImportedName;
    const auto plain = [](const char* module, const char* bound) {
        ImportedName out;
        out.module = module;
        out.bound_name = bound;
        return out;
    };
    std::vector<ImportedName> imports{plain("torch.nn", "torch"), plain("torch.cuda", "torch"),
                                      plain("numpy", "torch_npu"), plain("torch", "torch"),
                                      plain("torch.cuda.amp", "amp")};
    imports[0].type_checking_only = true;
    imports[3].scope = 7;
    ImportedName from = plain("torch.cuda", "Stream");
    from.name = "Stream";
    imports.push_back(from);
    const migrator::ImportIndex index(imports);
    CHECK(index.binds("torch", "torch.cuda"));
    CHECK(index.binds("Stream", "torch.cuda.Stream"));
    CHECK_FALSE(index.binds("Stream", "torch.cuda"));
    CHECK(index.binds_module("torch_npu"));
    CHECK_FALSE(index.binds_module("Stream"));
    CHECK(index.is_bound_once(imports[4]));
    CHECK_FALSE(index.is_bound_once(imports[1]));
    // The first in the source; another module under the name is none of it.
    CHECK(index.import_of("torch.cuda.amp.autocast") == &imports[1]);
    CHECK(index.import_of("torch") == &imports[1]);
    CHECK(index.import_of("torch_npu.npu.stream") == nullptr);
    CHECK(index.import_of("numpy.zeros") == &imports[2]);
    CHECK(index.import_of("torchvision.ops") == nullptr);
}

TEST_CASE("images: the one of CANN is named where the version of the framework says which") {
    const auto said = [](std::optional<migrator::Version> version) {
        const auto outcome = test::migrate_one("Dockerfile", "FROM nvcr.io/nvidia/pytorch:24.01-py3\n",
                                               migrator::ApplyMode::safe, migrator::StyleKind::npu, version);
        REQUIRE(outcome.findings.size() == 1);
        CHECK_FALSE(outcome.changed());
        return outcome.findings[0].finding.message.text();
    };
    CHECK(
        said(migrator::Version{2, 8}).ends_with("on Atlas A2 its image is ascend/cann:9.0.0-910b-ubuntu22.04-py3.11."));
    CHECK(said(migrator::Version{2, 2}).ends_with("or install CANN 8.0.RC2 in an image of your own."));
    CHECK(said(migrator::Version{2, 13})
              .ends_with("quay.io/ascend/torch-npu:2.13.0rc1-cann9.1.0-910b-ubuntu22.04-py3.12."));
    CHECK(said(migrator::Version{2, 6}).find("CANN 8.5.0") != std::string::npos);
    CHECK(said(migrator::Version{2, 14}).ends_with("fits the driver and torch_npu."));
}

TEST_CASE("other scripts are reported, and left as they are") {
    struct Script {
        const char* path;
        const char* text;
    };
    for (const Script& script : std::vector<Script>{{".env", "CUDA_VISIBLE_DEVICES=0\n"},
                                                    {"run.fish", "set -x CUDA_VISIBLE_DEVICES 0\n"},
                                                    {"run.bat", "set CUDA_VISIBLE_DEVICES=0\n"},
                                                    {"run.ps1", "$env:CUDA_VISIBLE_DEVICES = \"0\"\n"},
                                                    {"justfile", "train:\n    CUDA_VISIBLE_DEVICES=0 python t.py\n"}}) {
        CAPTURE(script.path);
        const auto outcome = test::migrate_one(script.path, script.text);
        CHECK(test::list_findings(outcome).find("env.renamed none CUDA_VISIBLE_DEVICES") != std::string::npos);
        CHECK_FALSE(outcome.changed());
    }
}
