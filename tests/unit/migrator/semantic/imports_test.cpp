#include <doctest/doctest.h>

#include "tests/unit/migrator/semantic/meaning.h"

using migrator::ImportedName;
using migrator::ModuleContext;
using migrator::Origin;
using test::Meaning;

namespace {

std::string line_of(const ImportedName& import) {
    std::string out = import.module + "|" + import.name + "|" + import.bound_name;
    if (import.origin == Origin::project) out += "|project";
    if (import.conditional) out += "|conditional";
    if (import.type_checking_only) out += "|type checking";
    return out;
}

std::vector<std::string> imports(const Meaning& m) {
    std::vector<std::string> out;
    for (const ImportedName& import : m.bindings().imports()) out.push_back(line_of(import));
    return out;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("imports: every form gives its names") {
    Meaning m(R"(import a
import a.b, c.d as e
from x import y as z, w
from x.v import (q,
    r as s,)
from t import *
from __future__ import annotations
)");
    CHECK(imports(m) == Lines{"a||a", "a.b||a", "c.d||e", "x|y|z", "x|w|w", "x.v|q|q", "x.v|r|s", "t|*|",
                              "__future__|annotations|annotations"});
    CHECK(m.tree().text(m.bindings().imports()[2].node) == "c.d as e");
    CHECK(m.tree().text(m.bindings().imports()[2].statement) == "import a.b, c.d as e");
}

TEST_CASE("imports: plain, dotted and aliased modules") {
    CHECK(Meaning("import torch\ntorch.cuda.empty_cache()").of("torch.cuda.empty_cache") == "torch.cuda.empty_cache");
    CHECK(Meaning("import torch.cuda\ntorch.nn").of("torch.nn") == "torch.nn");
    CHECK(Meaning("import torch.cuda\ntorch.cuda.x").of("torch") == "torch");
    CHECK(Meaning("import torch.cuda as tc\ntc.is_available()").of("tc.is_available") == "torch.cuda.is_available");
    CHECK(Meaning("import torch as th\nth.cuda.x").of("th.cuda") == "torch.cuda");
    CHECK(Meaning("import torch . cuda as tc\ntc").of("tc") == "torch.cuda");
    CHECK(Meaning("import torch, numpy\nnumpy.x; torch.x").of("torch.x") == "torch.x");
}

TEST_CASE("imports: members") {
    CHECK(Meaning("from torch import cuda\ncuda.x()").of("cuda.x") == "torch.cuda.x");
    CHECK(Meaning("from torch.cuda import amp as a\na.autocast").of("a.autocast") == "torch.cuda.amp.autocast");
    CHECK(Meaning("from torch.cuda.amp import (\n  autocast, # why\n  GradScaler)\nGradScaler").of("GradScaler") ==
          "torch.cuda.amp.GradScaler");
}

TEST_CASE("imports: the names of statements are no expressions") {
    Meaning m("import torch.cuda as tc\nfrom torch import nn as n\n");
    CHECK(m.external() == "");
    CHECK(m.of("torch") == "-");
    CHECK(m.of("tc") == "-");
}

TEST_CASE("imports: relative to the module, when it is known") {
    const char* source = "from . import a\nfrom .b import c\nfrom ..d import e\nfrom .... import f\na; c; e; f";
    Meaning known(source, {.module_name = "pkg.sub.train"});
    CHECK(imports(known) ==
          Lines{"pkg.sub|a|a|project", "pkg.sub.b|c|c|project", "pkg.d|e|e|project", "....|f|f|project"});
    CHECK(known.of("c") == "project:pkg.sub.b.c");
    Meaning package(source, {.module_name = "pkg.sub", .is_package = true});
    CHECK(imports(package)[1] == "pkg.sub.b|c|c|project");
    Meaning unknown(source);
    CHECK(imports(unknown)[1] == ".b|c|c|project");
    CHECK(unknown.of("c").starts_with("project:"));
}

TEST_CASE("imports: modules of the project are never taken for others") {
    const std::vector<std::string> modules{"common", "pkg", "pkg.compat", "torch_utils"};
    ModuleContext context{.module_name = "main", .project_modules = modules};
    CHECK(Meaning("from pkg.compat import torch\ntorch.cuda.x", context).of("torch.cuda.x") ==
          "project:pkg.compat.torch.cuda.x");
    CHECK(Meaning("import pkg.compat\npkg.compat.torch", context).of("pkg.compat.torch") == "project:pkg.compat.torch");
    CHECK(Meaning("import torch\ntorch.x", context).of("torch.x") == "torch.x");
    CHECK(Meaning("import torch_utils\ntorch_utils.x", context).of("torch_utils.x") == "project:torch_utils.x");
    // A directory without __init__.py is a package all the same.
    const std::vector<std::string> nested{"ns.deep.mod"};
    CHECK(Meaning("import ns.deep\nns", {.module_name = "main", .project_modules = nested}).of("ns") == "project:ns");
}

TEST_CASE("imports: a script sees its directory, a package does not") {
    const std::vector<std::string> script{"src.torch_ops", "src.train", "src.utils"};
    Meaning m("import utils\nfrom utils import f\nutils.g; f", {.module_name = "src.train", .project_modules = script});
    CHECK(m.of("utils.g") == "project:src.utils.g");
    CHECK(m.of("f") == "project:src.utils.f");
    // backends/__init__.py and backends/torch.py: inside, `import torch` is the real one.
    const std::vector<std::string> package{"backends", "backends.numpy", "backends.torch"};
    const std::vector<std::string> regular{"backends"};
    const ModuleContext inside{
        .module_name = "backends.numpy", .project_modules = package, .project_packages = regular};
    CHECK(Meaning("import torch\ntorch.x", inside).of("torch.x") == "torch.x");
}

TEST_CASE("imports: star imports bind what the facts list") {
    CHECK(Meaning("from torch import *\ncuda.is_available()").of("cuda.is_available") == "torch.cuda.is_available");
    CHECK(Meaning("from torch import *\nx = zeros(2)\nx.cuda()").of("x.cuda") == "torch.Tensor.cuda");
    CHECK(Meaning("from torch import *\nhello").of("hello") == "hello~");
    CHECK(Meaning("from torch import *\ndef f():\n  return device('cuda')").of("device") == "torch.device");
    // What comes later wins; an unknown star may bring the name too.
    CHECK(Meaning("from torch import *\nfrom numba import cuda\ncuda.jit").of("cuda.jit") == "numba.cuda.jit");
    CHECK(Meaning("from torch import *\nfrom mylib import *\ncuda.x").of("cuda.x") == "torch.cuda.x?");
    CHECK(Meaning("from mylib import *\nfrom torch import *\ncuda.x").of("cuda.x") == "torch.cuda.x");
    CHECK(Meaning("from torch import *\ndef cuda(): pass\ncuda()").of("cuda") == "project:cuda");
}

TEST_CASE("imports: a name from nowhere is text only") {
    Meaning m("from fastai.vision.all import *\ntorch.cuda.empty_cache()");
    CHECK(m.of("torch.cuda.empty_cache") == "torch.cuda.empty_cache~");
    CHECK(m.external() == "torch torch.cuda torch.cuda.empty_cache");
    CHECK(Meaning("print(x)").of("print") == "builtin:print");
    CHECK(Meaning("print(x)").of("x") == "x~");
    CHECK(Meaning("__file__; __name__").of("__name__") == "builtin:__name__");
}

TEST_CASE("imports: inside functions and classes") {
    Meaning m(
        "def one():\n  import torch\n  torch.cuda.a()\ndef two():\n  torch.cuda.b()\nclass C:\n  import torch\n  x = "
        "torch.cuda.c\n  def f(self):\n    torch.d\n");
    CHECK(m.of("torch.cuda.a") == "torch.cuda.a");
    CHECK(m.of("torch.cuda.b") == "torch.cuda.b~");
    CHECK(m.of("torch.cuda.c") == "torch.cuda.c");
    CHECK(m.of("torch.d") == "torch.d~");
    CHECK(m.bindings().scope_kind(m.bindings().imports()[0].scope) == migrator::ScopeKind::function);
}

TEST_CASE("imports: conditional and for type checkers only") {
    Meaning m(R"(from typing import TYPE_CHECKING
import typing
if TYPE_CHECKING:
    import torch
else:
    import a
if typing.TYPE_CHECKING:
    from b import c
try:
    import d
except ImportError:
    import e
def free():
    import torch
    torch.cuda.empty_cache()
)");
    CHECK(imports(m) == Lines{"typing|TYPE_CHECKING|TYPE_CHECKING", "typing||typing",
                              "torch||torch|conditional|type checking", "a||a|conditional",
                              "b|c|c|conditional|type checking", "d||d|conditional", "e||e|conditional",
                              "torch||torch"});
    CHECK(m.of("torch.cuda.empty_cache") == "torch.cuda.empty_cache");
}

TEST_CASE("imports: alternatives are all given, in source order") {
    const char* fallback =
        "try:\n  from torch.cuda.amp import autocast\nexcept ImportError:\n  from mylib.fallback import autocast\n";
    CHECK(Meaning(std::string(fallback) + "def step():\n  with autocast(): pass").of("autocast") ==
          "torch.cuda.amp.autocast? | mylib.fallback.autocast?");
    CHECK(Meaning(std::string(fallback) + "autocast()").of("autocast") ==
          "torch.cuda.amp.autocast? | mylib.fallback.autocast?");
    Meaning backend(
        "import sys\nif sys.platform == 'linux':\n  import torch as b\nelse:\n  import mocktorch as b\nb.cuda.x()\n");
    CHECK(backend.of("b.cuda.x") == "torch.cuda.x? | mocktorch.cuda.x?");
    // One meaning, however it came about, is sure.
    CHECK(Meaning("try:\n  import torch\nexcept ImportError:\n  torch = None\ntorch.x").of("torch.x") == "torch.x");
    CHECK(Meaning("try:\n  import torch\nexcept ImportError:\n  pass\ntorch.x").of("torch.x") == "torch.x");
    CHECK(Meaning("if a:\n  import torch\nelse:\n  import torch\ntorch.x").of("torch.x") == "torch.x");
    CHECK(Meaning("try:\n  import torch\nexcept ImportError:\n  raise\ntorch.x").of("torch.x") == "torch.x");
}

TEST_CASE("imports: by functions") {
    CHECK(Meaning("__import__('torch').cuda.x()").of("__import__('torch').cuda.x") == "torch.cuda.x");
    CHECK(Meaning("t = __import__('torch.cuda')\nt.nn").of("t.nn") == "torch.nn");
    CHECK(Meaning("import importlib\nt = importlib.import_module('torch.cuda')\nt.x").of("t.x") == "torch.cuda.x");
    CHECK(Meaning("from importlib import import_module as im\nt = im('torch')\nt.cuda").of("t.cuda") == "torch.cuda");
    CHECK(Meaning("import importlib\nt = importlib.import_module(name)\nt.cuda").of("t.cuda") == "-");
    const std::vector<std::string> modules{"ops"};
    CHECK(Meaning("t = __import__('ops')\nt.x", {.module_name = "main", .project_modules = modules}).of("t.x") ==
          "project:ops.x");
    CHECK(Meaning("import torch\nm = getattr(torch, 'cuda')\nm.is_available()").of("m.is_available") ==
          "torch.cuda.is_available");
    CHECK(Meaning("import torch\ngetattr(torch, 'cu' 'da', None)").of("getattr(torch, 'cu' 'da', None)") ==
          "torch.cuda");
    CHECK(Meaning("import torch\ndef getattr(a, b): pass\nm = getattr(torch, 'cuda')\nm.x").of("m.x") == "-");
}
