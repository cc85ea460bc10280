#include "migrator/distribute/distribute.h"

#include <doctest/doctest.h>

#include "tests/unit/migrator/rules/case_support.h"

using namespace migrator;

namespace {

constexpr const char* kHead =
    "import torch\n"
    "from torch.utils.data import DataLoader\n";

const DistributeFacts& facts() {
    static const base::DataStore store;
    static const auto loaded = DistributeFacts::load(store);
    REQUIRE(loaded);
    return *loaded;
}

DistributedScript distributed(const std::string& text, std::string_view model = "model") {
    const SyntaxTree tree = SyntaxTree::parse(text);
    const Bindings bindings = Bindings::analyse(tree, test::type_facts(), {});
    return distribute(tree, bindings, facts(), test::loop_facts(), model,
                      {"def setup_distributed(): ...\n", "\n\ndef divide_between_processes(loader): ...\n"});
}

// The output below the setup function.
std::string output(const std::string& body, std::string_view model = "model") {
    const std::string text = kHead + body;
    const DistributedScript script = distributed(text, model);
    CAPTURE(script.obstacles.empty() ? "" : script.obstacles.front());
    REQUIRE(script.obstacles.empty());
    EditSet set;
    REQUIRE(set.add(script.edits));
    const std::string out = set.apply(text);
    const std::size_t call = out.find("\nsetup_distributed()\n");
    REQUIRE(call != std::string::npos);
    return out.substr(call + 21);
}

void refused(const std::string& body, std::string_view reason, std::string_view model = "model") {
    CAPTURE(body);
    const DistributedScript script = distributed(kHead + body, model);
    CHECK(script.edits.empty());
    REQUIRE(!script.obstacles.empty());
    CHECK(script.obstacles.front().find(reason) != std::string::npos);
}

std::string loop_with(const std::string& loader) {
    return "model = Net()\nloader = " + loader +
           "\nfor epoch in range(3):\n    for x in loader:\n        model(x).backward()\n";
}

}  // namespace

TEST_CASE("distribute: the sampler keeps what the loader was asked for") {
    constexpr const char* kTail =
        "for epoch in range(3):\n    loader.sampler.set_epoch(epoch)\n    for x in loader:\n        "
        "ddp_model(x).backward()\n";
    const std::string model = "model = Net()\nddp_model = torch.nn.parallel.DistributedDataParallel(model)\nloader = ";
    auto check = [&](const char* loader, const char* divided) {
        CHECK(output(loop_with(loader)) == model + divided + "\n" + kTail);
    };
    check("DataLoader(data)",
          "DataLoader(data, sampler=torch.utils.data.distributed.DistributedSampler(data, shuffle=False, "
          "drop_last=False))");
    check("DataLoader(data, 8, True, drop_last=args.drop,)",
          "DataLoader(data, 8, False, drop_last=args.drop, "
          "sampler=torch.utils.data.distributed.DistributedSampler(data, shuffle=True, drop_last=args.drop),)");
    check("DataLoader(dataset=cfg.data, shuffle=cfg.shuffle)",
          "DataLoader(dataset=cfg.data, shuffle=False, "
          "sampler=torch.utils.data.distributed.DistributedSampler(cfg.data, shuffle=cfg.shuffle, drop_last=False))");
}

TEST_CASE("distribute: only the loader of the training loop is divided, only its model is wrapped") {
    CHECK(output("data = read()\n"
                 "model = Net()\n"
                 "model = model.cuda(0)\n"
                 "if resume:\n"
                 "    model.load_state_dict(read())\n"
                 "loader = DataLoader(data, shuffle=True)\n"
                 "check = DataLoader(data)\n"
                 "for epoch in range(2):\n"
                 "    for i, x in enumerate(loader):\n"
                 "        loss = model(x.to('cuda:0'))\n"
                 "        loss.backward()\n"
                 "    for x in check:\n"
                 "        model(x)\n"
                 "    torch.save(model.state_dict(), 'a.pt')\n"
                 "    print(loss); print(1)\n") ==
          "data = read()\n"
          "model = Net()\n"
          "model = model.cuda()\n"
          "if resume:\n"
          "    model.load_state_dict(read())\n"
          "ddp_model = torch.nn.parallel.DistributedDataParallel(model)\n"
          "loader = DataLoader(data, shuffle=False, sampler=torch.utils.data.distributed.DistributedSampler(data, "
          "shuffle=True, drop_last=False))\n"
          "check = DataLoader(data)\n"
          "for epoch in range(2):\n"
          "    loader.sampler.set_epoch(epoch)\n"
          "    for i, x in enumerate(loader):\n"
          "        loss = ddp_model(x.to('cuda'))\n"
          "        loss.backward()\n"
          "    for x in check:\n"
          "        model(x)\n"
          "    if is_main_process(): torch.save(model.state_dict(), 'a.pt')\n"
          "    print(loss); print(1)\n");
}

TEST_CASE("distribute: through the parameters of the function that trains") {
    CHECK(output("def train(net, loader, epoch):\n"
                 "    net.train()\n"
                 "    for x in loader:\n"
                 "        net(x).backward()\n"
                 "    return 1\n"
                 "model = Net()\n"
                 "batches = DataLoader(data)\n"
                 "for epoch in range(2):\n"
                 "    print(train(model, loader=batches, epoch=epoch))\n") ==
          "def train(net, loader, epoch):\n"
          "    net.train()\n"
          "    for x in loader:\n"
          "        net(x).backward()\n"
          "    return 1\n"
          "model = Net()\n"
          "ddp_model = torch.nn.parallel.DistributedDataParallel(model)\n"
          "batches = DataLoader(data, sampler=torch.utils.data.distributed.DistributedSampler(data, shuffle=False, "
          "drop_last=False))\n"
          "for epoch in range(2):\n"
          "    batches.sampler.set_epoch(epoch)\n"
          "    print(train(ddp_model, loader=batches, epoch=epoch))\n");
}

TEST_CASE("distribute: what cannot be done right is refused, with the reason") {
    refused("model = Net()\n", "there is no training loop");
    refused("model = Net()\nfor x in data:\n    model(x).backward()\n", "line 4: what this training loop runs over");
    refused(
        "model = Net()\na = DataLoader(data)\nb = DataLoader(data)\nfor x, y in zip(a, b):\n    model(x).backward()\n",
        "line 6: what this training loop runs over is not one loader");
    refused(loop_with("DataLoader(data, batch_sampler=b)"), "line 4: the loader has a `batch_sampler` of its own");
    refused(loop_with("DataLoader(data, 8, False, s)"), "the loader has a `sampler` of its own");
    refused(
        "class Lines(torch.utils.data.IterableDataset):\n    pass\ndata = Lines()\n" + loop_with("DataLoader(data)"),
        "iterable");
    refused(loop_with("DataLoader(data)") + "import torch.distributed as dist\ndist.init_process_group('nccl')\n",
            "distributed already");
    refused(loop_with("DataLoader(data)"), "no training loop calls `net`", "net");
    refused(loop_with("DataLoader(data)"), "not a plain variable", "self.model");
    refused("def is_main_process():\n    pass\n" + loop_with("DataLoader(data)"), "`is_main_process` is needed");
    refused(
        "def train(net, loader):\n    for x in loader:\n        net(x).backward()\n    net.save()\nmodel = Net()\n"
        "loader = DataLoader(data)\nfor e in range(2):\n    train(model, loader)\n",
        "line 6: `net.save` is used where the model is trained");
    refused(
        "def train(loader):\n    for x in loader:\n        model(x).backward()\nmodel = Net()\nloader = "
        "DataLoader(data)\n"
        "for e in range(2):\n    train(loader)\n",
        "`model` is not made before this in the same function");
    refused(loop_with("make(data)"), "what this training loop runs over");
    refused(loop_with("DataLoader(data)") + "other = torch.nn.DataParallel(teacher)\n", "wraps something else");
    refused("while go:\n    model(next(batches)).backward()\n    optimizer.step()\n", "has no loader to divide");
    refused("if (:\n", "does not parse");
}

TEST_CASE("distribute: a loader whose call does not show it is divided where it runs") {
    auto check = [](const std::string& loader) {
        CHECK(output(loop_with(loader)) ==
              "model = Net()\nddp_model = torch.nn.parallel.DistributedDataParallel(model)\nloader = " + loader +
                  "\nloader = divide_between_processes(loader)\n"
                  "for epoch in range(3):\n    loader.sampler.set_epoch(epoch)\n    for x in loader:\n        "
                  "ddp_model(x).backward()\n");
    };
    check("DataLoader(read(), 8, shuffle=True)");
    check("DataLoader(data, **more)");
    check("DataLoader(data, shuffle=not args.sorted)");
    check("DataLoader(\n    read(),\n    batch_size=2)");
}

TEST_CASE("distribute: loaders that a function of the file makes") {
    const std::string head = "def loaders(args):\n    return DataLoader(a), DataLoader(b)\nmodel = Net()\n";
    const std::string tail = "for epoch in range(3):\n    for x in train:\n        model(x).backward()\n";
    CHECK(output(head + "train, test = loaders(1)\n" + tail) ==
          head +
              "ddp_model = torch.nn.parallel.DistributedDataParallel(model)\n"
              "train, test = loaders(1)\ntrain = divide_between_processes(train)\n"
              "for epoch in range(3):\n    train.sampler.set_epoch(epoch)\n    for x in train:\n        "
              "ddp_model(x).backward()\n");
    refused(head + "if a:\n    train = loaders(1)\nelse:\n    train = loaders(2)\n" + tail,
            "what this training loop runs over");
}

TEST_CASE("distribute: epochs that nothing counts") {
    const std::string model = "model = Net()\nddp_model = torch.nn.parallel.DistributedDataParallel(model)\n";
    const std::string loader =
        "loader = DataLoader(data, sampler=torch.utils.data.distributed.DistributedSampler(data, shuffle=False, "
        "drop_last=False))\n";
    auto check = [&](const std::string& loop) {
        CHECK(output("model = Net()\nloader = DataLoader(data)\n" + loop +
                     "    for x in loader:\n        model(x).backward()\n") ==
              model + loader + loop +
                  "    loader.sampler.set_epoch(loader.sampler.epoch + 1)\n    for x in loader:\n        "
                  "ddp_model(x).backward()\n");
    };
    check("while go:\n");
    check("for name in names:\n");
    // Whoever calls the function may do so again.
    CHECK(
        output("loader = DataLoader(data)\nmodel = Net()\ndef epoch(model):\n    for x in loader:\n        "
               "model(x).backward()\nrun(epoch)\nepoch(model)\n") ==
        loader + model +
            "def epoch(model):\n    loader.sampler.set_epoch(loader.sampler.epoch + 1)\n    for x in loader:\n        "
            "model(x).backward()\nrun(epoch)\nepoch(ddp_model)\n");
    // Once is once.
    CHECK(output("model = Net()\nloader = DataLoader(data)\nfor x in loader:\n    model(x).backward()\n") ==
          model + loader + "for x in loader:\n    ddp_model(x).backward()\n");
}

TEST_CASE("distribute: every module that an optimizer trains must be the model") {
    auto with = [](const std::string& optimizer) {
        return "import itertools\nother = Net()\n" + loop_with("DataLoader(data)") + optimizer;
    };
    auto fine = [&](const std::string& optimizer) {
        CAPTURE(optimizer);
        CHECK(output(with(optimizer)).ends_with(optimizer));
    };
    auto another = [&](const std::string& optimizer) {
        refused(with(optimizer), "another module, `other`, is trained too");
    };
    fine("opt = torch.optim.SGD(model.parameters(), lr=0.1)\n");
    fine("opt = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), 0.1)\n");
    fine("opt = torch.optim.SGD([{'params': model.head.parameters()}, {'params': model.body.parameters()}])\n");
    fine("params = [p for n, p in model.named_parameters()]\nopt = torch.optim.SGD(params)\n");
    fine(
        "params = []\nfor n, p in model.named_parameters():\n    params = params + [p]\nopt = "
        "torch.optim.SGD(params)\n");
    fine("def make(net):\n    return torch.optim.Adam(net.parameters())\nopt = make(model)\n");
    fine("part = model.head\nopt = torch.optim.SGD(part.parameters())\n");
    fine("opt = build_optimizer(args, model)\n");
    // What is only looked at is not trained.
    fine("opt = torch.optim.SGD(model.parameters())\nsize = sum(p.numel() for p in other.parameters())\n");
    another("opt = torch.optim.SGD(model.parameters())\nopt_d = torch.optim.Adam(other.parameters())\n");
    another("opt = torch.optim.SGD(list(other.parameters()) + list(model.parameters()))\n");
    another("opt = torch.optim.SGD(itertools.chain(model.parameters(), other.parameters()))\n");
    another("def make(net):\n    return torch.optim.Adam(net.parameters())\na = make(model)\nb = make(other)\n");
    another("optimizer_d = Lion(other.parameters())\n");
    refused(with("opt = torch.optim.SGD([weight])\n"), "what this optimizer trains could not be seen");
}

TEST_CASE("distribute: DataParallel is taken away, with what it needed") {
    CHECK(output("model = Net()\nif torch.cuda.device_count() > 1:\n    model = torch.nn.DataParallel(model)\n"
                 "loader = DataLoader(data)\nfor x in loader:\n    model(x).backward()\n"
                 "state = model.module.state_dict()\n") ==
          "model = Net()\nif torch.cuda.device_count() > 1:\n    model = model\n"
          "ddp_model = torch.nn.parallel.DistributedDataParallel(model)\n"
          "loader = DataLoader(data, sampler=torch.utils.data.distributed.DistributedSampler(data, shuffle=False, "
          "drop_last=False))\nfor x in loader:\n    ddp_model(x).backward()\nstate = model.state_dict()\n");
}

TEST_CASE("distribute: what is wanted once happens once, or is named") {
    const std::string head = "import json\nfrom torch.utils.tensorboard import SummaryWriter\n";
    const std::string text = kHead + head + loop_with("DataLoader(data)") +
                             "json.dump(losses, open('a.json', 'w'))\n"
                             "writer.add_scalar('a', 1)\n"
                             "with open('b.txt' if a else b, mode='a') as file:\n    file.write('x')\n"
                             "lines = open('c.txt').read()\n"
                             "done = torch.save(model, 'd.pt')\n"
                             "writer = SummaryWriter()\n";
    const DistributedScript script = distributed(text);
    REQUIRE(script.obstacles.empty());
    EditSet set;
    REQUIRE(set.add(script.edits));
    const std::string out = set.apply(text);
    const std::string wanted =
        "json.dump(losses, open('a.json' if is_main_process() else os.devnull, 'w'))\n"
        "if is_main_process(): writer.add_scalar('a', 1)\n"
        "with open(('b.txt' if a else b) if is_main_process() else os.devnull, mode='a') as file:\n"
        "    file.write('x')\n"
        "lines = open('c.txt').read()\n"
        "done = torch.save(model, 'd.pt')\n"
        "writer = SummaryWriter()\n";
    CHECK(out.substr(out.size() - wanted.size()) == wanted);
    REQUIRE(script.notes.size() == 2);
    CHECK(script.notes[0].text() ==
          "Line 15: torch.save runs in every process: it trains, gives a value, or shares its line with other "
          "statements.");
    CHECK(script.notes[1].text() ==
          "Line 16: SummaryWriter runs in every process: if they would write to the same place, make it depend on "
          "is_main_process().");
}

TEST_CASE("distribute: every process has a device of its own") {
    const std::string tail =
        "model = Net()\nddp_model = torch.nn.parallel.DistributedDataParallel(model)\n"
        "loader = DataLoader(data, sampler=torch.utils.data.distributed.DistributedSampler(data, shuffle=False, "
        "drop_last=False))\nfor epoch in range(3):\n    loader.sampler.set_epoch(epoch)\n    for x in loader:\n        "
        "ddp_model(x).backward()\n";
    CHECK(output("torch.cuda.set_device(0)\na = torch.device('cuda', 0)\nb = torch.device('cuda:1')\nc = x.to(0)\n"
                 "d = x.cuda(1)\n" +
                 loop_with("DataLoader(data)")) ==
          "torch.cuda.set_device(torch.cuda.current_device())\na = torch.device('cuda', torch.cuda.current_device())\n"
          "b = torch.device('cuda')\nc = x.to(torch.cuda.current_device())\nd = x.cuda()\n" +
              tail);
    const DistributedScript script =
        distributed(kHead + std::string("os.environ['CUDA_VISIBLE_DEVICES'] = '1'\n") + loop_with("DataLoader(data)"));
    REQUIRE(script.notes.size() == 1);
    CHECK(script.notes.front().text() ==
          "Line 3: if CUDA_VISIBLE_DEVICES is set here, all processes see these devices only: remove the line, or "
          "name one for each process.");
}

TEST_CASE("distribute: a loader that comes through a parameter, and epochs that nothing counts") {
    CHECK(output("def train(net, batches):\n    for x in batches:\n        net(x).backward()\n"
                 "def main():\n    model = Net()\n    loader = DataLoader(data)\n    while go:\n        "
                 "train(model, loader)\nmain()\n") ==
          "def train(net, batches):\n    batches.sampler.set_epoch(batches.sampler.epoch + 1)\n    for x in batches:\n"
          "        net(x).backward()\ndef main():\n    model = Net()\n    ddp_model = "
          "torch.nn.parallel.DistributedDataParallel(model)\n    loader = DataLoader(data, "
          "sampler=torch.utils.data.distributed.DistributedSampler(data, shuffle=False, drop_last=False))\n    while "
          "go:\n        train(ddp_model, loader)\nmain()\n");
    refused(
        "def train(net):\n    loader = DataLoader(data)\n    for x in loader:\n        net(x).backward()\n"
        "model = Net()\nwhile go:\n    train(model)\n",
        "the loader is made in the function that trains one epoch");
}

TEST_CASE("distribute: a loader that is made in each epoch") {
    CHECK(output("model = Net()\nfor epoch in range(3):\n    loader = DataLoader(data)\n    for x in loader:\n        "
                 "model(x).backward()\n") ==
          "model = Net()\nddp_model = torch.nn.parallel.DistributedDataParallel(model)\nfor epoch in range(3):\n    "
          "loader = DataLoader(data, sampler=torch.utils.data.distributed.DistributedSampler(data, shuffle=False, "
          "drop_last=False))\n    loader.sampler.set_epoch(epoch)\n    for x in loader:\n        "
          "ddp_model(x).backward()\n");
    refused(
        "model = Net()\nwhile go:\n    loader = DataLoader(data)\n    for x in loader:\n        "
        "model(x).backward()\n",
        "the loader is made again in each epoch");
    refused(
        "def train(net, loader):\n    for x in loader:\n        net(x).backward()\nmodel = Net()\n"
        "for epoch in range(3):\n    loader = DataLoader(data)\n    train(model, loader)\n",
        "the loader is made again in each epoch");
    // One for each fold, and epochs inside of it.
    const std::string fold = "model = Net()\nfor fold in folds:\n    loader = DataLoader(data)\n    while go:\n";
    CHECK(output(fold + "        for x in loader:\n            model(x).backward()\n")
              .ends_with("    while go:\n        loader.sampler.set_epoch(loader.sampler.epoch + 1)\n        for x in "
                         "loader:\n            ddp_model(x).backward()\n"));
}
