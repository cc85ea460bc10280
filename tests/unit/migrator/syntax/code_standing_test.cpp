#include <doctest/doctest.h>

#include <string>

#include "migrator/syntax/code_standing.h"

using migrator::CodeStanding;
using migrator::NodeId;
using migrator::NodeKind;
using migrator::SyntaxTree;

namespace {

// Of the first name `mark` in the text.
CodeStanding standing_of_mark(const std::string& text) {
    const SyntaxTree tree = SyntaxTree::parse(text);
    const migrator::CodeStandings standings = code_standings(tree);
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) == NodeKind::identifier && tree.text(id) == "mark") return standings[id];
    }
    FAIL("no mark");
    return {};
}

}  // namespace

TEST_CASE("code standing: which code a statement is part of") {
    const auto function = [](const std::string& text) { return standing_of_mark(text).function; };
    CHECK(function("mark()\n") == CodeStanding::kAtLoad);
    CHECK(function("class A:\n    x = mark\n") == CodeStanding::kAtLoad);
    CHECK(function("if __name__ == '__main__':\n    mark()\n") == CodeStanding::kAsProgram);
    CHECK(function("if __name__ == '__main__':\n    pass\nelse:\n    mark()\n") == CodeStanding::kAtLoad);
    CHECK(function("def f(): pass\nclass A:\n    def g(self):\n        def h():\n            mark()\n") == 1);
    CHECK(function("if __name__ == '__main__':\n    def f():\n        mark()\n") == 0);
    CHECK(function("@mark\ndef f(): pass\n") == CodeStanding::kAtLoad);
}

TEST_CASE("code standing: what runs in some cases only") {
    const auto sometimes = [](const std::string& text) { return standing_of_mark(text).sometimes; };
    for (const char* text : {
             "if x:\n    mark()\n",
             "if x:\n    pass\nelse:\n    mark()\n",
             "if x:\n    pass\nelif y:\n    mark()\n",
             "try:\n    mark()\nexcept ImportError:\n    pass\n",
             "try:\n    pass\nexcept ImportError:\n    mark()\n",
             "with contextlib.suppress(ImportError):\n    mark()\n",
             "with suppress(ImportError), open(x):\n    mark()\n",
             "y = mark if x else z\n",
             "y = z if x else mark\n",
             "x and mark()\n",
             "match x:\n    case 1:\n        mark()\n",
             "if x:\n    def f():\n        mark()\n",
         }) {
        CAPTURE(text);
        CHECK(sometimes(text));
    }
    for (const char* text : {
             "if mark:\n    pass\n",
             "y = x if mark else z\n",
             "mark and x()\n",
             "try:\n    mark()\nexcept ImportError as e:\n    raise RuntimeError() from e\n",
             "try:\n    pass\nfinally:\n    mark()\n",
             "with suppress(mark):\n    pass\n",
             "with torch.no_grad():\n    mark()\n",
             "match mark:\n    case 1:\n        pass\n",
             "for x in y:\n    mark()\n",
             "if __name__ == '__main__':\n    mark()\n",
         }) {
        CAPTURE(text);
        CHECK_FALSE(sometimes(text));
    }
}
