// Questions for CUDA that stay: whether the NPU has another way, and what is said then.
#include <doctest/doctest.h>

#include <string>

#include "tests/unit/migrator/rules/case_support.h"

using migrator::FindingOutcome;
using migrator::Severity;

namespace {

// "info", "warning": of the question in line 2 of a file with `import torch`; with a * where the NPU takes the other way.
std::string question_in(const std::string& text) {
    const migrator::FileOutcome outcome =
        test::migrate_one("a.py", "import sys\nimport unittest\nimport pytest\nimport torch\n" + text);
    for (const FindingOutcome& item : outcome.findings) {
        const migrator::Finding& finding = item.finding;
        if (finding.subject != "torch.cuda.is_available") continue;
        const std::string severity = finding.severity == Severity::info ? "info" : "warning";
        return severity + (finding.is_done_without ? "*" : "") + (item.finding.fix ? " edit" : "");
    }
    return "none";
}

constexpr const char* kAsk = "if torch.cuda.is_available():\n    ";

}  // namespace

TEST_CASE("guards: the NPU has another way") {
    for (const char* text : {
             "import pynvml\n    pynvml.nvmlInit()\nelse:\n    print(1)\n",
             "import pynvml\n    pynvml.nvmlInit()\n",
             "import pynvml\n    pynvml.nvmlInit()\nprint(1)\n",
             "import pynvml\n    pynvml.nvmlInit()\nelif ok:\n    print(1)\n",
         }) {
        CAPTURE(text);
        CHECK(question_in(kAsk + std::string(text)) == "info*");
    }
    for (const char* text : {
             "def f(x):\n    if torch.cuda.is_available():\n        import pynvml\n        return pynvml.x(x)\n    "
             "return 1\n",
             "def f(x):\n    if not torch.cuda.is_available():\n        return 1\n    import pynvml\n    return "
             "pynvml.x(x)\n",
             "def f(x):\n    y = 1\n    if torch.cuda.is_available():\n        import pynvml\n        y = "
             "pynvml.x(x)\n    return y\n",
             "def f(x):\n    if torch.cuda.is_available():\n        import pynvml\n        return\n",
             "class A:\n    m = None\n    def f(self):\n        if torch.cuda.is_available():\n            import "
             "pynvml\n            self.m "
             "= pynvml.x()\n    def g(self):\n        self.m = 2\n        return self.m\n",
             "import pynvml\ny = pynvml.x() if torch.cuda.is_available() else 1\n",
             "import pynvml\ny = torch.cuda.is_available() and pynvml.x()\n",
             "def has():\n    return torch.cuda.is_available()\nif has():\n    import pynvml\n    pynvml.x()\n",
             "@pytest.mark.skipif(not torch.cuda.is_available(), reason='')\ndef test_x():\n    import pynvml\n    "
             "pynvml.x()\n",
             "@unittest.skipUnless(torch.cuda.is_available(), '')\ndef test_x():\n    import pynvml\n    pynvml.x()\n",
             "use = torch.cuda.is_available()\nif use:\n    import pynvml\ndef f(x):\n    if use:\n        return "
             "pynvml.x(x)\n    return x\n",
         }) {
        CAPTURE(text);
        CHECK(question_in(text) == "info*");
    }
}

TEST_CASE("guards: what only this code makes is needed, or nothing goes on without CUDA") {
    for (const char* text : {
             "def f(x):\n    if torch.cuda.is_available():\n        import pynvml\n        return pynvml.x(x)\n",
             "def f(x):\n    if torch.cuda.is_available():\n        import pynvml\n        return pynvml.x(x)\n    "
             "raise ValueError\n",
             "def f(x):\n    if torch.cuda.is_available():\n        import pynvml\n        y = pynvml.x(x)\n    return "
             "y\n",
             "def f(x):\n    if torch.cuda.is_available():\n        import pynvml\n        y = pynvml.x(x)\n    "
             "else:\n        raise ValueError\n",
             "def f(x):\n    if not torch.cuda.is_available():\n        raise ValueError\n    import pynvml\n    "
             "return pynvml.x(x)\n",
             "class A:\n    def f(self):\n        if torch.cuda.is_available():\n            import pynvml\n           "
             " self.m = pynvml.x()\n"
             "    def g(self):\n        return self.m\n",
             "if torch.cuda.is_available():\n    import pynvml\npynvml.x()\n",
             "import pynvml\nassert torch.cuda.is_available()\npynvml.x()\n",
             "def f(x):\n    if torch.cuda.is_available():\n        import pynvml\n        return pynvml.x(x)\n    "
             "sys.exit(1)\n",
             "def f(x):\n    if torch.cuda.is_available():\n        import pynvml\n        y = pynvml.x(x)\n    "
             "else:\n        assert False, 1\n",
             "match torch.cuda.is_available():\n    case True:\n        import pynvml\n",
         }) {
        CAPTURE(text);
        CHECK(question_in(text) == "warning");
    }
}

TEST_CASE("guards: code of both kinds is for a person, and a device that is chosen there is more than that") {
    CHECK(question_in("if torch.cuda.is_available():\n    import pynvml\n    torch.cuda.empty_cache()\n") ==
          "warning*");
    CHECK(question_in(
              "if torch.cuda.is_available():\n    import pynvml\n    x = torch.ones(1, device='cuda')\nx = 1\n") ==
          "warning");
}

TEST_CASE("guards: the import that gives a question its meaning stays") {
    for (const char* text : {
             "from torch import cuda\nif cuda.is_available():\n    import pynvml\n    pynvml.x()\n",
             "import torch.cuda as tc\nif tc.is_available():\n    import pynvml\n    pynvml.x()\n",
             "from torch.cuda import is_available\nif is_available():\n    import pynvml\n    pynvml.x()\n",
         }) {
        CAPTURE(text);
        CHECK_FALSE(test::migrate_one("a.py", text).changed());
    }
}
