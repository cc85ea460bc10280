#include "migrator/rewrite/rewriter.h"
#include "base/format.h"

#include <doctest/doctest.h>

#include "tests/unit/migrator/rules/case_support.h"

using migrator::ApplyMode;
using migrator::FileOutcome;
using migrator::FixState;

TEST_CASE("rewrite: positions, lines and states of the original text") {
    FileOutcome outcome =
        test::migrate_one("a.py", "import torch\nd\xC3\xA9 = torch.cuda.device_count()  # torch.cuda\n");
    REQUIRE(outcome.findings.size() == 1);
    const auto& finding = outcome.findings[0];
    CHECK(finding.state == FixState::applied);
    CHECK(finding.begin == base::TextPosition{2, 6});
    CHECK(finding.end == base::TextPosition{2, 29});
    CHECK(finding.old_text == "d\xC3\xA9 = torch.cuda.device_count()  # torch.cuda");
    CHECK(finding.new_text == "d\xC3\xA9 = torch.npu.device_count()  # torch.cuda");
    CHECK(outcome.rewritten == "import torch\nimport torch_npu\nd\xC3\xA9 = torch.npu.device_count()  # torch.cuda\n");
    CHECK(outcome.lines == 2);
    CHECK(outcome.parsed);
}

TEST_CASE("rewrite: nothing is applied when nothing is asked for") {
    std::string text = "import torch\nx = torch.zeros(1).cuda()\n";
    FileOutcome outcome = test::migrate_one("a.py", text, ApplyMode::none);
    CHECK_FALSE(outcome.changed());
    REQUIRE(outcome.findings.size() == 1);
    CHECK(outcome.findings[0].state == FixState::available);
    CHECK(outcome.findings[0].new_text == "x = torch.zeros(1).npu()");
}

TEST_CASE("rewrite: parts that do not parse are left alone, the rest is handled") {
    FileOutcome outcome = test::migrate_one(
        "a.py", "import torch\ntorch.cuda.init()\ndef broken(:\n    torch.cuda.init()\ntorch.cuda.empty_cache()\n");
    CHECK_FALSE(outcome.parsed);
    CHECK(outcome.rewritten.find("torch.npu.init()\n") != std::string::npos);
    CHECK(outcome.rewritten.ends_with("torch.npu.empty_cache()\n"));
    CHECK(test::list_findings(outcome).find("file.not_parsed") != std::string::npos);
}

TEST_CASE("rewrite: files that cannot be read say so") {
    FileOutcome outcome = test::migrate_one("a.py", std::string("import torch\0\n", 14));
    CHECK_FALSE(outcome.changed());
    REQUIRE(outcome.findings.size() == 1);
    CHECK(outcome.findings[0].finding.rule == "file.not_read");
    CHECK(outcome.findings[0].finding.kind == migrator::FindingKind::file);
}

TEST_CASE("rewrite: edge files") {
    for (const char* text : {"", "\n", "#", "\f\n", "x", "\r", "import torch", "\"\"\"cuda\"\"\""}) {
        CAPTURE(text);
        CHECK_FALSE(test::migrate_one("a.py", text).changed());
    }
    CHECK(test::migrate_one("a.py", "import torch\ntorch.cuda.init()").rewritten ==
          "import torch\nimport torch_npu\ntorch.npu.init()");
    CHECK(test::migrate_one("a.py", "import torch; torch.cuda.init()").rewritten ==
          "import torch; import torch_npu; torch.npu.init()");
}

TEST_CASE("rewrite: mixed line ends stay as they are") {
    FileOutcome outcome = test::migrate_one("a.py", "import os\r\nimport torch\r\nx = 1\ny = torch.cuda.init()\r\n");
    CHECK(outcome.rewritten == "import os\r\nimport torch\r\nimport torch_npu\r\nx = 1\ny = torch.npu.init()\r\n");
}

TEST_CASE("rewrite: imports are put once, where they are needed") {
    auto rewritten = [](const std::string& text) { return test::migrate_one("a.py", text).rewritten; };
    // guarded by the user already
    CHECK(
        rewritten("import torch\ntry:\n    import torch_npu\nexcept ImportError:\n    pass\nx = torch.cuda.init()\n") ==
        "import torch\ntry:\n    import torch_npu\nexcept ImportError:\n    pass\nx = torch.npu.init()\n");
    // behind a comment on the same line
    CHECK(rewritten("import torch  # noqa\ntorch.cuda.init()\n") ==
          "import torch  # noqa\nimport torch_npu\ntorch.npu.init()\n");
    // a file that only holds a setting does not need it
    CHECK(rewritten("DEVICE = \"cuda\"\n") == "DEVICE = \"npu\"\n");
    // the only import is one that changes
    CHECK(rewritten("from torch.cuda import Stream\nStream()\n") ==
          "import torch_npu\nfrom torch.npu import Stream\nStream()\n");
    // inside a class body or a function it stays in the function
    CHECK(rewritten("def f():\n\timport torch\n\ttorch.cuda.init()\n") ==
          "def f():\n\timport torch\n\timport torch_npu\n\ttorch.npu.init()\n");
}

TEST_CASE("rewrite: an import takes the place of one that a fix removes") {
    const std::string call = "\n\n\ndef f(q, k, v):\n    return flash_attn_func(q, k, v)\n";
    const std::string written =
        "\n\n\ndef f(q, k, v):\n    return torch_npu.npu_fusion_attention(q, k, v, q.shape[2], \"BSND\", "
        "scale=q.shape[-1] ** -0.5)[0]\n";
    const auto migrated = [](const std::string& text) { return test::migrate_one("a.py", text).rewritten; };
    CHECK(migrated("from flash_attn import flash_attn_func" + call) == "import torch_npu" + written);
    CHECK(migrated("import os\nfrom flash_attn import flash_attn_func" + call) ==
          "import os\nimport torch_npu" + written);
    CHECK(migrated("from flash_attn import flash_attn_func; import os" + call) ==
          "from flash_attn import flash_attn_func; import os\nimport torch_npu" + written);
    CHECK(migrated("from apex.normalization import FusedLayerNorm\n\nnorm = FusedLayerNorm(16)\n") ==
          "import torch\n\nnorm = torch.nn.LayerNorm(16)\n");
}

TEST_CASE("rewrite: the sample of a deep tree does not exhaust the stack") {
    std::string deep =
        "import torch\nx = " + std::string(20'000, '(') + "torch.cuda.init()" + std::string(20'000, ')') + "\n";
    CHECK(test::migrate_one("a.py", deep).rewritten.find("torch.npu.init()") != std::string::npos);
    std::string chain = "import torch\nx = \"cuda\"";
    for (int i = 0; i < 20'000; ++i) chain += " + \"x\"";
    (void)test::migrate_one("a.py", chain + "\n");
    std::string calls = "import torch\nx = torch.zeros(1)";
    for (int i = 0; i < 5'000; ++i) calls += ".cuda()";
    FileOutcome outcome = test::migrate_one("a.py", calls + "\n");
    CHECK(outcome.findings.size() == 5'000);
}

TEST_CASE("rewrite: dotted names in a from import, which are no Python") {
    const std::string text = "from torch.cuda import amp.autocast, Stream\n";
    CHECK(test::migrate_one("a.py", text).rewritten == text);
}

TEST_CASE("rewrite: a line of megabytes is rewritten, and not shown with each of its findings") {
    std::string text = "import torch\nimport torch_npu\nx = [";
    for (int i = 0; i < 2000; ++i) text += "torch.cuda.Stream, ";
    text += "]\n";
    const FileOutcome outcome = test::migrate_one("a.py", text);
    CHECK(outcome.rewritten.find("cuda") == std::string::npos);
    CHECK(outcome.findings.back().old_text.empty());
    CHECK(outcome.findings.back().begin.line == 3);
}
