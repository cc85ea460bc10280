#include <ctime>

#include <doctest/doctest.h>

#include "tests/unit/migrator/semantic/meaning.h"

using test::Meaning;

namespace {

std::string repeat(std::string_view text, std::size_t count) {
    std::string out;
    out.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

// Of the processor. Generous: the sanitizers are slow.
constexpr double kMaxSeconds = 60;

void analyse(const std::string& source) {
    const std::clock_t start = std::clock();
    const Meaning m(source);
    CHECK(m.tree().size() > 0);
    CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < kMaxSeconds);
}

}  // namespace

TEST_CASE("limits: depth does not matter") {
    constexpr std::size_t kDeep = 50'000;
    constexpr std::size_t kVeryDeep = 1'000'000;
    analyse("x = " + repeat("(", kVeryDeep) + "1" + repeat(")", kVeryDeep));
    analyse("x = " + repeat("(", kDeep));
    analyse("import torch\nx = torch" + repeat(".a", kDeep));
    analyse("x = f" + repeat("(1)", kDeep));
    analyse("x = " + repeat("lambda: ", kDeep) + "1");
    analyse("x = " + repeat("1+", kDeep) + "1");
    analyse("x = " + repeat("-", kDeep) + "1");
    analyse(repeat("[", kDeep) + repeat("]", kDeep));
    analyse(repeat("a = ", kDeep) + "1");
}

TEST_CASE("limits: many bindings of one name") {
    analyse("def f():\n" + repeat(" x = g(x)\n if x: x = h(x)\n", 20'000));
    analyse("while 1:\n" + repeat(" x = x.to(y)\n", 20'000));
    std::string chain = "import torch\nx0 = torch\n";
    for (int i = 0; i < 20'000; ++i) chain += "x" + std::to_string(i + 1) + " = x" + std::to_string(i) + "\n";
    CHECK(Meaning(chain + "x20000.cuda").of("x20000.cuda") == "torch.cuda");
    std::string classes;
    for (int i = 0; i < 5'000; ++i)
        classes += "class A" + std::to_string(i + 1) + "(A" + std::to_string(i) + "):\n  def f(self): self.x\n";
    analyse(classes);
}

TEST_CASE("limits: broken code is analysed as far as it goes") {
    Meaning m("import torch\ndef f(:\n  torch.cuda.empty_cache()\nx = = 3\ntorch.nn\n");
    CHECK(m.tree().has_errors());
    CHECK(m.of("torch.nn") == "torch.nn");
    analyse("import\nfrom import *\nclass\ndef\nlambda\nfor in\nwith as\nexcept as x\nglobal\nmatch x:\n case\n");
    analyse("from . import\nimport a.\nimport .a\nfrom a import b as\ndel\nnonlocal\nx: \nreturn = 3\n");
    analyse("");
    analyse("\n\n\n");
    analyse("# only a comment");
}
