#include <doctest/doctest.h>

#include "tests/unit/migrator/semantic/meaning.h"

using test::Meaning;

namespace {

// `t` at the end of the source: "a" for torch.a.
std::string last(const std::string& body) { return Meaning("import torch as T\n" + body).of("t"); }

}  // namespace

TEST_CASE("flow: a later binding of the same block replaces the earlier ones") {
    CHECK(last("t = T.a\nt = T.b\nt") == "torch.b");
    CHECK(last("t = T.a\nt = lambda: 'mine'\nt") == "local:t");
    CHECK(last("t = T.a\nt = T.b if t else t\nt") == "torch.b? | torch.a?");
    CHECK(last("t = T.a\nx = t\nt = T.b\nx; t") == "torch.b");
    CHECK(Meaning("import torch\nt = torch.a\nx = t\nt = torch.b\nx").of("x") == "torch.a");
    CHECK(last("t = T.a\ndel t\nt = T.b\nt") == "torch.b");
}

TEST_CASE("flow: conditional bindings leave the earlier ones possible") {
    CHECK(last("t = T.a\nif c:\n  t = T.b\nt") == "torch.a? | torch.b?");
    CHECK(last("t = T.a\nfor i in x:\n  t = T.b\nt") == "torch.a? | torch.b?");
    CHECK(last("t = T.a\nwhile c:\n  t = T.b\nt") == "torch.a? | torch.b?");
    CHECK(last("t = T.a\ntry:\n  t = T.b\nexcept E:\n  pass\nt") == "torch.a? | torch.b?");
    CHECK(last("t = T.a\nmatch x:\n  case 1:\n    t = T.b\nt") == "torch.a? | torch.b?");
    CHECK(last("t = T.a\nwith x:\n  t = T.b\nt") == "torch.b");
    CHECK(last("t = T.a\ntry:\n  pass\nfinally:\n  t = T.b\nt") == "torch.b");
}

TEST_CASE("flow: when every arm binds, what was before is gone") {
    CHECK(last("t = T.a\nif c:\n  t = T.b\nelse:\n  t = T.c\nt") == "torch.b? | torch.c?");
    CHECK(last("t = T.a\nif c:\n  t = T.b\nelif d:\n  t = T.c\nelse:\n  t = T.d\nt") ==
          "torch.b? | torch.c? | torch.d?");
    CHECK(last("t = T.a\nif c:\n  t = T.b\nelif d:\n  pass\nelse:\n  t = T.d\nt") == "torch.a? | torch.b? | torch.d?");
    CHECK(last("t = T.a\nif c:\n  if d:\n    t = T.b\n  else:\n    t = T.c\nelse:\n  t = T.d\nt") ==
          "torch.b? | torch.c? | torch.d?");
    CHECK(last("t = T.a\ntry:\n  t = T.b\nexcept E:\n  t = T.c\nt") == "torch.b? | torch.c?");
    CHECK(last("t = T.a\ntry:\n  pass\nexcept E:\n  t = T.c\nelse:\n  t = T.b\nt") == "torch.c? | torch.b?");
    CHECK(last("t = T.a\nmatch x:\n  case 1:\n    t = T.b\n  case _:\n    t = T.c\nt") == "torch.b? | torch.c?");
}

TEST_CASE("flow: an arm that leaves the function does not count") {
    CHECK(last("def f():\n  t = T.a\n  if c:\n    t = T.b\n    return t\n  t") == "torch.a");
    CHECK(last("def f():\n  t = T.a\n  if c:\n    raise E\n  else:\n    t = T.b\n  t") == "torch.b");
    CHECK(last("def f():\n  try:\n    t = T.a\n  except E:\n    raise\n  t") == "torch.a");
}

TEST_CASE("flow: inside an arm only what leads there counts") {
    CHECK(last("if c:\n  t = T.a\nelse:\n  t = T.b\n  t") == "torch.b");
    CHECK(last("t = T.a\nif c:\n  t = T.b\nelse:\n  t") == "torch.a");
    CHECK(last("t = T.a\ntry:\n  t = T.b\nexcept E:\n  t") == "torch.a? | torch.b?");
    CHECK(last("try:\n  t = T.b\nexcept E:\n  pass\nelse:\n  t") == "torch.b");
    CHECK(last("match x:\n  case 1:\n    t = T.a\n  case 2:\n    t = T.b\n    t") == "torch.b");
}

TEST_CASE("flow: a loop leads back to its beginning") {
    CHECK(last("t = T.a\nfor i in x:\n  y = t\n  t = T.b\n") == "-");
    CHECK(Meaning("import torch as T\nt = T.a\nfor i in x:\n  t.y\n  t = T.b\n").of("t.y") ==
          "torch.a.y? | torch.b.y?");
    CHECK(Meaning("import torch as T\nt = T.a\nfor i in x:\n  t = T.c\n  t.y\n  t = T.b\n").of("t.y") == "torch.c.y");
    CHECK(Meaning("import torch as T\nt = T.a\nwhile t.y:\n  t = T.b\n").of("t.y") == "torch.a.y? | torch.b.y?");
    CHECK(Meaning("import torch as T\nt = T.a\nfor i in x:\n  for j in i:\n    t.y\n  t = T.b\n").of("t.y") ==
          "torch.a.y? | torch.b.y?");
    CHECK(Meaning("import torch as T\nfor i in x:\n  if c:\n    t = T.a\n  else:\n    t.y\n").of("t.y") == "torch.a.y");
}

TEST_CASE("flow: functions run later and see every binding of the module") {
    CHECK(Meaning("import torch as T\nt = T.a\ndef f():\n  t.y\nt = T.b\n").of("t.y") == "torch.a.y? | torch.b.y?");
    CHECK(Meaning("def f():\n  t.y\nimport torch as t\n").of("t.y") == "torch.y");
    CHECK(Meaning("import torch as T\nt = T.a\nclass C:\n  t.y\nt = T.b\n").of("t.y") == "torch.a.y");
    CHECK(Meaning("import torch as T\nt = T.a\n[t.y for i in x]\nt = T.b\n").of("t.y") == "torch.a.y");
}

TEST_CASE("flow: builtins before they are hidden") {
    CHECK(Meaning("input()\ninput = f\ninput").of("input", 1) == "builtin:input");
    CHECK(Meaning("input()\ninput = f\ninput").of("input", 3) == "local:input");
    CHECK(Meaning("try:\n  input = raw_input\nexcept NameError:\n  pass\ninput").of("input") ==
          "builtin:raw_input? | builtin:input?");
}

TEST_CASE("flow: too many bindings are not followed, and said to be unknown") {
    std::string source = "import torch as T\n";
    for (int i = 0; i < 100; ++i) source += "if c:\n  t = T.a" + std::to_string(i) + "\n";
    const std::string meaning = Meaning(source + "t").of("t");
    CHECK(meaning.find("torch.a99?") != std::string::npos);
    CHECK(meaning.find("local:t?") != std::string::npos);
    CHECK(meaning.size() < 400);
}
