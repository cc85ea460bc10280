#include "migrator/instrument/instrument.h"

#include <doctest/doctest.h>

#include "base/format.h"
#include "base/text.h"
#include "tests/unit/migrator/rules/case_support.h"

using namespace migrator;

namespace {

const InstrumentFacts& facts() {
    static const base::DataStore store;
    static const auto loaded = InstrumentFacts::load(store);
    REQUIRE(loaded);
    return *loaded;
}

// Short lines for each place.
Instrument short_one(bool closes) {
    Instrument out;
    out.names = {"tool"};
    out.before = {"make(tool)"};
    if (closes) out.before_step = {"tool.start({model})"};
    out.behind_step = {"tool.step()"};
    out.closes = closes;
    return out;
}

Instrumented instrumented(const std::string& text, const Instrument& with) {
    const SyntaxTree tree = SyntaxTree::parse(text);
    const Bindings bindings = Bindings::analyse(tree, test::type_facts(), {});
    const Script script(tree, bindings);
    const auto loops = find_training_loops(script, test::loop_facts());
    REQUIRE(loops.size() == 1);
    return instrument(script, test::loop_facts(), loops.front(), with);
}

// The text with the lines in it and the mark shortened to "#"; taking them out gives the text of before.
std::string output(const std::string& text, const Instrument& with) {
    const Instrumented result = instrumented(text, with);
    CAPTURE(result.obstacles.empty() ? "" : result.obstacles.front());
    REQUIRE(result.obstacles.empty());
    EditSet set;
    REQUIRE(set.add(result.edits));
    std::string out = set.apply(text);
    CHECK_FALSE(SyntaxTree::parse(out).has_errors());
    CHECK(without_instruments(out) == text);
    for (std::size_t at = 0; (at = out.find("  # migrator: instrument")) != out.npos;) out.replace(at, 24, "#");
    return out;
}

void refused(const std::string& text, const Instrument& with, std::string_view reason) {
    CAPTURE(text);
    const Instrumented result = instrumented(text, with);
    CHECK(result.edits.empty());
    REQUIRE(result.obstacles.size() == 1);
    CHECK(result.obstacles.front() == reason);
}

}  // namespace

TEST_CASE("instrument: in front of the loop, around the step") {
    const std::string text =
        "def train(model):\n"
        "    for x in loader:\n"
        "        x = x.cuda()\n"
        "        loss = model(x)\n"
        "        loss.backward()\n"
        "        optimizer.step()  # one\n"
        "        print(loss)\n";
    CHECK(output(text, short_one(false)) ==
          "def train(model):\n"
          "    make(tool)#\n"
          "    for x in loader:\n"
          "        x = x.cuda()\n"
          "        loss = model(x)\n"
          "        loss.backward()\n"
          "        optimizer.step()  # one\n"
          "        tool.step()#\n"
          "        print(loss)\n");
    CHECK(output(text, short_one(true)) ==
          "def train(model):\n"
          "    make(tool)#\n"
          "    for x in loader:\n"
          "        tool.start(model)#\n"
          "        x = x.cuda()\n"
          "        loss = model(x)\n"
          "        loss.backward()\n"
          "        optimizer.step()  # one\n"
          "        tool.step()#\n"
          "        print(loss)\n");
}

TEST_CASE("instrument: line ends, tabs, and a file without a last line end") {
    CHECK(output("while True:\r\n\tnetD(netG(x)).backward()\r\n\toptimizer.step()", short_one(true)) ==
          "make(tool)#\r\nwhile True:\r\n\ttool.start(None)#\r\n\tnetD(netG(x)).backward()\r\n\toptimizer.step()\r\n\t"
          "tool.step()#");
}

TEST_CASE("instrument: rounds that are left early") {
    const std::string text =
        "for x in loader:\n"
        "    if x is None: continue\n"
        "    loss = model(x)\n"
        "    if isnan(loss):\n"
        "        continue\n"
        "    for y in z:\n"
        "        if y:\n"
        "            break\n"
        "    loss.backward()\n"
        "    opt.step()\n"
        "    if done: break\n";
    // What leaves before the model is called is no step; what leaves in the middle is closed where something was begun.
    CHECK(output(text, short_one(true)) ==
          "make(tool)#\n"
          "for x in loader:\n"
          "    if x is None: continue\n"
          "    tool.start(model)#\n"
          "    loss = model(x)\n"
          "    if isnan(loss):\n"
          "        tool.step()#\n"
          "        continue\n"
          "    for y in z:\n"
          "        if y:\n"
          "            break\n"
          "    loss.backward()\n"
          "    opt.step()\n"
          "    tool.step()#\n"
          "    if done: break\n");
    CHECK(output(text, short_one(false)).find("        continue\n    for") != std::string::npos);
    // A step that is left behind the optimizer has been one.
    CHECK(output("for x in y:\n    try:\n        model(x).backward()\n        opt.step()\n        continue\n"
                 "    except E:\n        continue\n",
                 short_one(false)) ==
          "make(tool)#\nfor x in y:\n    try:\n        model(x).backward()\n        opt.step()\n        tool.step()#\n"
          "        continue\n    except E:\n        tool.step()#\n        continue\n    tool.step()#\n");
}

TEST_CASE("instrument: what cannot be done right is refused, with the reason") {
    refused("for x in y: model(x).backward(); opt.step()\n", short_one(false),
            "line 1: the loop stands on one line; put its body on lines of its own");
    refused("tool = 1\nfor x in y:\n    model(x).backward()\n    opt.step()\n", short_one(false),
            "line 1: the name `tool` is needed, and the file has one");
    refused("for x in y:\n    loss = model(x)\n    if bad: return\n    loss.backward()\n    opt.step()\n",
            short_one(true),
            "line 3: `return` leaves the step and shares its line with other code; put it on a line of its own");
    refused("for x in y:\n    model(x).backward()\n    opt.step(); continue\n", short_one(false),
            "line 3: `continue` leaves the step and shares its line with other code; put it on a line of its own");
    Instrument alone = short_one(false);
    alone.excludes = {"torch.profiler.profile"};
    refused("import torch\np = torch.profiler.profile()\nfor x in y:\n    model(x).backward()\n    opt.step()\n", alone,
            "line 2: `torch.profiler.profile` is used here already, and the two do not go together");
    refused("def f():\n    for x in y:\n        model(x).backward()\n        opt.step()\n        yield x\n",
            short_one(true),
            "line 5: the loop is in a generator, and what runs between its rounds would be recorded as well");
}

TEST_CASE("instrument: the lines of the rule files are Python, and every name they bind is listed") {
    REQUIRE(facts().instruments.size() == 2);
    for (const auto& entry : facts().instruments) {
        const auto& name = entry.first;
        const auto& one = entry.second;
        CAPTURE(name);
        const std::string text = "def f():\n    for x in y:\n        model(x).backward()\n        optimizer.step()\n";
        const Instrumented result = instrumented(text, one);
        REQUIRE(result.obstacles.empty());
        EditSet set;
        REQUIRE(set.add(result.edits));
        const std::string out = set.apply(text);
        const SyntaxTree tree = SyntaxTree::parse(out);
        CHECK_FALSE(tree.has_errors());
        CHECK(without_instruments(out) == text);
        const Bindings bindings = Bindings::analyse(tree, test::type_facts(), {});
        for (const ImportedName& import : bindings.imports()) CHECK(base::contains(one.names, import.bound_name));
        CHECK(base::contains(one.names, one.before.front().substr(one.before.front().rfind(' ') + 1)));
    }
    CHECK(!facts().frameworks.empty());
}
