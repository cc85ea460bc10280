#include <doctest/doctest.h>

#include "base/json.h"
#include "tests/unit/migrator/rules/case_support.h"

using migrator::FileOutcome;

namespace {

FileOutcome migrated(const std::string& notebook) {
    FileOutcome outcome = test::migrate_one("a.ipynb", notebook);
    CHECK(base::parse_json(outcome.rewritten, "a.ipynb"));
    CHECK_FALSE(test::migrate_one("a.ipynb", outcome.rewritten).changed());
    return outcome;
}

// A notebook with one code cell of these lines.
std::string cell(const std::string& source) {
    return "{\"cells\": [{\"cell_type\": \"code\", \"source\": " + source + "}], \"nbformat\": 4}\n";
}

}  // namespace

TEST_CASE("notebooks: code cells are rewritten, all other bytes stay") {
    const FileOutcome outcome = migrated(R"json({"cells": [
  {"cell_type": "markdown", "source": ["torch.cuda.init()"]},
  {"cell_type": "code", "source": ["%matplotlib inline\n", "!nvidia-smi\n", "import torch\n",
    "x = torch.zeros(1).cuda()"], "outputs": [ {"text": "torch.cuda"}]},
  {"cell_type":  "code", "source": "x.cuda()\n"}
], "nbformat": 4
})json");
    CHECK(outcome.rewritten == R"json({"cells": [
  {"cell_type": "markdown", "source": ["torch.cuda.init()"]},
  {"cell_type": "code", "source": ["%matplotlib inline\n", "!nvidia-smi\n", "import torch\n", "import torch_npu\n",
    "x = torch.zeros(1).npu()"], "outputs": [ {"text": "torch.cuda"}]},
  {"cell_type":  "code", "source": "x.npu()\n"}
], "nbformat": 4
})json");
    CHECK(test::list_findings(outcome) ==
          "3 launch.nvidia_smi none nvidia-smi\n4 method.cuda applied torch.Tensor.cuda\n5 method.cuda applied "
          "torch.Tensor.cuda\n");
    CHECK(outcome.findings[1].finding.message.text().starts_with("Cell 2, line 4: "));
}

TEST_CASE("notebooks: a new line is a new string where every line has one, and not elsewhere") {
    CHECK(migrated(cell(R"j(["import torch\n","torch.cuda.init()"])j")).rewritten ==
          cell(R"j(["import torch\n","import torch_npu\n","torch.npu.init()"])j"));
    CHECK(migrated(cell("[\n    \"import torch\\n\",\n    \"torch.cuda.init()\"\n   ]")).rewritten ==
          cell("[\n    \"import torch\\n\",\n    \"import torch_npu\\n\",\n    \"torch.npu.init()\"\n   ]"));
    CHECK(migrated(cell(R"j("import torch\ntorch.cuda.init()")j")).rewritten ==
          cell(R"j("import torch\nimport torch_npu\ntorch.npu.init()")j"));
    CHECK(migrated(cell(R"j(["import torch; torch.cuda.init()"])j")).rewritten ==
          cell(R"j(["import torch; import torch_npu; torch.npu.init()"])j"));
}

TEST_CASE("notebooks: escapes of JSON, the same text in every writing") {
    CHECK(
        migrated(cell(R"j("import torch\n# \u00e9\ud83d\ude00\\ \"x\"\nd = \"cuda\"; t = torch.device(d)")j"))
            .rewritten ==
        cell(R"j("import torch\nimport torch_npu\n# \u00e9\ud83d\ude00\\ \"x\"\nd = \"npu\"; t = torch.device(d)")j"));
    CHECK(migrated(cell("\"import torch\\nx = '\xC3\xA9\xF0\x9F\x98\x80'; torch.cuda.init()\"")).rewritten ==
          cell("\"import torch\\nimport torch_npu\\nx = '\xC3\xA9\xF0\x9F\x98\x80'; torch.npu.init()\""));
    CHECK(migrated(cell(R"j("import torch\r\ntorch.c\u0075da.init()\r\n")j")).rewritten ==
          cell(R"j("import torch\r\nimport torch_npu\r\ntorch.npu.init()\r\n")j"));
}

TEST_CASE("notebooks: shell lines and shell cells") {
    CHECK(migrated(cell(R"j(["!CUDA_VISIBLE_DEVICES=0 python train.py\n", "print(1)"])j")).rewritten ==
          cell(R"j(["!ASCEND_RT_VISIBLE_DEVICES=0 python train.py\n", "print(1)"])j"));
    CHECK(migrated(cell(R"j(["%%bash\n", "export CUDA_VISIBLE_DEVICES=0"])j")).rewritten ==
          cell(R"j(["%%bash\n", "export ASCEND_RT_VISIBLE_DEVICES=0"])j"));
    CHECK_FALSE(migrated(cell(R"j(["%%javascript\n", "torch.cuda.init()"])j")).changed());
}

TEST_CASE("notebooks: what is none is left alone") {
    for (const char* bad : {"", "{", "[]", "{\"cells\": 1}", "{\"cells\": [1, {\"cell_type\": \"code\"}]}"}) {
        CAPTURE(bad);
        CHECK_FALSE(test::migrate_one("a.ipynb", bad).changed());
    }
}
