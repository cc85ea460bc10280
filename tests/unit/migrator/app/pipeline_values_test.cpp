// Constants that a project writes in one place and uses as devices or back ends in another.
#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;
using test::options_for;

namespace {

// The files of a project after its migration.
test::MemoryFileSystem migrated(std::initializer_list<std::pair<const char*, const char*>> files) {
    test::MemoryFileSystem fs;
    for (const auto& [path, text] : files) fs.add(std::string("in/") + path, text);
    REQUIRE(run(options_for(Command::migrate, "in"), fs));
    return fs;
}

}  // namespace

TEST_CASE("values: a variable of another module") {
    auto fs = migrated({{"pkg/__init__.py", "from .config import BACK\n"},
                        {"pkg/config.py", "WHERE = \"cuda:0\"\nBACK = \"nccl\"\nTITLE = \"cuda\"\n"},
                        {"run.py",
                         "import torch\nimport pkg\nfrom pkg import config as c\nfrom pkg.config import *\n\n"
                         "torch.distributed.init_process_group(pkg.BACK)\nx = torch.zeros(2).to(c.WHERE)\n"
                         "if WHERE == \"cuda:0\":\n    print(TITLE)\n"}});
    CHECK(fs.content("out/pkg/config.py") == "WHERE = \"npu:0\"\nBACK = \"hccl\"\nTITLE = \"cuda\"\n");
    CHECK(fs.content("out/run.py") ==
          "import torch\nimport torch_npu\nimport pkg\nfrom pkg import config as c\nfrom pkg.config import *\n\n"
          "torch.distributed.init_process_group(pkg.BACK)\nx = torch.zeros(2).to(c.WHERE)\n"
          "if WHERE == \"npu:0\":\n    print(TITLE)\n");
}

TEST_CASE("values: attributes of a class, and what a function gives") {
    auto fs = migrated({{"settings.py",
                         "class Settings:\n    place = \"cuda\"\n    label = \"cuda\"\n\n"
                         "    def __init__(self):\n        self.target = \"cuda:1\"\n\n\n"
                         "class More(Settings):\n    pass\n\n\n"
                         "def choose():\n    return \"cuda\"\n\n\ndef title():\n    return \"cuda\"\n"},
                        {"run.py",
                         "import torch\nfrom settings import More, choose, title\n\nmore = More()\n"
                         "a = torch.zeros(2).to(more.place)\nb = torch.zeros(2).to(more.target)\n"
                         "c = torch.zeros(2, device=choose())\nprint(title(), more.label)\n"}});
    CHECK(fs.content("out/settings.py") ==
          "class Settings:\n    place = \"npu\"\n    label = \"cuda\"\n\n"
          "    def __init__(self):\n        self.target = \"npu:1\"\n\n\n"
          "class More(Settings):\n    pass\n\n\n"
          "def choose():\n    return \"npu\"\n\n\ndef title():\n    return \"cuda\"\n");
}

TEST_CASE("values: a parameter that is used as a device, in this file and in another") {
    auto fs = migrated(
        {{"tools.py",
          "import torch\n\n\ndef move(x, where, name=\"cuda\"):\n    if where == \"cuda\":\n        print(name)\n"
          "    return x.to(where)\n\n\nclass Runner:\n    def __init__(self, where):\n"
          "        self.x = move(torch.zeros(2), where)\n\n\nmove(torch.ones(1), \"cuda\", \"cuda\")\n"},
         {"run.py",
          "from tools import Runner, move\n\nmove(1, where=\"cuda:1\")\nRunner(\"cuda\")\n"
          "move(1, \"cpu\", \"cuda\")\n"}});
    CHECK(fs.content("out/tools.py") ==
          "import torch\nimport torch_npu\n\n\ndef move(x, where, name=\"cuda\"):\n    if where == \"npu\":\n        "
          "print(name)\n"
          "    return x.to(where)\n\n\nclass Runner:\n    def __init__(self, where):\n"
          "        self.x = move(torch.zeros(2), where)\n\n\nmove(torch.ones(1), \"npu\", \"cuda\")\n");
    CHECK(fs.content("out/run.py") ==
          "from tools import Runner, move\nimport torch_npu\n\nmove(1, where=\"npu:1\")\nRunner(\"npu\")\n"
          "move(1, \"cpu\", \"cuda\")\n");
}

TEST_CASE("values: the dictionary of another module") {
    auto fs = migrated(
        {{"config.py", "PLACES = {\"fast\": \"cuda\", \"slow\": \"cpu\"}\nSIZES = {\"cuda\": 8, \"cpu\": 2}\n"},
         {"run.py",
          "import torch\nfrom config import PLACES, SIZES\n\nx = torch.zeros(2).to(PLACES[\"fast\"])\n"
          "print(SIZES[x.device.type])\n"}});
    CHECK(fs.content("out/config.py") ==
          "PLACES = {\"fast\": \"npu\", \"slow\": \"cpu\"}\nSIZES = {\"npu\": 8, \"cpu\": 2}\n");
}

TEST_CASE("values: a variable that is a device is compared as one") {
    auto fs =
        migrated({{"run.py",
                   "import torch\n\nwhere = \"cuda\"\nx = torch.zeros(2).to(where)\nif where == \"cuda\":\n    pass\n"
                   "kind = \"cuda\"\nif kind == \"cuda\":\n    pass\n"}});
    CHECK(fs.content("out/run.py") ==
          "import torch\nimport torch_npu\n\nwhere = \"npu\"\nx = torch.zeros(2).to(where)\nif where == \"npu\":\n    "
          "pass\n"
          "kind = \"cuda\"\nif kind == \"cuda\":\n    pass\n");
}

TEST_CASE("values: settings that are a text in Python") {
    auto fs = migrated({{"run.py",
                         "import ast\nimport json\nimport torch\nimport yaml\nfrom omegaconf import OmegaConf\n\n"
                         "a = json.loads('{\"device\": \"cuda\", \"name\": \"cuda\"}')\n"
                         "b = json.loads(\"{\\\"device\\\": \\\"cuda:0\\\"}\")\n"
                         "TEXT = \"\"\"\ntrain:\n  where: cuda\n  title: cuda\n\"\"\"\n"
                         "c = yaml.safe_load(TEXT)\n"
                         "d = OmegaConf.create('device: cuda\\nlr: 0.1\\n')\n"
                         "e = ast.literal_eval(\"{'device': 'cuda'}\")\n"
                         "f = json.loads(f'{{\"device\": \"cuda:{torch.rank}\"}}')\n"
                         "x = torch.zeros(1).to(c['train']['where'])\nprint(c['train']['title'])\n"
                         "print('{\"device\": \"cuda\"}')\n"}});
    CHECK(fs.content("out/run.py") ==
          "import ast\nimport json\nimport torch\nimport torch_npu\nimport yaml\nfrom omegaconf import OmegaConf\n\n"
          "a = json.loads('{\"device\": \"npu\", \"name\": \"cuda\"}')\n"
          "b = json.loads(\"{\\\"device\\\": \\\"npu:0\\\"}\")\n"
          "TEXT = \"\"\"\ntrain:\n  where: npu\n  title: cuda\n\"\"\"\n"
          "c = yaml.safe_load(TEXT)\n"
          "d = OmegaConf.create('device: npu\\nlr: 0.1\\n')\n"
          "e = ast.literal_eval(\"{'device': 'npu'}\")\n"
          "f = json.loads(f'{{\"device\": \"npu:{torch.rank}\"}}')\n"
          "x = torch.zeros(1).to(c['train']['where'])\nprint(c['train']['title'])\n"
          "print('{\"device\": \"cuda\"}')\n");
}

TEST_CASE("values: an option of a command that Python starts, read by another program") {
    auto fs = migrated({{"start.py",
                         "import subprocess\nsubprocess.run([\"python\", \"t.py\", \"--place\", \"cuda\"])\n"
                         "subprocess.run(\"python t.py --title cuda\", shell=True)\n"},
                        {"t.py",
                         "import argparse\nimport torch\n\np = argparse.ArgumentParser()\np.add_argument(\"--place\")\n"
                         "p.add_argument(\"--title\")\nargs = p.parse_args()\nx = torch.zeros(1).to(args.place)\n"}});
    CHECK(fs.content("out/start.py") ==
          "import subprocess\nsubprocess.run([\"python\", \"t.py\", \"--place\", \"npu\"])\n"
          "subprocess.run(\"python t.py --title cuda\", shell=True)\n");
}

TEST_CASE("values: lists in settings, of which Python takes each or one") {
    const std::string read =
        "import json\nimport torch\n\ncfg = json.load(open(\"c.json\"))\n"
        "for place in cfg[\"device_ids\"]:\n    torch.zeros(1).to(place)\n"
        "torch.zeros(1).to(cfg[\"pairs\"][0][1])\n"
        "for title in cfg[\"titles\"]:\n    print(title)\n"
        "for each in cfg[\"whole\"]:\n    torch.zeros(1).to(each)\n"
        "torch.zeros(1).to(cfg[\"last\"][-1])\n";
    auto fs = migrated({{"c.json",
                         "{\"device_ids\": [\"cuda:0\", \"cuda\"], \"pairs\": [[\"cpu\", \"cuda\"]],\n"
                         " \"titles\": [\"cuda\"]}\n"},
                        {"d.yaml", "whole:\n  - cuda\n  - cpu\nlast: [cpu, cuda]\ntitles:\n- cuda\n"},
                        {"run.py", read.c_str()}});
    CHECK(fs.content("out/c.json") ==
          "{\"device_ids\": [\"npu:0\", \"npu\"], \"pairs\": [[\"cpu\", \"npu\"]],\n \"titles\": [\"cuda\"]}\n");
    CHECK(fs.content("out/d.yaml") == "whole:\n  - npu\n  - cpu\nlast: [cpu, npu]\ntitles:\n- cuda\n");
}

TEST_CASE("values: keys of a mapping that other files look up by the device") {
    auto fs = migrated({{"kinds.py",
                         "REG = {}\n\n\ndef register(name):\n    def put(f):\n        REG[name] = f\n        return f\n"
                         "    return put\n"},
                        {"kernels.py",
                         "from kinds import REG, register\n\n\n@register(\"cuda\")\ndef a(x):\n    return x\n\n\n"
                         "REG[\"cuda:0\"] = a\n"},
                        {"run.py",
                         "import torch\nimport kernels\nfrom kinds import REG\n\nx = torch.zeros(1)\n"
                         "REG[x.device.type](x)\n"}});
    CHECK(fs.content("out/kernels.py") ==
          "from kinds import REG, register\n\n\n@register(\"npu\")\ndef a(x):\n    return x\n\n\n"
          "REG[\"npu:0\"] = a\n");
}

TEST_CASE("values: keys of a mapping that cannot be seen whole are to review") {
    for (const char* store : {"class Kinds(dict):\n    def add(self, name):\n        self[name] = 1\n",
                              "class Kinds:\n    def __init__(self):\n        self.items = {}\n\n"
                              "    def add(self, name):\n        self.items[name] = 1\n"}) {
        CAPTURE(store);
        test::MemoryFileSystem fs;
        fs.add("in/run.py", std::string("import torch\n\n\n") + store + "\n\nkinds = Kinds()\nkinds.add(\"cuda\")\n");
        const auto report = run(options_for(Command::analyze, "in"), fs);
        REQUIRE(report);
        REQUIRE(report->report.files.size() == 1);
        REQUIRE(report->report.files[0].findings.size() == 1);
        const Finding& finding = report->report.files[0].findings[0].outcome.finding;
        CHECK(finding.subject == "cuda");
        CHECK(finding.severity == Severity::warning);
        CHECK(finding.certainty == Certainty::textual);
    }
}
