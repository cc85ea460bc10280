// Advice about training, in the files that training reaches.
#include <doctest/doctest.h>

#include "base/format.h"
#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;
using test::options_for;

namespace {

// The places of a rule's findings, with the last sentence of what is said.
std::string places_of(const Report& report, std::string_view rule) {
    std::string out;
    for (const ReportFile& file : report.files) {
        for (const ReportFinding& item : file.findings) {
            if (item.outcome.finding.rule != rule) continue;
            const std::string text = item.outcome.finding.message.text();
            const std::size_t last = text.rfind(". ");
            const bool says_way = text.find("which trains") != text.npos;
            out += base::format("{}{}\n", place_of(file.path, item.outcome), says_way ? text.substr(last + 1) : "");
        }
    }
    return out;
}

void add_training_project(test::MemoryFileSystem& fs) {
    fs.add("in/train.py",
           "import torch\nfrom losses import Focal, smooth\nfrom data.build import make_loader\n\n"
           "def near(x):\n    return x.sum().item()\n\n"
           "def main(net, opt):\n    loss_fn = Focal()\n    for x, y in make_loader():\n"
           "        loss = loss_fn(net(x), y) + smooth(x) + near(x)\n        loss.backward()\n        opt.step()\n\n"
           "if __name__ == '__main__':\n    main(None, torch.optim.SGD([], 0.1))\n");
    fs.add("in/losses.py",
           "import torch\n\n"
           "def count(x):\n    return x.sum().item()\n\n"
           "def smooth(x):\n    return x + count(x)\n\n"
           "def unused(x):\n    return x.sum().item()\n\n"
           "class Focal(torch.nn.Module):\n"
           "    def __init__(self):\n        self.n = torch.zeros(1).item()\n\n"
           "    def helper(self, x):\n        return x.sum().item()\n\n"
           "    def forward(self, x, y):\n        if y % 10 == 0:\n            print(x.sum().item())\n"
           "        return self.helper(x)\n");
    fs.add("in/data/__init__.py", "");
    fs.add("in/data/build.py", "from .loaders import loader\n\ndef make_loader():\n    return loader([])\n");
    const std::string loader =
        "from torch.utils.data import DataLoader\n\ndef loader(d):\n    return DataLoader(d, batch_size=2)\n";
    fs.add("in/data/loaders.py", loader);
    fs.add("in/other.py", loader + "def near(x):\n    return x.sum().item()\n");
}

}  // namespace

TEST_CASE("pipeline: advice about loaders is given where a training program imports one, and says by which way") {
    test::MemoryFileSystem fs;
    add_training_project(fs);
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    CHECK(places_of(result->report, "advice.loader_workers") ==
          "data/loaders.py:4 train.py, which trains, imports this file through data/build.py.\n");
}

TEST_CASE("pipeline: advice about each round is given in functions that the loop calls and in forward of modules") {
    test::MemoryFileSystem fs;
    add_training_project(fs);
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    CHECK(places_of(result->report, "advice.host_read") ==
          "losses.py:4 train.py, which trains, imports this file.\n"
          "losses.py:17 train.py, which trains, imports this file.\n"
          "train.py:6\n");
}

TEST_CASE("pipeline: without a loop there is no advice about training") {
    test::MemoryFileSystem fs;
    add_training_project(fs);
    fs.add("in/train.py", "from losses import Focal\nfrom data.build import make_loader\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    CHECK(places_of(result->report, "advice.loader_workers").empty());
    CHECK(places_of(result->report, "advice.host_read").empty());
}

TEST_CASE("pipeline: a notebook that trains reaches the modules that it imports, and has advice of its own") {
    test::MemoryFileSystem fs;
    fs.add("in/data/__init__.py", "");
    fs.add("in/data/loaders.py",
           "from torch.utils.data import DataLoader\n\ndef loader(d):\n    return DataLoader(d, batch_size=2)\n");
    fs.add("in/losses.py", "import torch\n\ndef near(x: torch.Tensor):\n    return x.sum().item()\n");
    fs.add(
        "in/train.ipynb",
        R"({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "metadata": {}, "outputs": [],
"execution_count": null, "source": ["import torch\n", "from data.loaders import loader\n", "from losses import near\n",
"for x in loader([]):\n", "    near(net(x))\n", "    net(x).sum().backward()\n", "    opt.step()\n"]}]})");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    CHECK(places_of(result->report, "advice.loader_workers") ==
          "data/loaders.py:4 train.ipynb, which trains, imports this file.\n");
    CHECK(places_of(result->report, "advice.host_read") ==
          "losses.py:4 train.ipynb, which trains, imports this file.\n");
}

TEST_CASE("pipeline: a module whose texts speak of __main__ is not a program") {
    const auto told = [](const std::string& every) {
        test::MemoryFileSystem fs;
        fs.add("in/lib/__init__.py", "");
        fs.add("in/lib/every.py", "\"\"\"Warns in ``__main__`` alone.\"\"\"\nfrom . import fit, tools\n" + every);
        fs.add("in/lib/fit.py",
               "def fit(net, opt, data):\n    for x in data:\n        net(x).sum().backward()\n        opt.step()\n");
        fs.add("in/lib/tools.py",
               "from torch.utils.data import DataLoader\n\ndef loader(d):\n    return DataLoader(d, batch_size=2)\n");
        const auto result = run(options_for(Command::analyze, "in"), fs);
        REQUIRE(result);
        return places_of(result->report, "advice.loader_workers");
    };
    CHECK(told("print('__main__')\n").empty());
    CHECK(told("if __name__ == \"__main__\":\n    fit.fit(None, None, [])\n") ==
          "lib/tools.py:4 lib/every.py, which trains, imports this file.\n");
    CHECK_FALSE(told("if '__main__' == __name__:\n    pass\n").empty());
}
