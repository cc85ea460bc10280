#include "migrator/syntax/syntax_tree.h"

#include <algorithm>
#include <thread>

#include <doctest/doctest.h>

#include "migrator/syntax/grammar.h"

using base::ByteRange;
using migrator::Field;
using migrator::kNoNode;
using migrator::NodeId;
using migrator::NodeKind;
using migrator::SyntaxTree;

namespace {

// The named nodes as nested parentheses: "(module (expression_statement (identifier)))".
std::string shape(const SyntaxTree& tree) {
    std::string out;
    std::vector<NodeId> open;
    for (NodeId id = 0; id < tree.size(); ++id) {
        while (!open.empty() && id >= tree.subtree_end(open.back())) {
            out += ')';
            open.pop_back();
        }
        if (!tree.named(id)) continue;
        if (!out.empty()) out += ' ';
        if (tree.field(id) != Field::none) out += std::string(name(tree.field(id))) + ": ";
        out += '(' + std::string(name(tree.kind(id)));
        open.push_back(id);
    }
    return out + std::string(open.size(), ')');
}

std::string shape(const std::string& source) { return shape(SyntaxTree::parse(source)); }

NodeId find(const SyntaxTree& tree, NodeKind kind) {
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) == kind) return id;
    }
    return kNoNode;
}

// Every link agrees with every other.
void check_links(const SyntaxTree& tree) {
    for (NodeId id = 0; id < tree.size(); ++id) {
        REQUIRE(tree.subtree_end(id) > id);
        REQUIRE(tree.range(id).begin <= tree.range(id).end);
        NodeId expected = id + 1;
        for (NodeId at = tree.first_child(id); at != kNoNode; at = tree.next_sibling(at)) {
            REQUIRE(at == expected);
            REQUIRE(tree.parent(at) == id);
            REQUIRE(tree.range(at).begin >= tree.range(id).begin);
            expected = tree.subtree_end(at);
        }
        REQUIRE(expected == tree.subtree_end(id));
    }
}

}  // namespace

TEST_CASE("grammar: every name we know is a name of the grammar") {
    const auto unknown = migrator::Grammar::python().unknown_names();
    for (const std::string_view name : unknown) CHECK_MESSAGE(false, std::string(name));
    CHECK(name(NodeKind::float_) == "float");
    CHECK(name(NodeKind::true_) == "true");
    CHECK(name(Field::operator_) == "operator");
    CHECK(name(NodeKind::token) == "token");
}

TEST_CASE("syntax: kinds, fields and ranges") {
    const std::string source = "x = a.b(c, k=1)  # why\n";
    const SyntaxTree tree = SyntaxTree::parse(source);
    CHECK(shape(tree) ==
          "(module (expression_statement (assignment left: (identifier) right: (call function: (attribute object: "
          "(identifier) "
          "attribute: (identifier)) arguments: (argument_list (identifier) (keyword_argument name: (identifier) value: "
          "(integer)))))) (comment))");
    check_links(tree);
    const NodeId call = find(tree, NodeKind::call);
    CHECK(tree.text(call) == "a.b(c, k=1)");
    CHECK(tree.range(call) == ByteRange{4, 15});
    CHECK(tree.text(tree.child(call, Field::function)) == "a.b");
    CHECK(tree.child(call, Field::body) == kNoNode);
    CHECK(tree.kind(tree.ancestor(call, NodeKind::expression_statement)) == NodeKind::expression_statement);
    CHECK(tree.ancestor(call, NodeKind::call) == kNoNode);
    CHECK(tree.named_children(tree.child(call, Field::arguments)).size() == 2);
    CHECK(tree.is_ancestor(tree.root(), call));
    CHECK_FALSE(tree.is_ancestor(call, tree.root()));
    CHECK_FALSE(tree.has_errors());
}

TEST_CASE("syntax: tokens are nodes too") {
    const SyntaxTree tree = SyntaxTree::parse("x = 1\n");
    bool found = false;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.text(id) != "=") continue;
        found = true;
        CHECK(tree.kind(id) == NodeKind::token);
        CHECK_FALSE(tree.named(id));
    }
    CHECK(found);
}

TEST_CASE("syntax: forms with a twist in the grammar") {
    CHECK(shape("print >>f, x\n").find("(print_statement (chevron (identifier)) argument: (identifier))") !=
          std::string::npos);
    CHECK(shape("print(x)\n").find("(call function: (identifier)") != std::string::npos);
    CHECK(shape("exec code in d\n").find("(exec_statement code: (identifier) (identifier))") != std::string::npos);
    CHECK(shape("match = case = type = 1\n").find("match_statement") == std::string::npos);
    CHECK(shape("match x:\n  case 1: pass\n").find("(match_statement subject: (identifier)") != std::string::npos);
    CHECK(shape("f'{x!r:>{w}}'\n")
              .find("(interpolation expression: (identifier) type_conversion: (type_conversion) format_specifier: "
                    "(format_specifier (format_expression expression: (identifier))))") != std::string::npos);
    CHECK(shape("def f[T](): pass\n").find("type_parameters: (type_parameter (type (identifier)))") !=
          std::string::npos);
    CHECK(shape("type X = int\n").find("(type_alias_statement") != std::string::npos);
    CHECK(shape("try: pass\nexcept* E: pass\n").find("(except_clause") != std::string::npos);
    CHECK(shape("async def f():\n  await x\n").find("(await (identifier))") != std::string::npos);
}

TEST_CASE("syntax: errors and missing tokens") {
    const std::string source = "a = 1\nb = = 2\nc = 3\n";
    const SyntaxTree tree = SyntaxTree::parse(source);
    REQUIRE(tree.has_errors());
    check_links(tree);
    for (const ByteRange& error : tree.error_ranges()) {
        CHECK(error.begin >= 6);
        CHECK(error.end <= 13);
        CHECK(tree.touches_error(error));
        CHECK(tree.touches_error({error.end, error.end + 1}));  // touching, not inside
    }
    CHECK_FALSE(tree.touches_error({0, 5}));
    CHECK_FALSE(tree.touches_error({14, 19}));

    const SyntaxTree open = SyntaxTree::parse("f(a\n");
    CHECK(open.has_errors());
    CHECK(open.touches_error({0, 4}));
    const SyntaxTree broken = SyntaxTree::parse(")))(((");
    CHECK(broken.has_errors());
    check_links(broken);
}

TEST_CASE("syntax: error ranges are sorted and do not lie in each other") {
    std::string source;
    for (int i = 0; i < 200; ++i) source += "a = = 1\nb = 2\n";
    const SyntaxTree tree = SyntaxTree::parse(source);
    check_links(tree);
    const auto& errors = tree.error_ranges();
    REQUIRE(errors.size() > 1);
    for (std::size_t i = 1; i < errors.size(); ++i) CHECK(errors[i].begin >= errors[i - 1].end);
}

TEST_CASE("syntax: the smallest node around a range") {
    const std::string source = "x = a.b(c)\n\ny\n";
    const SyntaxTree tree = SyntaxTree::parse(source);
    CHECK(tree.text(tree.smallest_at({4, 5})) == "a");
    CHECK(tree.text(tree.smallest_at({4, 7})) == "a.b");
    CHECK(tree.text(tree.smallest_at({6, 9})) == "a.b(c)");
    CHECK(tree.text(tree.smallest_at({0, 10})) == "x = a.b(c)");
    CHECK(tree.smallest_at({0, 13}) == tree.root());
    CHECK(tree.smallest_at({11, 12}) == tree.root());
}

TEST_CASE("syntax: empty and odd texts") {
    for (const char* source :
         {"", "\n", "# comment", "\f\n", "x", "x = 1\r\ny = 2\r\n", "\tx\n", "x = '\xE4\xB8\xAD'\n"}) {
        const SyntaxTree tree = SyntaxTree::parse(source);
        CHECK(tree.size() >= 1);
        CHECK(tree.kind(tree.root()) == NodeKind::module);
        check_links(tree);
    }
}

TEST_CASE("syntax: a million nested parentheses") {
    constexpr std::size_t kDeep = 1'000'000;
    const std::string source = "x = " + std::string(kDeep, '(') + "1" + std::string(kDeep, ')') + "\n";
    const SyntaxTree tree = SyntaxTree::parse(source);
    CHECK(tree.size() > kDeep);
    const NodeId innermost = find(tree, NodeKind::integer);
    CHECK(tree.ancestor(innermost, NodeKind::assignment) != kNoNode);
    const SyntaxTree open = SyntaxTree::parse(std::string(kDeep, '('));
    CHECK(open.has_errors());
}

TEST_CASE("syntax: more blocks in each other than the grammar's scanner can save") {
    const auto nested = [](std::size_t levels, const std::string& inner) {
        std::string source;
        for (std::size_t i = 0; i < levels; ++i) source += std::string(i, ' ') + "if a:\n";
        return source + std::string(levels, ' ') + inner + "\n";
    };
    // Python takes a hundred. With a string, whose state comes first, the scanner has room for one less, and used to write
    // behind its buffer.
    for (const std::string inner : {"x", "f('y')", "f(f'{y}')"}) {
        for (const std::size_t levels : {100, 509}) {
            const SyntaxTree tree = SyntaxTree::parse(nested(levels, inner));
            CHECK_FALSE(tree.has_errors());
            CHECK_FALSE(tree.gave_up());
        }
        for (const std::size_t levels : {511, 512, 2000}) CHECK(SyntaxTree::parse(nested(levels, inner)).gave_up());
    }
    CHECK_FALSE(SyntaxTree::parse(nested(3, "x")).has_errors());
}

TEST_CASE("syntax: one line of five megabytes") {
    std::string source = "x = [";
    while (source.size() < 5'000'000) source += "torch.zeros(1), 'cuda', ";
    source += "]\n";
    const SyntaxTree tree = SyntaxTree::parse(source);
    CHECK_FALSE(tree.has_errors());
    const NodeId last = tree.smallest_at({source.size() - 8, source.size() - 7});
    CHECK(tree.text(last).find("cuda") != std::string::npos);
}

TEST_CASE("syntax: trees can be made on several threads") {
    std::vector<std::string> shapes(8);
    std::vector<std::thread> threads;
    for (std::string& out : shapes)
        threads.emplace_back([&out] { out = shape(std::string("def f(a): return a.b[c]\n")); });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& other : shapes) CHECK(other == shapes.front());
}

TEST_CASE("syntax: a tree does not depend on what was parsed before it") {
    const std::string small = "x = [1, 2]\ndef f(a): return a\n";
    std::string large;
    for (int i = 0; i < 20000; ++i) large += "f(x, 'some text', key=[1, (2, 3)])\n";
    const migrator::SyntaxTree first = migrator::SyntaxTree::parse(small);
    const migrator::SyntaxTree between = migrator::SyntaxTree::parse(large);
    const migrator::SyntaxTree second = migrator::SyntaxTree::parse(small);
    CHECK_FALSE(between.has_errors());
    REQUIRE(first.size() == second.size());
    for (migrator::NodeId id = 0; id < first.size(); ++id) {
        CHECK(first.kind(id) == second.kind(id));
        CHECK(first.subtree_end(id) == second.subtree_end(id));
    }
}
