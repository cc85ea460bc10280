// What C++ sources say of operators: signatures, functions, kernels.
#include "migrator/match/cpp_operators.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "migrator/match/matcher.h"
#include "tests/unit/migrator/rules/case_support.h"

using namespace migrator;

namespace {

std::string shown(const CppSignature& signature) {
    std::string out;
    for (const CppParameter& each : signature.parameters)
        out += "[" + each.type + "|" + each.name + "|" + each.fallback + "]";
    return out + " -> " + signature.result;
}

CppOperators read(std::string_view source) { return read_cpp_operators(CppTokens(source), test::rules()); }

}  // namespace

TEST_CASE("schemas: parameters with defaults and the marker of keywords, and the result") {
    CHECK(shown(schema_signature("f(Tensor x, int[2] size=[1, 2], *, float? by=None) -> (Tensor, Tensor)")) ==
          "[Tensor|x|][int[2]|size|[1, 2]][float?|by|None] -> (Tensor, Tensor)");
    CHECK(shown(schema_signature("f() -> ()")) == " -> ()");
    CHECK_FALSE(schema_signature("only_a_name").known);
}

TEST_CASE("C++ functions: signatures, what they use, directives and templates in front of them") {
    const CppOperators found = read(
        "#pragma once\n#define TWICE(x) \\\n  (x) * 2\n"
        "template <typename T, int N = 3>\n__global__ void __launch_bounds__(256) kernel(T* x, const int n) { x[0] = "
        "n; }\n"
        "namespace a { struct B { int size() const noexcept { return count(1); } }; }\n"
        "std::vector<at::Tensor> run(const at::Tensor &x, std::map<int, float> m = {{1, 2.f}}, int64_t) {\n"
        "  x.size(0); helper(x); kernel<float, 2><<<1, 2>>>(x.data(), 3); apply(&passed); return {};\n}\n"
        "void declared(void);\n");
    REQUIRE(found.functions.size() == 4);
    CHECK(found.functions[0].name == "kernel");
    CHECK(found.functions[0].is_kernel);
    CHECK(found.functions[0].line == 5);
    CHECK(shown(found.functions[0].signature) == "[T*|x|][const int|n|] -> __global__ void __launch_bounds__(256)");
    CHECK(found.functions[1].name == "size");
    CHECK(found.functions[1].uses == std::vector<std::string>{"count"});
    CHECK(found.functions[2].name == "run");
    CHECK_FALSE(found.functions[2].is_kernel);
    CHECK(shown(found.functions[2].signature) ==
          "[const at::Tensor &|x|][std::map<int, float>|m|{{1, 2.f}}][int64_t||] -> std::vector<at::Tensor>");
    CHECK(found.functions[2].uses == std::vector<std::string>{"apply", "helper", "kernel", "passed"});
    CHECK(found.functions[3].name == "declared");
    CHECK_FALSE(found.functions[3].is_defined);
    CHECK(found.functions[3].signature.parameters.empty());
}

TEST_CASE("bindings: what they call") {
    const CppOperators found = read(
        "PYBIND11_MODULE(ext, m) {\n  m.def(\"a\", &ns::a_cuda<float>, \"about\")\n"
        "   .def(\"b\", [](at::Tensor x, int n = 2) -> at::Tensor { return inner(x); });\n}\n"
        "TORCH_LIBRARY_IMPL(mine, CUDA, m) { m.impl(\"c\", TORCH_FN(c_cuda)); }\n"
        "TORCH_LIBRARY(mine, m) { m.def(\"c(Tensor x) -> Tensor\"); }\n");
    REQUIRE(found.bindings.size() == 4);
    CHECK(found.bindings[0].subject == "a");
    CHECK(found.bindings[0].function == "a_cuda");
    CHECK(found.bindings[0].line == 2);
    CHECK(found.bindings[1].function.empty());
    CHECK(shown(found.bindings[1].signature) == "[at::Tensor|x|][int|n|2] -> at::Tensor");
    CHECK(found.bindings[1].uses == std::vector<std::string>{"inner"});
    CHECK(found.bindings[2].subject == "mine::c");
    CHECK(found.bindings[2].function == "c_cuda");
    CHECK(found.bindings[3].function.empty());
    CHECK(shown(found.bindings[3].signature) == "[Tensor|x|] -> Tensor");
}

TEST_CASE("C++ without its end is read in one go") {
    for (const char* part : {"f(", "f(x) {", "<", "#", "m.def(\"", "template <", "[](int x) -> "}) {
        std::string source = "PYBIND11_MODULE(e, m) { m.def(\"a\", ";
        for (int i = 0; i < 4000; ++i) source += part;
        read(source);
    }
}

TEST_CASE("C++ in a text of Python: what has been read of it is not read again") {
    SourceFile file;
    file.path = "ops.py";
    file.type = FileType::python;
    file.text =
        "from torch.utils.cpp_extension import load_inline\n"
        "ops = load_inline('ops', 'at::Tensor twice(at::Tensor x) { return x; }', functions=['twice'])\n";
    const SyntaxTree tree = SyntaxTree::parse(file.text);
    const Bindings bindings = Bindings::analyse(tree, test::type_facts(), {});
    MatchContext context;
    context.rules = &test::rules();
    context.facts = &test::type_facts();
    const auto operators = [&](const CppOperators* read) {
        return std::ranges::count(match(file, file.text, context, {&tree, &bindings, read}), "twice",
                                  &Finding::subject);
    };
    const CppOperators nothing;
    CHECK(operators(nullptr) == 1);
    CHECK(operators(&nothing) == 0);
}
