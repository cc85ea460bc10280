// What stands between the parts of a pattern, and may change a value before it is used.
#include <doctest/doctest.h>

#include <string>

#include "tests/unit/migrator/rules/case_support.h"

namespace {

// A function with `between` between the two halves of x * sigmoid(x), and what becomes of it.
bool is_joined(const std::string& between, const std::string& in_front = "") {
    const std::string text = "import torch\nimport torch.distributed as dist\nimport torch.nn.functional as F\n" +
                             in_front + "def f(x, y, module, values):\n    gate = torch.sigmoid(x)\n    " + between +
                             "\n    return x * gate\n";
    const std::string rewritten = test::migrate_one("a.py", text).rewritten;
    const bool joined = rewritten.find("return torch.nn.functional.silu(x)") != std::string::npos;
    CHECK(joined != (rewritten.find("return x * gate") != std::string::npos));
    return joined;
}

// The same in the forward of a module with these other methods and members.
bool is_joined_in_module(const std::string& between, const std::string& members = "") {
    const std::string text =
        "import torch\nclass M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.up = torch.nn.Linear(2, 2)\n        " +
        (members.empty() ? "pass" : members) +
        "\n    def scale(self, t):\n        t.mul_(2)\n        return t\n    def forward(self, x):\n"
        "        gate = torch.sigmoid(x)\n        " +
        between + "\n        return x * gate\n";
    const std::string rewritten = test::migrate_one("a.py", text).rewritten;
    return rewritten.find("return torch.nn.functional.silu(x)") != std::string::npos;
}

}  // namespace

TEST_CASE("effects: what only computes lets a value be used later") {
    for (const char* between : {"pass", "up = torch.tanh(x)", "up = x.view(-1)", "n = x.shape[0]",
                                "torch.npu.synchronize()", "print('between')", "assert x.dim() == 2", "up = F.silu(x)",
                                "up = module.up(y)", "total = y + 1", "values = [1, 2]"}) {
        CAPTURE(between);
        CHECK(is_joined(between));
    }
    CHECK(is_joined_in_module("up = self.up(x)"));
    CHECK(is_joined_in_module("self.seen = True"));
}

TEST_CASE("effects: a statement that calls may change what it is given") {
    for (const std::string between :
         {"dist.all_reduce(x)", "work = dist.all_reduce(x, async_op=True)", "dist.broadcast(x, 0)", "module(x)",
          "module.scale(x)", "y.copy_from(x)", "x.resize(y)", "torch.nn.init.zeros_(x)", "helper(x)",
          "setattr(x, 'data', y)", "exec(y)"}) {
        CAPTURE(between);
        CHECK_FALSE(is_joined(between));
    }
    CHECK_FALSE(is_joined("helper()", "def helper():\n    pass\n"));
}

TEST_CASE("effects: arguments that make a function write to its input") {
    for (const char* between : {"torch.add(x, 1, out=x)", "up = torch.add(x, 1, out=x)", "F.relu(x, inplace=True)",
                                "up = F.relu(x, inplace=True)", "up = F.relu(x, True)", "up = F.silu(x, inplace=True)",
                                "up = F.silu(x, inplace=y)", "up = F.silu(x, *values)", "up = F.silu(x, **values)"}) {
        CAPTURE(between);
        CHECK_FALSE(is_joined(between));
    }
}

TEST_CASE("effects: parts and members, under this name or another") {
    for (const char* between : {"x.data = y", "x[0] = 1", "x += 1", "x.grad += y", "values[0] = y",
                                "y, x.data = values", "up = x.mul_(2)", "view = x.view(-1); view += 1",
                                "view = x.view(-1); view.data = y", "view = x.view(-1); dist.all_reduce(view)",
                                "view = x.view(-1); work = dist.broadcast(view, 0, async_op=True)"}) {
        CAPTURE(between);
        CHECK_FALSE(is_joined(between));
    }
    CHECK_FALSE(is_joined("for i in y:\n        up = x * gate\n        x.mul_(i)"));
    CHECK_FALSE(is_joined("def inner():\n        x.mul_(2)\n    up = inner()"));
}

TEST_CASE("effects: methods of the class itself, and modules that write to their input") {
    CHECK_FALSE(is_joined_in_module("self.scale(x)"));
    CHECK_FALSE(is_joined_in_module("up = self.scale(x)"));
    CHECK_FALSE(is_joined_in_module("up = self.act(x)", "self.act = torch.nn.ReLU(inplace=True)"));
    CHECK_FALSE(is_joined_in_module("up = self.act(x)", "self.act = torch.nn.ReLU(True)"));
    CHECK_FALSE(is_joined_in_module("up = self.act(x)", "self.act = lambda t: t.mul_(2)"));
    CHECK(is_joined_in_module("up = self.act(x)", "self.act = torch.nn.ReLU()"));
}
