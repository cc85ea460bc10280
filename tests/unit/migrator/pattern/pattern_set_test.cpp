#include "migrator/pattern/pattern_set.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/rules/case_support.h"

using migrator::PatternSet;
using migrator::RuleSet;

namespace {

// What is wrong with a pattern, among the rules that are compiled in.
std::string error_of(const std::string& code, const std::string& write, const std::string& holes = "{}") {
    base::DataStore store;
    test::MemoryFileSystem fs;
    fs.add("/o/affinity/test.json",
           R"({"schema": 1, "rules": [{"id": "r", "kind": "affinity", "severity": "info", "message": "m", "source": "s",
               "match": {"pattern": {"what": "w", "code": ")" +
               code + R"(", "holes": )" + holes + R"(}}, "fix": {"write": ")" + write + R"("}}]})");
    REQUIRE(store.overlay(fs, "/o", "rules"));
    auto rules = RuleSet::load(store);
    REQUIRE(rules);
    auto patterns = PatternSet::compile(*rules);
    if (patterns) return "";
    CHECK(patterns.error().kind == base::ErrorKind::rule_data);
    return patterns.error().message;
}

std::string rewritten(const std::string& text) { return test::migrate_one("a.py", text).rewritten; }

}  // namespace

TEST_CASE("a pattern that cannot be read is an error that says why") {
    CHECK(error_of("torch.exp($x)", "f($x)") == "");
    CHECK(error_of("torch.exp($x", "f($x)") == "rule \"r\": \"torch.exp($x\" is not one expression of Python");
    CHECK(error_of("torch.no_such($x)", "f($x)") ==
          "rule \"r\": \"torch.no_such(hole__x)\" is not a spelling of an operation; add it to \"operations\"");
    CHECK(error_of("$x", "f($x)") == "rule \"r\": the pattern \"$x\" does not begin with a known operation");
    CHECK(error_of("torch.exp($x)", "f($y)") == "rule \"r\": \"write\" has $y, which is in no pattern");
    CHECK(error_of("torch.exp($x, 1)", "f($x)") == "rule \"r\": \"1\" fits no parameter of the operation");
    CHECK(error_of("torch.exp($x)", "f($x)", R"({"y": {"is": "number"}})") ==
          "rule \"r\": \"holes\" speaks of $y, which is in no pattern");
}

TEST_CASE("a call that is written over several lines keeps them") {
    CHECK(rewritten("import torch\nfrom apex.normalization import FusedLayerNorm\n\nnorm = FusedLayerNorm(\n    8,\n"
                    "    eps=1e-6,\n)\n") == "import torch\n\nnorm = torch.nn.LayerNorm(\n    8,\n    eps=1e-6,\n)\n");
}

TEST_CASE("code in a hole and the code around it are changed together") {
    CHECK(rewritten("import torch\n\n\ndef f(x):\n    return x.cuda() * torch.sigmoid(x.cuda())\n").find("npu()") !=
          std::string::npos);
    CHECK(rewritten("import torch\n\n\ndef f(x):\n    y = x.cuda()\n    return y * torch.sigmoid(y)\n") ==
          "import torch\nimport torch_npu\n\n\ndef f(x):\n    y = x.npu()\n    return torch.nn.functional.silu(y)\n");
}

TEST_CASE("a name that hides the module keeps the code as it is") {
    const std::string text = "from torch import sigmoid\n\n\ndef f(x, torch):\n    return x * sigmoid(x)\n";
    CHECK(rewritten(text) == text);
}
