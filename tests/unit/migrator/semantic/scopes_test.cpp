#include <doctest/doctest.h>

#include "tests/unit/migrator/semantic/meaning.h"

using migrator::NodeId;
using migrator::ScopeKind;
using test::Meaning;

namespace {

std::string after_import(const char* source) { return std::string("import torch\n") + source; }

}  // namespace

TEST_CASE("scopes: parameters of every kind hide the module") {
    for (const char* parameters : {"torch", "a, torch", "*torch", "**torch", "torch=1", "torch: int", "torch: int = 1",
                                   "*, torch", "torch, /", "*a, torch", "*torch: int", "**torch: int"}) {
        CAPTURE(parameters);
        Meaning m(after_import("def f(") + std::string(parameters) + "):\n  torch.cuda.x()\n");
        CHECK(m.of("torch.cuda.x") == "-");
        CHECK(m.of("torch") == "local:torch");
    }
    CHECK(Meaning(after_import("f = lambda torch: torch.cuda")).of("torch.cuda") == "-");
    CHECK(Meaning(after_import("f = lambda *torch, **k: torch.cuda")).of("torch.cuda") == "-");
}

TEST_CASE("scopes: defaults, annotations and decorators belong outside") {
    Meaning m(after_import(
        "@torch.no_grad()\ndef f(torch: torch.A = torch.b) -> torch.C:\n  pass\ng = lambda torch=torch.d: 1\n"));
    CHECK(m.of("torch.no_grad") == "torch.no_grad");
    CHECK(m.of("torch.A") == "torch.A");
    CHECK(m.of("torch.b") == "torch.b");
    CHECK(m.of("torch.C") == "torch.C");
    CHECK(m.of("torch.d") == "torch.d");
    Meaning c(after_import("@torch.a\nclass C(torch.B, metaclass=torch.D):\n  torch = 1\n  x = torch\n"));
    CHECK(c.external() == "torch torch.a torch torch.B torch torch.D");
}

TEST_CASE("scopes: every binding form makes a local") {
    for (const char* body : {"torch = g()",
                             "torch: int = g()",
                             "torch: int",
                             "torch += 1",
                             "for torch in x: pass",
                             "with x as torch: pass",
                             "with x as (a, torch): pass",
                             "import g as torch",
                             "from g import torch",
                             "def torch(): pass",
                             "class torch: pass",
                             "(torch := g())",
                             "a, (b, *torch) = g()",
                             "[a, torch] = g()",
                             "try: pass\n  except E as torch: pass",
                             "match x:\n    case torch: pass",
                             "match x:\n    case [a, *torch]: pass",
                             "match x:\n    case {'k': torch}: pass",
                             "match x:\n    case {**torch}: pass",
                             "match x:\n    case A(b=torch): pass",
                             "match x:\n    case A() as torch: pass",
                             "match x:\n    case A(torch) | B(torch): pass",
                             "[(torch := y) for y in x]",
                             "del torch",
                             "type torch = int",
                             "a = torch = g()",
                             "async def h(): pass\n  async with x as torch: pass",
                             "global q; torch = 1"}) {
        CAPTURE(body);
        Meaning m(after_import("def f():\n  ") + std::string(body) + "\n  torch.cuda\n");
        CHECK(m.of("torch.cuda") != "torch.cuda");
        CHECK(m.of("torch.cuda").find(" torch.cuda") == std::string::npos);
    }
}

TEST_CASE("scopes: other positions bind nothing") {
    for (const char* body :
         {"g(torch=1)", "x.torch = 1", "x.torch", "def g(torch): pass", "lambda torch: 1", "[torch for torch in x]",
          "class C:\n    torch = 1", "def g():\n    torch = 1", "x[torch] = 1", "match x:\n    case A(torch=1): pass",
          "match x:\n    case torch.A: pass"}) {
        CAPTURE(body);
        CHECK(Meaning(after_import("def f():\n  ") + std::string(body) + "\n  torch.cuda\n").of("torch.cuda") ==
              "torch.cuda");
    }
}

TEST_CASE("scopes: a class body is not seen by its functions") {
    Meaning m(
        after_import("class C:\n  torch = 3\n  a = torch.x\n  def f(self):\n    return torch.cuda\n  b = [torch.y for "
                     "i in torch.z]\n"));
    CHECK(m.of("torch.x") == "-");
    CHECK(m.of("torch.cuda") == "torch.cuda");
    CHECK(m.of("torch.y") == "torch.y");  // a comprehension is a function
    CHECK(m.of("torch.z") == "-");        // its first iterable is not
    // Before it binds the name, the body sees what is outside.
    CHECK(Meaning(after_import("class C:\n  a = torch.x\n  torch = 1\n")).of("torch.x") == "torch.x");
}

TEST_CASE("scopes: nested functions and lambdas see the functions around them") {
    Meaning m(after_import(
        "def outer(dev):\n  lib = torch.cuda\n  def inner():\n    return lib.x\n  return lambda: lib.y\n"));
    CHECK(m.of("lib.x") == "torch.cuda.x");
    CHECK(m.of("lib.y") == "torch.cuda.y");
    Meaning nested(after_import(
        "class A:\n  class B:\n    device = torch.device('cuda')\n    def go(self): return self.device\n"));
    CHECK(nested.type("self.device") == "torch.device");
    // Two functions with one variable name have two variables.
    Meaning leak(after_import("def setup():\n  lib = torch.cuda\n  lib.a()\ndef other(lib):\n  lib.b()\n"));
    CHECK(leak.of("lib.a") == "torch.cuda.a");
    CHECK(leak.of("lib.b") == "-");
}

TEST_CASE("scopes: global and nonlocal") {
    CHECK(Meaning(after_import("def f():\n  global torch\n  torch.cuda\n")).of("torch.cuda") == "torch.cuda");
    CHECK(Meaning("def f():\n  global t\n  import torch as t\ndef g():\n  t.cuda\n").of("t.cuda") == "torch.cuda");
    CHECK(Meaning("t = None\ndef f():\n  global t\n  import torch as t\nt.cuda\n").of("t.cuda") == "torch.cuda");
    Meaning m(
        after_import("lib = 1\ndef outer():\n  lib = torch.cuda\n  def inner():\n    nonlocal lib\n    lib = "
                     "torch.cpu\n  lib.x\ndef far():\n  lib.y\n"));
    CHECK(m.of("lib.x") == "torch.cuda.x? | torch.cpu.x?");
    CHECK(m.of("lib.y") == "-");
    Meaning deep("def a():\n  def b():\n    nonlocal t\n    t.cuda\n  import torch as t\n");
    CHECK(deep.of("t.cuda") == "torch.cuda");
}

TEST_CASE("scopes: comprehensions") {
    CHECK(Meaning(after_import("[torch.x for torch in torch.y]")).of("torch.x") == "-");
    CHECK(Meaning(after_import("[torch.x for torch in torch.y]")).of("torch.y") == "torch.y");
    CHECK(Meaning(after_import("[1 for a in b for torch in torch.y]")).of("torch.y") == "-");
    CHECK(Meaning(after_import("{torch: 1 for a, torch in b}\ntorch.x")).of("torch.x") == "torch.x");
    CHECK(Meaning(after_import("(torch.x for a in b if torch.y)")).of("torch.y") == "torch.y");
    CHECK(Meaning(after_import("def f():\n  any((n := torch.cuda) for _ in x)\n  n.y\n")).of("n.y") == "torch.cuda.y");
}

TEST_CASE("scopes: type parameters") {
    Meaning m(
        "import torch\nimport numpy as T\ndef f[T: torch.Tensor](x: T) -> T:\n  return T.a\nclass C[T](list[T]):\n  y: "
        "T\n  def g(self): T.b\nT.c\n");
    CHECK(m.of("torch.Tensor") == "torch.Tensor");
    CHECK(m.of("T.a") == "-");
    CHECK(m.of("T.b") == "-");
    CHECK(m.of("T.c") == "numpy.c");
    CHECK(Meaning("type X[K] = dict[K, int]\nK").of("K", 2) == "local:K");
}

TEST_CASE("scopes: pattern matching") {
    Meaning m(
        after_import("match kind:\n  case torch.float16: pass\n  case torch.device(type=t): t\n  case _: pass\n"));
    CHECK(m.of("torch.float16") == "torch.float16");
    CHECK(m.of("torch.device") == "torch.device");
    CHECK(m.of("t") == "local:t");
    CHECK(m.external() == "kind torch torch");
}

TEST_CASE("scopes: where a node is, and which names are taken") {
    Meaning m(after_import("def f(a):\n  b = [c for c in a]\nclass C:\n  d = lambda e: e\n"));
    const auto& bindings = m.bindings();
    const auto kind_at = [&](std::string_view text, int n) {
        return bindings.scope_kind(bindings.scope_at(m.node(text, n)));
    };
    CHECK(kind_at("a", 1) == ScopeKind::function);
    CHECK(kind_at("f", 1) == ScopeKind::module);
    CHECK(kind_at("c", 1) == ScopeKind::comprehension);
    CHECK(kind_at("a", 2) == ScopeKind::function);
    CHECK(kind_at("d", 1) == ScopeKind::class_);
    CHECK(kind_at("e", 2) == ScopeKind::lambda);
    const auto function = bindings.scope_at(m.node("b"));
    CHECK(bindings.parent_scope(function) == migrator::kModuleScope);
    CHECK(bindings.is_name_taken(function, "a"));
    CHECK(bindings.is_name_taken(function, "torch"));
    CHECK(bindings.is_name_taken(migrator::kModuleScope, "C"));
    CHECK_FALSE(bindings.is_name_taken(migrator::kModuleScope, "a"));
    CHECK_FALSE(bindings.is_name_taken(function, "torch_npu"));
    CHECK(Meaning("from torch import *").bindings().is_name_taken(migrator::kModuleScope, "zeros"));
}

TEST_CASE("scopes: keyword arguments, attributes and labels are no references") {
    Meaning m(after_import("f(torch=torch.x)\ny.torch\n"));
    CHECK(m.external() == "f torch torch.x y y.torch");
    CHECK(m.of("y.torch") == "y.torch~");
    CHECK(m.of("torch", 2) == "-");
}

TEST_CASE("scopes: what only looks like a declaration or a type alias") {
    Meaning declared(after_import("def f():\n  (torch): int\n  torch.cuda.x()\n"));
    CHECK(declared.of("torch.cuda.x") == "torch.cuda.x");
    Meaning attribute(
        after_import("def f(x):\n  type(x).torch = torch.cuda.x\n  type(x)[torch] = 1\n  return torch.a\n"));
    CHECK(attribute.of("torch.cuda.x") == "torch.cuda.x");
    CHECK(attribute.of("torch.a") == "torch.a");
}
