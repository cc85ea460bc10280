#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "migrator/semantic/code_names.h"

using migrator::CodeNames;
using migrator::SyntaxTree;

namespace {

CodeNames names_of(const SyntaxTree& tree) { return code_names(tree, migrator::code_standings(tree)); }

bool has(const std::vector<CodeNames::Name>& names, std::string_view name) {
    return std::ranges::binary_search(names, CodeNames::of(name));
}

}  // namespace

TEST_CASE("code names: what is mentioned whenever the code runs") {
    const std::string text =
        "from lib import imported\nif __name__ == '__main__':\n    main()\nif debug:\n    maybe()\nx = a() if b() else "
        "c()\n"
        "try:\n    tried()\nexcept ImportError:\n    handled()\ntry:\n    needed()\nexcept ImportError as e:\n    "
        "raise e\n"
        "table = {'k': chosen}\nregister('k', registered)\nuse(given)\nd and right()\n"
        "def f(p=default):\n    inner()\n    def g():\n        deep()\n";
    const SyntaxTree tree = SyntaxTree::parse(text);
    const CodeNames names = names_of(tree);
    CHECK(has(names.as_program, "main"));
    for (const char* name : {"debug", "b", "needed", "given", "use", "register", "d"}) {
        CAPTURE(name);
        CHECK(has(names.at_load, name));
    }
    for (const char* name :
         {"imported", "main", "maybe", "a", "c", "tried", "handled", "chosen", "registered", "right", "inner", "f"}) {
        CAPTURE(name);
        CHECK_FALSE(has(names.at_load, name));
    }
    REQUIRE(names.functions.size() == 1);
    CHECK(names.functions[0].name == CodeNames::of("f"));
    CHECK(has(names.functions[0].mentions, "inner"));
    CHECK(has(names.functions[0].mentions, "deep"));
}

TEST_CASE("code names: what only gets a value, tells a type or waits for a choice is not meant") {
    const SyntaxTree tree = SyntaxTree::parse(
        "from lib import Net as N, other\n"
        "ways['a'] = later\nREG.register(Way(name='b', call=also_later))\nREG.register(made_now())\n"
        "def run(step, *rest, size=3, kind: Kind = 'x'):\n"
        "    step()\n    rest()\n    kind()\n"
        "    local = N()\n    local()\n    self.field = value\n    self.field.called()\n"
        "    for item in items: item()\n"
        "    with opened() as stream: stream()\n"
        "    call(keyword=argument)\n"
        "    other = other or None\n    other()\n"
        "    getattr(model, 'by_name')()\n    super().__init__()\n"
        "    x: Annotated[Hint, 3] = 1\n");
    const CodeNames names = names_of(tree);
    REQUIRE(names.functions.size() == 1);
    const std::vector<CodeNames::Name>& mentions = names.functions[0].mentions;
    for (const char* name : {"N", "Net", "value", "called", "field", "items", "opened", "call", "argument", "other",
                             "getattr", "model", "by_name", "super"}) {
        CAPTURE(name);
        CHECK(has(mentions, name));
    }
    for (const char* name : {"step", "rest", "kind", "Kind", "local", "item", "stream", "keyword", "Annotated", "Hint",
                             "__init__", "size"}) {
        CAPTURE(name);
        CHECK_FALSE(has(mentions, name));
    }
    for (const char* name : {"later", "also_later", "call"}) {
        CAPTURE(name);
        CHECK_FALSE(has(names.at_load, name));
    }
    CHECK(has(names.at_load, "made_now"));
}

TEST_CASE("code names: classes, their bases and their methods") {
    const SyntaxTree tree = SyntaxTree::parse(
        "from lib import Other as O\nclass A:\n    x = field()\n    def __init__(self): pass\n    def plain(self): "
        "pass\n"
        "class B(lib.A, O):\n    def plain(self): pass\ndef free(): pass\n");
    const CodeNames names = names_of(tree);
    REQUIRE(names.functions.size() == 4);
    CHECK(names.functions[0].is_special);
    CHECK_FALSE(names.functions[1].is_special);
    CHECK(names.functions[1].of_class == 0);
    CHECK(names.functions[2].of_class == 1);
    CHECK(names.functions[3].of_class == -1);
    REQUIRE(names.classes.size() == 2);
    CHECK(names.classes[1].name == CodeNames::of("B"));
    for (const char* base : {"A", "O", "Other"}) {
        CAPTURE(base);
        CHECK(has(names.classes[1].bases, base));
    }
    CHECK(has(names.at_load, "field"));
    CHECK_FALSE(has(names.at_load, "A"));
}
