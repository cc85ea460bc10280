#include "migrator/edit/moved_edits.h"

#include <doctest/doctest.h>

using namespace migrator;

namespace {

constexpr std::string_view kOriginal =
    "import os\n"
    "import torch\n"
    "\n"
    "x = 1\n"
    "torch.cuda.synchronize()\n";

Edit at(std::string_view text, std::string_view what, std::string replacement) {
    const std::uint64_t begin = text.find(what);
    REQUIRE(begin != std::string_view::npos);
    return {{begin, begin + what.size()}, std::move(replacement)};
}

Edit behind(std::string_view text, std::string_view what, std::string replacement) {
    const std::uint64_t end = text.find(what) + what.size();
    return {{end, end}, std::move(replacement)};
}

// The newer text after the edits that fit; of the others, "!" and what is said of them.
std::string merged(std::string_view original, const std::vector<Edit>& edits, std::string_view now) {
    EditSet set;
    std::string said;
    const auto moved = moved_edits(original, edits, now);
    REQUIRE(moved.size() == edits.size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
        if (moved[i].state == MovedEdit::State::fits) REQUIRE(set.add({{moved[i].range, edits[i].replacement}}));
        if (moved[i].state == MovedEdit::State::there_already) said += "!there";
        if (moved[i].state == MovedEdit::State::lost) said += "!" + moved[i].reason;
    }
    return set.apply(now) + said;
}

std::string merged(std::string_view now) {
    return merged(kOriginal, {behind(kOriginal, "import torch", "\nimport torch_npu"), at(kOriginal, "cuda", "npu")},
                  now);
}

}  // namespace

TEST_CASE("moved edits: lines that have moved") {
    CHECK(merged("# new\nimport os\nimport torch\n\n\nx = 1\ny = 2\ntorch.cuda.synchronize()\n") ==
          "# new\nimport os\nimport torch\nimport torch_npu\n\n\nx = 1\ny = 2\ntorch.npu.synchronize()\n");
}

TEST_CASE("moved edits: an import follows the line that it stood behind, also when that has changed") {
    CHECK(merged("import os\nimport torch, math\n\nx = 1\ntorch.cuda.synchronize()\n") ==
          "import os\nimport torch, math\nimport torch_npu\n\nx = 1\ntorch.npu.synchronize()\n");
    CHECK(merged("import math, sys\nimport re\nimport torch  # noqa\n\nx = 1\ntorch.cuda.synchronize()\n") ==
          "import math, sys\nimport re\nimport torch  # noqa\nimport torch_npu\n\nx = 1\ntorch.npu.synchronize()\n");
    // Nothing is like the line; the one behind it says where.
    CHECK(merged("import os\nfrom a import b\nfrom c import torch as d\n\nx = 1\ntorch.cuda.synchronize()\n") ==
          "import os\nfrom a import b\nfrom c import torch as d\nimport torch_npu\n\nx = 1\n"
          "torch.npu.synchronize()\n");
}

TEST_CASE("moved edits: an import has no place in a block of another indentation") {
    CHECK(
        merged("import os\ntry:\n    import torch\nexcept ImportError:\n    pass\nz = 1\ntorch.cuda.synchronize()\n") ==
        "import os\ntry:\n    import torch\nexcept ImportError:\n    pass\nz = 1\ntorch.npu.synchronize()\n"
        "!the line `import torch` is gone, or has changed");
}

TEST_CASE("moved edits: what others have changed in the same way is there already") {
    CHECK(merged("import os\nimport torch\nimport torch_npu\n\nx = 1\ntorch.npu.synchronize()\n") ==
          "import os\nimport torch\nimport torch_npu\n\nx = 1\ntorch.npu.synchronize()\n!there!there");
}

TEST_CASE("moved edits: a line that is another one now is named") {
    CHECK(merged("import os\nimport torch\n\nx = 1\nif x: torch.cuda.synchronize()\n") ==
          "import os\nimport torch\nimport torch_npu\n\nx = 1\nif x: torch.cuda.synchronize()\n"
          "!the line was `torch.cuda.synchronize()` and is `if x: torch.cuda.synchronize()`");
    CHECK(merged("import os\nimport torch\n\nx = 1\n") ==
          "import os\nimport torch\nimport torch_npu\n\nx = 1\n!the line `torch.cuda.synchronize()` is gone, or has "
          "changed");
}

TEST_CASE("moved edits: lines that an edit goes over must still stand together") {
    constexpr std::string_view kTwo = "a(\n  1)\nb\n";
    const std::vector<Edit> edits{at(kTwo, "a(\n  1)", "c(2)")};
    CHECK(merged(kTwo, edits, "z\na(\n  1)\nb\n") == "z\nc(2)\nb\n");
    CHECK(merged(kTwo, edits, "a(\n  0,\n  1)\nb\n") == "a(\n  0,\n  1)\nb\n!other lines stand around `1)` now");
}

TEST_CASE("moved edits: the begin and the end of a text") {
    CHECK(merged("a\nb", {{{0, 0}, "first\n"}, {{3, 3}, "\nlast"}}, "a\n\nb") == "first\na\n\nb\nlast");
    CHECK(merged("a\n", {{{2, 2}, "last\n"}}, "z\na\n") == "z\na\nlast\n");
    CHECK(merged("", {{{0, 0}, "x\n"}}, "y\n") == "y\n!the file was empty");
    CHECK(merged("a\n", {{{0, 1}, "b"}}, "") == "!the line `a` is gone, or has changed");
}
