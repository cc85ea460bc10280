#include "migrator/loops/training_loop.h"

#include <doctest/doctest.h>

#include "base/format.h"
#include "tests/unit/migrator/rules/case_support.h"

using namespace migrator;

namespace {

// "LINE: BACKWARD LINES / STEP LINES[ accumulates]; ..." of a file.
std::string loops(const std::string& text) {
    const SyntaxTree tree = SyntaxTree::parse(text);
    const Bindings bindings = Bindings::analyse(tree, test::type_facts(), {});
    const Script script(tree, bindings);
    auto lines = [&](const std::vector<NodeId>& nodes) {
        std::vector<std::string> out;
        for (const NodeId node : nodes) out.push_back(base::format("{}", script.line(node)));
        return base::joined(out, ",");
    };
    std::vector<std::string> out;
    for (const TrainingLoop& loop : find_training_loops(script, test::loop_facts()))
        out.push_back(base::format("{}: {}/{}{}", script.line(loop.loop), lines(loop.backwards), lines(loop.steps),
                                   loop.accumulates ? " accumulates" : ""));
    return base::joined(out, "; ");
}

std::string models(const std::string& text) {
    const SyntaxTree tree = SyntaxTree::parse(text);
    const Bindings bindings = Bindings::analyse(tree, test::type_facts(), {});
    const Script script(tree, bindings);
    const auto found = find_training_loops(script, test::loop_facts());
    REQUIRE(found.size() == 1);
    std::vector<std::string> out;
    for (const NodeId call : model_calls_of(script, test::loop_facts(), found.front()))
        out.emplace_back(tree.text(tree.child(call, Field::function)));
    return base::joined(out, " ");
}

}  // namespace

TEST_CASE("training loop: the innermost loop with gradients and a step") {
    CHECK(loops("for epoch in range(2):\n"
                "    for x in loader:\n"
                "        loss = model(x)\n"
                "        loss.backward()\n"
                "        optimizer.step()\n"
                "    scheduler.step()\n"
                "    for x in check:\n"
                "        model(x)\n") == "2: 4/5");
    CHECK(loops("while step < 10:\n    loss.backward()\n    optimizer.step()\n") == "1: 2/3");
    CHECK(loops("for x in loader:\n    for part in x.chunk(2):\n        model(part).backward()\n    opt.step()\n") ==
          "1: 3/4");
    CHECK(loops("for x in loader:\n    model(x).backward()\n    for optimizer in optimizers:\n"
                "        optimizer.step()\n") == "1: 2/4");
    CHECK(loops("for i, x in enumerate(loader):\n    model(x).backward()\n    if (i + 1) % 4 == 0:\n"
                "        optimizer.step()\n") == "1: 2/4 accumulates");
}

TEST_CASE("training loop: what steps is an optimizer, by its class or by its name") {
    CHECK(loops("import torch\nthing = torch.optim.SGD(p)\nrate = torch.optim.lr_scheduler.StepLR(thing, 3)\n"
                "for x in y:\n    x.backward()\n    thing.step()\n    rate.step()\n") == "4: 5/6");
    CHECK(loops("for x in y:\n    d.backward()\n    optD.step()\n    g.backward()\n    self.g_optim.step()\n") ==
          "1: 2,4/3,5");
    CHECK(loops("for x in y:\n    scaler.scale(z).backward()\n    scaler.step(optimizer)\n    scaler.update()\n") ==
          "1: 2/3");
    CHECK(loops("for x in y:\n    accelerator.backward(z)\n    self.optimizers[0].step()\n") == "1: 2/3");
    CHECK(loops("for x in y:\n    engine.backward(engine(x))\n    engine.step()\n") == "1: 2/3");
    CHECK(loops("for x in y:\n    engine.train_batch()\n") == "1: 2/2");
    // The step of an environment or of options is none; without one the loop counts when there is no other.
    CHECK(loops("for x in y:\n    x.backward()\n    env.step(1)\n    options.step()\n") == "1: 2/");
    CHECK(loops("for x in y:\n    x.backward()\n    opt.step()\nfor a in b:\n    a.backward()\n") == "1: 2/3");
    CHECK(loops("for x in y:\n    env.step(1)\n") == "");
}

TEST_CASE("training loop: through functions and methods of the file") {
    CHECK(loops("def learn(x):\n"
                "    model(x).backward()\n"
                "    optimizer.step()\n"
                "def main():\n"
                "    for epoch in range(3):\n"
                "        for x in loader:\n"
                "            learn(x)\n"
                "main()\n") == "6: 7/7");
    CHECK(loops("class Trainer:\n"
                "    def fit(self):\n"
                "        for epoch in range(3):\n"
                "            self.epoch()\n"
                "    def epoch(self):\n"
                "        for x in self.loader:\n"
                "            self.backward(x)\n"
                "            self.update()\n"
                "    def backward(self, x):\n"
                "        self.model(x).backward()\n"
                "    def update(self):\n"
                "        self.optimizer.step()\n") == "6: 7/8");
    CHECK(loops("def epoch(model, loader, optimizer):\n"
                "    for x in loader:\n"
                "        model(x).backward()\n"
                "        optimizer.step()\n"
                "for i in range(3):\n"
                "    epoch(m, l, o)\n") == "2: 3/4");
    CHECK(loops("for x in loader:\n"
                "    def closure():\n"
                "        loss = model(x)\n"
                "        loss.backward()\n"
                "        return loss\n"
                "    optimizer.step(closure)\n") == "1: 6/6");
    // Two functions that call each other.
    CHECK(loops("def a():\n    b()\n    x.backward()\ndef b():\n    a()\n    opt.step()\nfor x in y:\n    a()\n") ==
          "7: 8/8");
}

TEST_CASE("training loop: the gradient of an operator goes through layers, and trains nothing") {
    const std::string layers = "        for layer in ctx.layers:\n            layer.backward(gradient)\n";
    CHECK(loops("class F(torch.autograd.Function):\n    def backward(ctx, gradient):\n" + layers).empty());
    CHECK(loops("class T:\n    def run(ctx, gradient):\n" + layers) == "3: 4/");
}

TEST_CASE("training loop: the models that are called in it") {
    CHECK(models("for x in y:\n    loss = F.loss(self.model(x), z)\n    loss.backward()\n    optimizer.step()\n") ==
          "self.model");
    CHECK(models("for x in y:\n    netD(netG(x)).backward()\n    netG(x)\n    opt.step()\n") == "netD netG netG");
}
