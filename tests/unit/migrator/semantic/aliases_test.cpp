#include <doctest/doctest.h>

#include "tests/unit/migrator/semantic/meaning.h"

using test::Meaning;

namespace {

std::string with_torch(const std::string& body) {
    return "import torch\nfrom torch.cuda.amp import autocast, GradScaler\n" + body;
}

}  // namespace

TEST_CASE("aliases: variables") {
    CHECK(Meaning(with_torch("dev = torch.cuda\ndev.empty_cache()")).of("dev.empty_cache") == "torch.cuda.empty_cache");
    CHECK(Meaning(with_torch("cls = torch.cuda.amp.GradScaler\ns = cls()")).of("cls") == "torch.cuda.amp.GradScaler");
    CHECK(Meaning(with_torch("cls = GradScaler\ns = cls()\ns")).type("s") == "torch.cuda.amp.GradScaler");
    CHECK(Meaning(with_torch("Autocast = autocast\nA = Autocast\nA()")).of("A") == "torch.cuda.amp.autocast");
    CHECK(Meaning(with_torch("x = (torch.cuda)\nx.y")).of("x.y") == "torch.cuda.y");
    CHECK(Meaning(with_torch("if (x := torch.cuda): x.y")).of("x.y") == "torch.cuda.y");
    CHECK(Meaning(with_torch("a = b = torch.cuda\nb.y; a.y")).of("a.y") == "torch.cuda.y");
    CHECK(Meaning(with_torch("x: object = torch.cuda\nx.y")).of("x.y") == "torch.cuda.y");
    CHECK(Meaning(with_torch("ctx = {'on': autocast}\nctx['on']()")).of("ctx['on']") == "torch.cuda.amp.autocast?");
}

TEST_CASE("aliases: tuples of equal length") {
    CHECK(Meaning(with_torch("a, b = torch.cuda, torch.cpu\na.x; b.x")).of("b.x") == "torch.cpu.x");
    CHECK(Meaning(with_torch("a, (b, c) = torch.cuda, (torch.cpu, 1)\nb.x")).of("b.x") == "torch.cpu.x");
    CHECK(Meaning(with_torch("[a, b] = (torch.cuda, torch.cpu)\na.x")).of("a.x") == "torch.cuda.x");
    CHECK(Meaning(with_torch("(a) = torch.cuda\na.x")).of("a.x") == "torch.cuda.x");
    CHECK(Meaning(with_torch("(a,) = torch.cuda\na.x")).of("a.x") == "-");
    CHECK(Meaning(with_torch("a, *b = torch.cuda, torch.cpu\na.x; b.x")).of("a.x") == "torch.cuda.x");
    CHECK(Meaning(with_torch("a, *b = torch.cuda, torch.cpu\na.x; b.x")).of("b.x") == "-");
    CHECK(Meaning(with_torch("a, *b, c = torch.cuda, torch.cpu\nc.x")).of("c.x") == "torch.cpu.x");
    CHECK(Meaning(with_torch("a, *b, c = torch.cuda,\nc.x")).of("c.x") == "-");
    CHECK(Meaning(with_torch("a, b = torch.cuda\na.x")).of("a.x") == "-");
    CHECK(Meaning(with_torch("a, b = *torch.cuda, 1\na.x")).of("a.x") == "-");
}

TEST_CASE("aliases: either value of a condition") {
    CHECK(Meaning(with_torch("d = torch.npu if ok else torch.cuda\nd.x")).of("d.x") == "torch.npu.x? | torch.cuda.x?");
    CHECK(Meaning(with_torch("d = npu or torch.cuda\nd.x")).of("d") == "local:d? | torch.cuda?");
    CHECK(Meaning(with_torch("d = torch.cuda if ok else None\nd.x")).of("d.x") == "torch.cuda.x");
    CHECK(Meaning(with_torch("d = f() if ok else torch.cuda\nd.x")).of("d.x") == "torch.cuda.x?");
}

TEST_CASE("aliases: class attributes and self") {
    Meaning m(with_torch(R"(
class Runner:
    backend = torch.cuda
    def __init__(self):
        self.cast = autocast
        self.lib, self.n = torch.cuda, 3
    def step(self):
        self.backend.a()
        self.lib.b()
        return self.cast()
    @classmethod
    def make(cls):
        cls.backend.c()
        return cls()
Runner.backend.d()
Runner().lib.e()
)"));
    CHECK(m.of("self.backend.a") == "torch.cuda.a");
    CHECK(m.of("self.lib.b") == "torch.cuda.b");
    CHECK(m.of("self.cast", 2) == "torch.cuda.amp.autocast");
    CHECK(m.of("cls.backend.c") == "torch.cuda.c");
    CHECK(m.of("Runner.backend.d") == "torch.cuda.d");
    CHECK(m.of("Runner().lib.e") == "torch.cuda.e");
    CHECK(m.type("cls()") == "project:Runner");
    // What is bound is no reference.
    CHECK(m.of("self.cast", 1) == "-");
}

TEST_CASE("aliases: attributes of the classes a class derives from") {
    Meaning m(with_torch(
        "class A:\n  def __init__(self):\n    self.lib = torch.cuda\nclass B(A):\n  def f(self):\n    self.lib.x\n"));
    CHECK(m.of("self.lib.x") == "torch.cuda.x");
    Meaning two(
        with_torch("class A:\n  def f(self, c):\n    if c: self.lib = torch.cuda\n    else: self.lib = torch.cpu\n    "
                   "self.lib.x\n"));
    CHECK(two.of("self.lib.x") == "torch.cuda.x? | torch.cpu.x?");
    // Only the first parameter of a method is an instance.
    CHECK(Meaning(
              with_torch(
                  "class A:\n  @staticmethod\n  def f(self):\n    self.lib = torch.cuda\n  def g(self): self.lib.x\n"))
              .of("self.lib.x") == "-");
    CHECK(Meaning(with_torch("def f(self):\n  self.lib = torch.cuda\n  self.lib.x\n")).of("self.lib.x") == "-");
}

TEST_CASE("aliases: what is stored on a module is a reference") {
    Meaning m(with_torch("torch.backends.cuda.matmul.allow_tf32 = True\n"));
    CHECK(m.of("torch.backends.cuda.matmul.allow_tf32") == "torch.backends.cuda.matmul.allow_tf32");
}

TEST_CASE("aliases: names of the project stay the project's") {
    Meaning m(with_torch("def cuda(x): return x\nclass Batch:\n  def cuda(self): return self\n  @property\n  def "
                         "is_cuda(self): return True\n"
                         "b = Batch()\ncuda(21)\nb.cuda()\nb.is_cuda\nBatch.cuda\nb.other\n"),
              {.module_name = "pkg.data"});
    CHECK(m.of("cuda", 4) == "project:pkg.data.cuda");
    CHECK(m.of("b.cuda") == "project:pkg.data.Batch.cuda");
    CHECK(m.of("b.is_cuda").find("Batch.is_cuda") != std::string::npos);
    CHECK(m.of("Batch.cuda") == "project:pkg.data.Batch.cuda");
    CHECK(m.of("b.other") == "local:pkg.data.Batch.other?");
    CHECK(m.external().find("b.") == std::string::npos);
    CHECK(Meaning("from dataclasses import dataclass\n@dataclass\nclass Config:\n  CUDA: bool = True\ncfg = "
                  "Config()\ncfg.CUDA")
              .of("cfg.CUDA") == "local:Config.CUDA");
}

TEST_CASE("aliases: other libraries keep their own cuda") {
    Meaning m(
        "import torch, cupy\nfrom numba import cuda\n@cuda.jit\ndef k(a): cuda.grid(1)\nwith cupy.cuda.Device(0): "
        "pass\n");
    CHECK(m.of("cuda.jit") == "numba.cuda.jit");
    CHECK(m.of("cuda.grid") == "numba.cuda.grid");
    CHECK(m.of("cupy.cuda.Device") == "cupy.cuda.Device");
}

TEST_CASE("aliases: circles end") {
    CHECK(Meaning("x = y\ny = x\nx.a").of("x.a") == "-");
    CHECK(Meaning("x = x\nx").of("x") == "local:x");
    CHECK(Meaning("import torch\ndef f():\n  global a, b\n  a = b\n  b = a\n  a = torch.cuda\ndef g():\n  b.x")
              .of("b.x") == "torch.cuda.x");
    CHECK(Meaning("class A(B): pass\nclass B(A): pass\nA().x").of("A().x") == "local:A.x?");
    CHECK(Meaning("class A(A): pass\nA().x").of("A()") == "-");
}
