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
    return distribute(tree, bindings, facts(), test::loop_facts(), model, "def setup_distributed(): ...\n");
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
    refused(loop_with("DataLoader(read())"), "assign it to a variable first");
    refused(loop_with("DataLoader(data, **more)"), "through * or **");
    refused(
        "class Lines(torch.utils.data.IterableDataset):\n    pass\ndata = Lines()\n" + loop_with("DataLoader(data)"),
        "iterable");
    refused(loop_with("DataLoader(data)") + "import torch.distributed as dist\ndist.init_process_group('nccl')\n",
            "distributed already");
    refused(loop_with("DataLoader(data)") + "model = torch.nn.DataParallel(model)\n", "distributed already");
    refused(loop_with("DataLoader(data)"), "no training loop calls `net`", "net");
    refused(loop_with("DataLoader(data)"), "no plain variable", "self.model");
    refused("def is_main_process():\n    pass\n" + loop_with("DataLoader(data)"), "`is_main_process` is needed");
    refused("model = Net()\nloader = DataLoader(data)\nwhile go:\n    for x in loader:\n        model(x).backward()\n",
            "`while` loop");
    refused(
        "model = Net()\nloader = DataLoader(data)\nfor name in names:\n    for x in loader:\n        "
        "model(x).backward()\n",
        "does not count with range()");
    refused(
        "def train(net, loader):\n    for x in loader:\n        net(x).backward()\n    net.save()\nmodel = Net()\n"
        "loader = DataLoader(data)\nfor e in range(2):\n    train(model, loader)\n",
        "line 6: `net.save` is used where the model is trained");
    refused(
        "def train(loader):\n    for x in loader:\n        model(x).backward()\nmodel = Net()\nloader = "
        "DataLoader(data)\n"
        "for e in range(2):\n    train(loader)\n",
        "`model` is not made before this in the same function");
    refused("if (:\n", "does not parse");
}
