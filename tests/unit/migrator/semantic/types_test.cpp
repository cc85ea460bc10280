#include <doctest/doctest.h>

#include "tests/unit/migrator/semantic/meaning.h"

using test::Meaning;

namespace {

std::string with_imports(const std::string& body) {
    return "import torch\nimport torch.nn as nn\nfrom typing import Optional, Union, List\nimport typing as t\n" + body;
}

std::string type_of_x(const std::string& body) { return Meaning(with_imports(body + "\nx")).type("x"); }

}  // namespace

TEST_CASE("types: constructors and factories") {
    CHECK(type_of_x("x = torch.zeros(2)") == "torch.Tensor");
    CHECK(type_of_x("x = torch.device('cuda')") == "torch.device");
    CHECK(type_of_x("x = nn.Linear(1, 2)") == "torch.nn.Linear");
    CHECK(type_of_x("x = torch.optim.AdamW(p)") == "torch.optim.AdamW");
    CHECK(type_of_x("x = torch.Generator(device='cuda')") == "torch.Generator");
    CHECK(type_of_x("x = torch.cuda.Event()") == "torch.cuda.Event");
    CHECK(type_of_x("x = torch.cuda.current_stream()") == "torch.cuda.Stream");
    CHECK(type_of_x("from torch.utils.data import DataLoader\nx = DataLoader(d)") == "torch.utils.data.DataLoader");
    CHECK(type_of_x("x = torch.some_function()") == "-");
    CHECK(type_of_x("x = torch.nn.functional.relu(y)") == "torch.Tensor");
}

TEST_CASE("types: methods that give their receiver") {
    CHECK(type_of_x("x = torch.zeros(2).to('cuda').float()") == "torch.Tensor");
    CHECK(type_of_x("x = nn.Linear(1, 2).cuda()") == "torch.nn.Linear");
    CHECK(type_of_x("class Net(nn.Module):\n  def go(self): pass\nx = Net().cuda()") == "torch.nn.Module");
    CHECK(Meaning(with_imports("class Net(nn.Module):\n  def go(self): pass\nx = Net().cuda()\nx.go()")).of("x.go") ==
          "project:Net.go");
    CHECK(type_of_x("x = torch.zeros(2).item()") == "-");
    CHECK(Meaning(with_imports("torch.zeros(2).cuda()")).of("torch.zeros(2).cuda") == "torch.Tensor.cuda");
    CHECK(Meaning(with_imports("nn.Linear(1, 2).cuda()")).of("nn.Linear(1, 2).cuda") == "torch.nn.Module.cuda");
    CHECK(Meaning(with_imports("f = map(torch.Tensor.cuda, y)")).of("torch.Tensor.cuda") == "torch.Tensor.cuda");
    CHECK(Meaning(with_imports("x = torch.ones(1)\nmove = x.cuda\nmove()")).of("move") == "torch.Tensor.cuda");
}

TEST_CASE("types: properties") {
    CHECK(type_of_x("y = torch.zeros(2)\nx = y.device") == "torch.device");
    CHECK(Meaning(with_imports("y = torch.zeros(2)\ny.is_cuda")).of("y.is_cuda") == "torch.Tensor.is_cuda");
    CHECK(Meaning(with_imports("y = torch.zeros(2)\ny.device.type")).of("y.device.type") == "torch.device.type");
    // The value of a property is no alias of it.
    CHECK(Meaning(with_imports("y = torch.zeros(2)\nflag = y.is_cuda\nflag")).of("flag") == "local:flag");
}

TEST_CASE("types: annotations") {
    for (const char* annotation :
         {"torch.Tensor", "'torch.Tensor'", "Optional[torch.Tensor]", "t.Optional[torch.Tensor]", "torch.Tensor | None",
          "None | torch.Tensor", "Union[torch.Tensor, None]", "'Optional[torch.Tensor]'", "\"torch.Tensor | None\"",
          "Optional['torch.Tensor']", "t.Annotated[torch.Tensor, 'cuda']"}) {
        CAPTURE(annotation);
        Meaning m(with_imports("def f(x: " + std::string(annotation) + "):\n  x.cuda()\n"));
        CHECK(m.of("x.cuda") == "torch.Tensor.cuda");
        CHECK(m.of("x", 2) == "local:x");
        CHECK(type_of_x("x: " + std::string(annotation) + " = f()") == "torch.Tensor");
        CHECK(type_of_x("x: " + std::string(annotation) + "\nx = f()") == "torch.Tensor");
    }
    for (const char* annotation :
         {"List[torch.Tensor]", "int", "t.Any", "'no type at all'", "'List[torch.Tensor]'", "f()", "''", "'torch.'"}) {
        CAPTURE(annotation);
        CHECK(type_of_x("x: " + std::string(annotation) + " = f()") == "-");
    }
    CHECK(type_of_x("def f(*x: torch.Tensor):\n  x") == "-");
    CHECK(Meaning(with_imports("def f(x: Union[torch.Tensor, nn.Module]):\n  x.cuda()")).of("x.cuda") ==
          "torch.Tensor.cuda? | torch.nn.Module.cuda?");
    CHECK(Meaning(with_imports("class C:\n  model: nn.Module\n  def f(self): self.model.cuda()\n"))
              .of("self.model.cuda") == "torch.nn.Module.cuda");
    CHECK(Meaning(with_imports("def f() -> torch.Tensor: pass\nf().cuda()")).of("f().cuda") == "torch.Tensor.cuda");
    CHECK(Meaning(with_imports("async def f() -> torch.Tensor: pass\nf().cuda()")).of("f().cuda") == "-");
    CHECK(Meaning(with_imports("class C:\n  @property\n  def p(self) -> torch.Tensor: pass\nC().p.cuda()"))
              .of("C().p.cuda") == "torch.Tensor.cuda");
}

TEST_CASE("types: defaults of parameters are likely") {
    CHECK(Meaning(with_imports("def f(d=torch.device('cuda')):\n  d.type")).of("d.type") == "torch.device.type?");
    CHECK(Meaning(with_imports("def f(lib=torch.cuda):\n  lib.x")).of("lib.x") == "-");
}

TEST_CASE("types: classes of the file and self") {
    Meaning m(with_imports(R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1)
        self.other = make()
    def forward(self, x):
        self.cuda()
        self.fc.cuda()
        self.other.cuda()
        self.set_elsewhere.cuda()
        return self.fc(x).cuda()
class Sub(Net):
    def go(self):
        self.half()
        self.forward(1)
net = Sub()
net.to('cuda')
)"));
    CHECK(m.type("self", 2) == "torch.nn.Module");
    CHECK(m.of("super().__init__") == "torch.nn.Module.__init__");
    CHECK(m.of("self.cuda") == "torch.nn.Module.cuda");
    CHECK(m.of("self.fc.cuda") == "torch.nn.Module.cuda");
    CHECK(m.type("self.fc") == "torch.nn.Linear");
    CHECK(m.of("self.other.cuda") == "-");
    CHECK(m.of("self.other", 2) == "local:Net.other");
    CHECK(m.of("self.set_elsewhere") == "-");
    CHECK(m.of("self.set_elsewhere.cuda") == "-");
    CHECK(m.of("self.fc(x).cuda") == "torch.Tensor.cuda?");
    CHECK(m.of("self.half") == "torch.nn.Module.half");
    CHECK(m.of("self.forward") == "project:Net.forward");
    CHECK(m.of("net.to") == "torch.nn.Module.to");
    CHECK(m.type("net") == "torch.nn.Module");
}

TEST_CASE("types: bases that are not known") {
    const char* body = "class Net(Base):\n  def f(self):\n    self.cuda()\n    self.x = 1\n    self.x\n";
    Meaning unknown(with_imports(std::string("from lib import Base\n") + body));
    CHECK(unknown.of("self.cuda") == "-");
    CHECK(unknown.type("self", 2) == "-");
    Meaning mixed(
        with_imports("from lib import Mixin\nclass Net(Mixin, nn.Module):\n  def f(self):\n    self.cuda()\n"));
    CHECK(mixed.of("self.cuda") == "torch.nn.Module.cuda?");
    Meaning dynamic(with_imports("class W:\n  def __getattr__(self, n): return getattr(self.m, n)\nW().cuda()\n"));
    CHECK(dynamic.of("W().cuda") == "-");
    Meaning known(
        "import pytorch_lightning as pl\nclass M(pl.LightningModule):\n  def f(self): self.cuda(); self.log()\n");
    CHECK(known.of("self.cuda") == "torch.nn.Module.cuda");
    CHECK(known.of("self.log") == "-");
}

TEST_CASE("types: operators are likely") {
    CHECK(type_of_x("y = torch.zeros(2)\nx = y + 1") == "torch.Tensor?");
    CHECK(type_of_x("y = torch.zeros(2)\nx = 1 - y") == "torch.Tensor?");
    CHECK(type_of_x("y = torch.zeros(2)\nx = -y") == "torch.Tensor?");
    CHECK(type_of_x("y = torch.zeros(2)\nx = y[0]") == "torch.Tensor?");
    CHECK(type_of_x("y = torch.zeros(2)\nx = y > 0") == "torch.Tensor?");
    CHECK(type_of_x("y = torch.zeros(2)\nx = y @ z") == "torch.Tensor?");
    CHECK(type_of_x("y = torch.zeros(2)\nx = y is z") == "-");
    CHECK(type_of_x("x = 1 + 2") == "-");
}

TEST_CASE("types: loops, with and except") {
    CHECK(type_of_x("for x in torch.zeros(2):\n  pass") == "torch.Tensor?");
    CHECK(type_of_x("for x in nn.ModuleList(m):\n  pass") == "torch.nn.Module?");
    CHECK(type_of_x("from torch.utils.data import DataLoader\nfor x in DataLoader(d):\n  pass") == "-");
    CHECK(type_of_x("with torch.profiler.profile() as x:\n  pass") == "torch.profiler.profile");
    CHECK(type_of_x("with torch.autocast('cuda') as x:\n  pass") == "torch.autocast");
    CHECK(type_of_x("with torch.cuda.stream(s) as x:\n  pass") == "-");
    CHECK(type_of_x("with open(f) as x:\n  pass") == "-");
}

TEST_CASE("types: a value that depends on itself") {
    CHECK(type_of_x("x = torch.zeros(2)\nfor i in y:\n  x = x.to(d)") == "torch.Tensor");
    CHECK(Meaning(with_imports("x = torch.zeros(2)\nfor i in y:\n  x = x.to(d)\n")).of("x.to") == "torch.Tensor.to");
    CHECK(type_of_x("x = torch.zeros(2)\nwhile y:\n  x = x.item()") == "torch.Tensor?");
    CHECK(type_of_x("x = torch.zeros(2)\nwhile y:\n  z = x + 1\n  x = z") == "torch.Tensor?");
    CHECK(type_of_x("x = f()\nwhile y:\n  x = x.to(d)") == "-");
}

TEST_CASE("types: several classes leave none") {
    CHECK(type_of_x("if c:\n  x = torch.zeros(2)\nelse:\n  x = nn.Linear(1, 1)") == "-");
    CHECK(type_of_x("if c:\n  x = torch.zeros(2)\nelse:\n  x = torch.ones(2)") == "torch.Tensor");
    CHECK(type_of_x("if c:\n  x = torch.zeros(2)\nelse:\n  x = f()") == "torch.Tensor?");
    CHECK(type_of_x("x = None\nif c:\n  x = torch.zeros(2)") == "torch.Tensor");
}
