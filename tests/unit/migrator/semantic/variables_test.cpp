#include <doctest/doctest.h>

#include "tests/unit/migrator/semantic/meaning.h"

using test::Meaning;

TEST_CASE("variables: where they are bound and read") {
    Meaning m(
        "device = 'cuda'\nif c:\n  device = 'cpu'\nx.to(device)\ndef f():\n  return device\ndef g(device):\n  return "
        "device\n");
    CHECK(m.sites("device", 3) == "1:1='cuda' 3:3='cpu'");
    CHECK(m.sites("device", 1) == "1:1='cuda' 3:3='cpu'");
    CHECK(m.reads("device", 1) == "4:6 6:10");
    CHECK(m.reads("device", 4) == "4:6 6:10");
    CHECK(m.reads("device", 6) == "8:10");
}

TEST_CASE("variables: parameters and their defaults") {
    Meaning m("def f(a, dev='cuda', *args, n: int = 3, **kw):\n  dev\n  n\n  args\n");
    CHECK(m.sites("dev") == "1:10='cuda'");
    CHECK(m.sites("n") == "1:29=3");
    CHECK(m.sites("a") == "1:7=-");
    CHECK(m.sites("args", 2) == "1:23=-");
    CHECK(m.reads("dev") == "2:3");
}

TEST_CASE("variables: attributes of self, in the class and its methods") {
    Meaning m(
        "class C:\n  device = 'cpu'\n  def __init__(self):\n    self.device = 'cuda'\n  def f(self):\n    "
        "g(self.device)\nother.device\n");
    CHECK(m.sites("self.device", 2) == "2:3='cpu' 4:5='cuda'");
    CHECK(m.sites("self.device", 1) == "2:3='cpu' 4:5='cuda'");
    CHECK(m.reads("self.device", 1) == "6:7");
    CHECK(m.reads("device", 1) == "6:7");
    CHECK(m.sites("other.device") == "");
    CHECK(m.reads("other.device") == "");
}

TEST_CASE("variables: attributes of instances and of sub-classes") {
    Meaning m("class C:\n  def __init__(self):\n    self.d = 'cuda'\nclass D(C):\n  def f(self):\n    self.d\nC().d\n");
    CHECK(m.sites("C().d") == "3:5='cuda'");
    CHECK(m.reads("self.d", 1) == "6:5 7:1");
}

TEST_CASE("variables: each part of an unpacked value") {
    Meaning m("a, b = 'cuda', f()\nc, d = f()\na; b; c\n");
    CHECK(m.sites("a", 2) == "1:1='cuda'");
    CHECK(m.sites("b", 2) == "1:4=f()");
    CHECK(m.sites("c", 2) == "2:1=-");
}

TEST_CASE("variables: other ways to be bound have no value") {
    Meaning m(
        "import torch as t\nfor i in x: i\nwith f() as w: w\ndef g(): pass\nn = 1\nn += 1\ndel n\nt; g\nk: int\nk\n");
    CHECK(m.sites("t") == "1:17=-");
    CHECK(m.sites("i", 2) == "2:5=-");
    CHECK(m.sites("w", 2) == "3:13=-");
    CHECK(m.sites("g", 2) == "4:5=-");
    CHECK(m.sites("n", 1) == "5:1=1 6:1=-");
    CHECK(m.reads("n", 1) == "6:1");
    CHECK(m.sites("k", 2) == "");
}

TEST_CASE("variables: closures, global and nonlocal") {
    Meaning m(
        "def outer(dev='cuda'):\n  def inner():\n    nonlocal dev\n    dev = f'{dev}:0'\n  return lambda: dev\ndef "
        "f():\n  global G\n  G = 'x'\nG\n");
    CHECK(m.sites("dev", 1) == "1:11='cuda' 4:5=f'{dev}:0'");
    CHECK(m.reads("dev", 1) == "4:14 5:18");
    CHECK(m.sites("G", 3) == "8:3='x'");
    CHECK(m.reads("G", 2) == "9:1");
}
