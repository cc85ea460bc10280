#include <doctest/doctest.h>

#include <algorithm>

#include "migrator/python/code_names.h"

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
    for (const char* name : {"main", "debug", "b", "needed", "given", "use", "register", "d"}) {
        CAPTURE(name);
        CHECK(has(names.at_load, name));
    }
    for (const char* name :
         {"imported", "maybe", "a", "c", "tried", "handled", "chosen", "registered", "right", "inner", "f"}) {
        CAPTURE(name);
        CHECK_FALSE(has(names.at_load, name));
    }
    REQUIRE(names.functions.size() == 1);
    CHECK(names.functions[0].name == CodeNames::of("f"));
    CHECK(has(names.functions[0].mentions, "inner"));
    CHECK(has(names.functions[0].mentions, "deep"));
}

TEST_CASE("code names: classes, their bases and their methods") {
    const SyntaxTree tree = SyntaxTree::parse(
        "class A:\n    x = field()\n    def __init__(self): pass\n    def plain(self): pass\nclass B(lib.A):\n    def "
        "plain(self): pass\n");
    const CodeNames names = names_of(tree);
    REQUIRE(names.functions.size() == 3);
    CHECK(names.functions[0].is_called_by_base);
    CHECK_FALSE(names.functions[1].is_called_by_base);
    CHECK(names.functions[2].is_called_by_base);
    CHECK(names.functions[1].of_class == CodeNames::of("A"));
    REQUIRE(names.classes.size() == 2);
    CHECK(has(names.classes[1].mentions, "A"));
    CHECK(has(names.at_load, "field"));
    CHECK_FALSE(has(names.at_load, "A"));
}

TEST_CASE("code names: where a node stands") {
    const std::string text = "def f():\n    if a:\n        b()\nc()\n";
    const SyntaxTree tree = SyntaxTree::parse(text);
    const migrator::CodeStandings standings = migrator::code_standings(tree);
    const auto at = [&](std::string_view word) {
        const auto begin = static_cast<std::uint64_t>(text.find(word));
        return standings[tree.smallest_at({begin, begin + 1})];
    };
    CHECK(at("a:").function == 0);
    CHECK_FALSE(at("a:").sometimes);
    CHECK(at("b()").sometimes);
    CHECK(at("c()").function == -1);
}
