#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "migrator/semantic/project_index.h"
#include "tests/unit/migrator/semantic/meaning.h"

using migrator::ModuleContext;
using migrator::ProjectIndex;
using migrator::SyntaxTree;
using test::Meaning;

namespace {

// The modules of a project by dotted name; a name that ends in ".__init__" is a package.
class Project {
public:
    explicit Project(const std::map<std::string, std::string>& files) : index_(test::real_facts()) {
        for (const auto& [name, text] : files) names_.push_back(module_of(name));
        std::sort(names_.begin(), names_.end());
        for (const auto& [name, text] : files) {
            const SyntaxTree tree = SyntaxTree::parse(text);
            const std::vector<std::string> names{module_of(name)};
            index_.add(migrator::summarise(tree, test::real_facts(), context(name)), names);
        }
        index_.finish();
    }

    // A further file that uses the others.
    Meaning with(std::string source, const std::string& name = "main") const {
        ModuleContext at = context(name);
        at.index = &index_;
        return Meaning(std::move(source), at);
    }

private:
    static bool is_package(const std::string& name) { return name.ends_with("__init__"); }
    static std::string module_of(const std::string& name) {
        return is_package(name) ? name.substr(0, name.size() - 9) : name;
    }
    ModuleContext context(const std::string& name) const {
        ModuleContext out;
        out.module_name = module_of(name);
        out.is_package = is_package(name);
        out.project_modules = names_;
        return out;
    }

    std::vector<std::string> names_;
    ProjectIndex index_;
};

}  // namespace

TEST_CASE("project: names that other files import are followed to where they come from") {
    const Project project(
        {{"pkg.__init__", "from .compat import torch as t\nfrom . import compat"},
         {"pkg.compat", "import torch\nfrom torch import cuda as gpu\nclear = torch.cuda.empty_cache"}});
    CHECK(project.with("from pkg.compat import torch\ntorch.cuda.x").of("torch.cuda.x") == "torch.cuda.x");
    CHECK(project.with("from pkg import t\nt.cuda").of("t.cuda") == "torch.cuda");
    CHECK(project.with("import pkg\npkg.compat.gpu.x()").of("pkg.compat.gpu.x") == "torch.cuda.x");
    CHECK(project.with("import pkg.compat as c\nc.clear()").of("c.clear") == "torch.cuda.empty_cache");
    CHECK(project.with("from . import compat\ncompat.gpu", "pkg.train").of("compat.gpu") == "torch.cuda");
    CHECK(project.with("from pkg.compat import nothing\nnothing").of("nothing") == "project:pkg.compat.nothing");
}

TEST_CASE("project: star imports") {
    const Project project({{"common", "import torch\nimport os\n_hidden = torch.cuda"},
                           {"listed", "import torch\n__all__ = ['torch', '_x']\n_x = torch.cuda"},
                           {"through", "from common import *"},
                           {"names", "from torch import *"}});
    CHECK(project.with("from common import *\ntorch.cuda").of("torch.cuda") == "torch.cuda");
    CHECK(project.with("from common import *\n_hidden").of("_hidden") == "_hidden~");
    CHECK(project.with("from listed import *\n_x").of("_x") == "torch.cuda");
    CHECK(project.with("from through import *\ntorch.nn").of("torch.nn") == "torch.nn");
    CHECK(project.with("from names import *\nzeros").of("zeros") == "torch.zeros");
    CHECK(project.with("import torch\nfrom common import *\ndef f(): return torch.cuda").of("torch.cuda") ==
          "torch.cuda");
}

TEST_CASE("project: star imports in a cycle, and of several modules") {
    const Project project({{"a", "from b import *\nx = 1"},
                           {"b", "from c import *\nfrom torch import *"},
                           {"c", "from a import *\nimport torch.nn as y\nfrom . import pkg"},
                           {"pkg.__init__", "from a import *"},
                           {"pkg.sub", "import torch.cuda as z"},
                           {"nearer", "import torch.jit as y\nfrom c import *"}});
    CHECK(project.with("from a import *\ny.Linear").of("y.Linear") == "torch.nn.Linear");
    CHECK(project.with("from b import *\ny.Linear").of("y.Linear") == "torch.nn.Linear");
    CHECK(project.with("from pkg import *\ny.Linear").of("y.Linear") == "torch.nn.Linear");
    CHECK(project.with("from c import *\nzeros").of("zeros") == "torch.zeros");
    CHECK(project.with("from pkg import *\nsub.z").of("sub.z") == "torch.cuda");
    CHECK(project.with("from nearer import *\ny.trace").of("y.trace") == "torch.jit.trace");
    CHECK(project.with("from nearer import *\nfrom a import *\ny.x").of("y.x") == "torch.nn.x");
    CHECK(project.with("from a import *\nfrom nearer import *\ny.x").of("y.x") == "torch.jit.x");
}

TEST_CASE("project: what differs by condition has several meanings, in a fixed order") {
    const Project project(
        {{"compat", "try:\n    from torch.cuda.amp import autocast\nexcept ImportError:\n    from old import autocast"},
         {"last", "import torch\nx = torch.cuda\nx = 3"}});
    CHECK(project.with("from compat import autocast\nautocast()").of("autocast") ==
          "torch.cuda.amp.autocast? | old.autocast?");
    CHECK(project.with("from last import x\nx.f").of("x.f") == "-");
}

TEST_CASE("project: cycles of imports end") {
    const Project project({{"a", "from b import x\nfrom b import *"},
                           {"b", "from a import x\nfrom a import *"},
                           {"c", "from c import y\nclass K(K): pass"}});
    CHECK(project.with("from a import x\nx.cuda").of("x.cuda") == "project:a.x.cuda");
    CHECK(project.with("from a import *\nx.cuda").of("x") == "project:a.x");
    CHECK(project.with("from c import K\nK().cuda()").of("K().cuda") == "local:c.K.cuda?");
}

TEST_CASE("project: classes of other files: their bases, members and attributes") {
    const Project project({{"nets", R"(import torch
from torch import nn
class Base(nn.Module):
    def __init__(self):
        self.weight = torch.zeros(1)
        self.table = Table()
    @property
    def device(self): return self.weight.device
class Net(Base): pass
class Table:
    def cuda(self): return self
class Odd(unknown.Thing): pass
)"},
                           {"more",
                            "from nets import Net\nclass Big(Net):\n    def cuda(self): return self\nmodel = "
                            "Net()\ndef make(): return Net()\n"
                            "def get(x): return x"}});
    CHECK(project.with("from nets import Net\nn = Net()\nn.cuda()").of("n.cuda") == "torch.nn.Module.cuda");
    CHECK(project.with("from nets import Net\nn = Net()\nn").type("n") == "torch.nn.Module");
    CHECK(project.with("from nets import Net\nNet().weight.cuda()").of("Net().weight.cuda") == "torch.Tensor.cuda");
    CHECK(project.with("from nets import Net\nNet().device.type").of("Net().device.type") == "torch.device.type?");
    CHECK(project.with("from nets import Table\nTable().cuda()").of("Table().cuda") == "project:nets.Table.cuda");
    CHECK(project.with("from nets import Net\nNet().table.cuda()").of("Net().table.cuda") == "project:nets.Table.cuda");
    CHECK(project.with("from more import Big\nBig().cuda()").of("Big().cuda") == "project:more.Big.cuda");
    CHECK(project.with("from more import model\nmodel.cuda()").of("model.cuda") == "torch.nn.Module.cuda");
    CHECK(project.with("from more import make\nmake().cuda()").of("make().cuda") == "torch.nn.Module.cuda");
    CHECK(project.with("from more import get\nget(1).cuda()").of("get(1).cuda") == "-");
    CHECK(project.with("from nets import Odd\nOdd().cuda()").of("Odd().cuda") == "-");
    CHECK(project.with("from nets import Table\nTable().to(5)").of("Table().to") == "local:nets.Table.to?");
    CHECK(project.with("from nets import Base\nclass Mine(Base):\n    def f(self): self.weight.cuda()")
              .of("self.weight.cuda") == "torch.Tensor.cuda");
    CHECK(project.with("from nets import Table\nclass Mine(Table):\n    def f(self): self.cuda()").of("self.cuda") ==
          "project:nets.Table.cuda");
    CHECK(project.with("from nets import Net\ndef f(n: Net): n.cuda()").of("n.cuda") == "torch.nn.Module.cuda");
}

TEST_CASE("returned values have the class that the return statements give") {
    CHECK(Meaning("import torch\ndef f():\n    x = torch.zeros(1)\n    return x\nf().cuda()").of("f().cuda") ==
          "torch.Tensor.cuda");
    CHECK(Meaning("import torch\ndef f(a):\n    if a: return None\n    return torch.zeros(1)\nf(1).cuda()")
              .of("f(1).cuda") == "torch.Tensor.cuda");
    CHECK(Meaning("import torch\ndef f(a):\n    if a: return a\n    return torch.zeros(1)\nf(1).cuda()")
              .of("f(1).cuda") == "torch.Tensor.cuda?");
    CHECK(Meaning("import torch\ndef f(): return torch.cuda\nf().empty_cache()").of("f().empty_cache") ==
          "torch.cuda.empty_cache");
    CHECK(Meaning("import torch\ndef f():\n    yield torch.zeros(1)\nf().cuda()").of("f().cuda") == "-");
    CHECK(Meaning("import torch\nasync def f(): return torch.zeros(1)\nf().cuda()").of("f().cuda") == "-");
    CHECK(Meaning("def f(n): return f(n - 1)\nf(1).cuda()").of("f(1).cuda") == "-");
}

TEST_CASE("elements of what is written out in the code") {
    const std::string torch = "import torch\n";
    CHECK(Meaning(torch + "xs = [torch.ones(1)]\nxs[0].cuda").of("xs[0].cuda") == "torch.Tensor.cuda?");
    CHECK(Meaning(torch + "for x in (torch.ones(1), torch.zeros(1)):\n    x.cuda()").of("x.cuda") ==
          "torch.Tensor.cuda?");
    CHECK(Meaning(torch + "d = {'a': torch.cuda, 'b': 1}\nd['a'].f()").of("d['a'].f") == "torch.cuda.f?");
    CHECK(Meaning(torch + "d = {'a': torch.cuda, 'b': 1}\nd['b'].f()").of("d['b'].f") == "-");
    CHECK(Meaning(torch + "d = {'a': torch.cuda}\nd[k].f()").of("d[k].f") == "torch.cuda.f?");
    CHECK(Meaning(torch + "xs = [1, torch.ones(1)]\nxs[0].cuda").of("xs[0].cuda") == "-");
    CHECK(Meaning(torch + "xs = [*ys, torch.ones(1)]\nxs[0].cuda").of("xs[0].cuda") == "-");
}

TEST_CASE("names that are texts") {
    const std::string torch = "import torch\nkind = 'cuda'\n";
    CHECK(Meaning(torch + "getattr(torch, kind).f()").of("getattr(torch, kind).f") == "torch.cuda.f");
    CHECK(Meaning(torch + "getattr(torch, 'cu' + 'da').f()").of("getattr(torch, 'cu' + 'da').f") == "torch.cuda.f");
    CHECK(Meaning(torch + "torch.__dict__[kind].f()").of("torch.__dict__[kind].f") == "torch.cuda.f");
    CHECK(Meaning(torch + "vars(torch)['cuda'].f()").of("vars(torch)['cuda'].f") == "torch.cuda.f");
    CHECK(Meaning(torch + "from importlib import import_module as im\nc = im(f'torch.{kind}')\nc.f()").of("c.f") ==
          "torch.cuda.f");
    CHECK(Meaning(torch + "kind = other\ngetattr(torch, kind).f()").of("getattr(torch, kind).f") == "-");
}

TEST_CASE("partials are what they call") {
    CHECK(Meaning("import torch, functools\nz = functools.partial(torch.zeros, 2)\nz().cuda()").of("z().cuda") ==
          "torch.Tensor.cuda?");
}
