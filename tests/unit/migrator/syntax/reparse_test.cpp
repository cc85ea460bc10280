#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <doctest/doctest.h>

#include "migrator/syntax/syntax_tree.h"
#include "tests/unit/migrator/rules/case_support.h"

using base::ByteRange;
using migrator::NodeId;
using migrator::SyntaxTree;
using migrator::TextChange;

namespace {

struct Change {
    ByteRange range;
    std::string text;
};

bool same(const SyntaxTree& a, const SyntaxTree& b) {
    if (a.size() != b.size() || a.error_ranges() != b.error_ranges()) return false;
    for (NodeId id = 0; id < a.size(); ++id) {
        const bool equal = a.kind(id) == b.kind(id) && a.field(id) == b.field(id) && a.named(id) == b.named(id) &&
                           a.missing(id) == b.missing(id) && a.range(id) == b.range(id) &&
                           a.parent(id) == b.parent(id) && a.subtree_end(id) == b.subtree_end(id);
        if (!equal) return false;
    }
    return true;
}

// A packed tree is the same tree.
bool survives_packing(const SyntaxTree& tree) {
    const std::string packed = tree.pack();
    return same(SyntaxTree::unpack(packed, tree.source()), tree) &&
           SyntaxTree::unpack(packed, tree.source()).pack() == packed;
}

// Makes the changes, and compares the tree that is pieced together with that of the whole text.
bool agrees(const std::string& before, const std::vector<Change>& changes) {
    const SyntaxTree tree = SyntaxTree::parse(before);
    REQUIRE(survives_packing(tree));
    std::vector<TextChange> given;
    std::string after;
    std::uint64_t at = 0;
    for (const auto& [range, text] : changes) {
        given.push_back({range, text.size()});
        after += before.substr(at, range.begin - at) + text;
        at = range.end;
    }
    after += before.substr(at);
    const SyntaxTree whole = SyntaxTree::parse(after);
    return same(SyntaxTree::reparse(tree, given, after), whole) && survives_packing(whole);
}

// One change at each place of a text.
bool agrees_everywhere(const std::string& text, const std::string& replacement, std::uint64_t removed = 0) {
    for (std::uint64_t at = 0; at + removed <= text.size(); ++at) {
        if (!agrees(text, {{{at, at + removed}, replacement}})) {
            MESSAGE("at ", at, ": ", replacement);
            return false;
        }
    }
    return true;
}

std::vector<std::string> sources() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(test::source_dir() + "/tests/golden/migrator/cases")) {
        if (entry.is_regular_file() && entry.path().extension() == ".py") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> out;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        out.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return out;
}

constexpr const char* kNested =
    "\"\"\"Doc.\"\"\"\n"
    "import torch\n"
    "\n"
    "class A:\n"
    "    x = 1; y = 2\n"
    "    # of f\n"
    "    @staticmethod\n"
    "    def f(self):\n"
    "        if self:\n"
    "            return 1\n"
    "        # late\n"
    "        else_ = (2,\n"
    "  3)\n"
    "        z = 1 + \\\n"
    "            2\n"
    "        return else_\n"
    "    # between\n"
    "\n"
    "    async def g(self): return 1\n"
    "\n"
    "    def h(self):\n"
    "        pass\n"
    "        # inner\n"
    "# outer\n"
    "try:\n"
    "    A()\n"
    "except E: pass\n"
    "finally:\n"
    "    a = '''x\n"
    "y'''\n"
    "    b\n"
    "print(1)";

}  // namespace

TEST_CASE("reparse: any text at any place gives the tree of the whole text") {
    for (const char* text :
         {"n", " ", "\n", "#", "(", ":", "\\\n", ";", "'''", "npu.x()\n", "    # c\n", "else:\n    d\n", "\tq\n"})
        CHECK(agrees_everywhere(kNested, text));
}

TEST_CASE("reparse: what is taken out anywhere") {
    for (const std::uint64_t size : {1, 2, 5, 11, 40}) {
        CHECK(agrees_everywhere(kNested, "", size));
        CHECK(agrees_everywhere(kNested, "n\n", size));
    }
}

TEST_CASE("reparse: other line ends, no line end, no statement, broken text") {
    std::string crlf = kNested;
    for (std::size_t at = 0; (at = crlf.find('\n', at)) != crlf.npos; at += 2) crlf.replace(at, 1, "\r\n");
    CHECK(agrees_everywhere(crlf, "n\r\n"));
    CHECK(agrees_everywhere("a\rb\rc", "n\r"));
    CHECK(agrees_everywhere("", "a\n"));
    CHECK(agrees_everywhere("# only\n", "a\n"));
    CHECK(agrees_everywhere("def f(:\n    a\nb\n", "c"));
}

TEST_CASE("pack: texts of every kind, and as deep as they come") {
    CHECK(survives_packing(SyntaxTree::parse("")));
    CHECK(survives_packing(SyntaxTree::parse("x")));
    CHECK(survives_packing(SyntaxTree::parse("f(")));
    CHECK(survives_packing(SyntaxTree::parse(std::string(300'000, '(') + std::string(300'000, ')') + "\n")));
    CHECK(survives_packing(SyntaxTree::parse("a = '" + std::string(1 << 20, 'x') + "'\n\n\nb = 1\n")));
}

TEST_CASE("reparse: several changes of the sources of the cases at once") {
    std::mt19937 random(20261122);
    const auto below = [&](std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
    };
    std::size_t compared = 0;
    for (const std::string& text : sources()) {
        const SyntaxTree tree = SyntaxTree::parse(text);
        if (text.empty() || tree.has_errors()) continue;
        std::vector<Change> changes;
        for (int i = 0; i < 4; ++i) {
            // Mostly what fixes do: a name or an expression is replaced, a line put in.
            const std::uint64_t at = below(text.size());
            ByteRange range = tree.range(tree.smallest_at({at, at}));
            if (range.end - range.begin > 60) range.end = range.begin;
            const bool is_line = below(4) == 0;
            if (is_line) range.begin = range.end = text.rfind('\n', at) + 1;
            changes.push_back({range, is_line ? "import torch_npu\n" : below(2) == 0 ? "npu" : "a.b(c)"});
        }
        std::ranges::sort(changes, {},
                          [](const Change& change) { return std::pair(change.range.begin, change.range.end); });
        std::uint64_t end = 0;
        std::erase_if(changes, [&](const Change& change) {
            const bool overlaps = change.range.begin < end;
            if (!overlaps) end = change.range.end + 1;
            return overlaps;
        });
        if (!agrees(text, changes)) {
            MESSAGE(text);
            FAIL_CHECK("the trees differ");
        }
        ++compared;
    }
    CHECK(compared > 150);
}
