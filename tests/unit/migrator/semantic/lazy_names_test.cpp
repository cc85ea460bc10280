#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "migrator/semantic/module_summary.h"
#include "tests/unit/migrator/semantic/meaning.h"

using migrator::LazyName;

namespace {

// "Net pkg.train.Net", sorted, of the package pkg.
std::string lazy_of(const std::string& text) {
    migrator::ModuleContext context;
    context.module_name = "pkg";
    context.is_package = true;
    const migrator::SyntaxTree tree = migrator::SyntaxTree::parse(text);
    std::vector<std::string> out;
    for (const LazyName& lazy : summarise(tree, test::real_facts(), context).lazy)
        out.push_back(lazy.name + " " + lazy.meaning);
    std::ranges::sort(out);
    std::string all;
    for (const std::string& one : out) all += (all.empty() ? "" : ", ") + one;
    return all;
}

}  // namespace

TEST_CASE("lazy names: tables of what a package has, and imports for type checkers") {
    CHECK(lazy_of("_import_structure = {'train': ['Net', 'run']}\nif TYPE_CHECKING:\n    from .more import Other\n"
                  "else:\n    sys.modules[__name__] = _LazyModule(__name__, _import_structure)\n") ==
          "Net pkg.train.Net, Other pkg.more.Other, run pkg.train.run");
    CHECK(lazy_of("_import_structure = {}\n_import_structure['train'] = ['Net']\ndef __getattr__(name): ...\n") ==
          "Net pkg.train.Net");
    CHECK(lazy_of("where = {'Net': '.train', 'Other': 'lib.mod:Other'}\ndef __getattr__(name): ...\n") ==
          "Net pkg.train.Net, Other lib.mod.Other, Other pkg.lib.mod.Other");
    CHECK(lazy_of("where = {'Net': ('pkg.train', 'Inner')}\ndef __getattr__(name): ...\n") ==
          "Inner pkg.Net.Inner, Net pkg.pkg.train.Inner, Net pkg.train.Inner, pkg.train pkg.Net.pkg.train");
    CHECK(lazy_of("__getattr__, __dir__, __all__ = attach(__name__, submod_attrs={'train': ['Net']})\n") ==
          "Net pkg.train.Net");
}

TEST_CASE("lazy names: a module that answers for nothing has none") {
    CHECK(lazy_of("table = {'train': ['Net']}\n").empty());
    CHECK(lazy_of("class A:\n    def __getattr__(self, name): ...\ntable = {'train': ['Net']}\n").empty());
    CHECK(lazy_of("if TYPE_CHECKING:\n    from .train import Net\n").empty());
}
