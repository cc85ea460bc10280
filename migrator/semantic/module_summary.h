// ModuleSummary: what one Python file of a project offers to the other files and takes from them, as text: names, classes,
// results, imports.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/semantic/bindings.h"
#include "migrator/semantic/code_names.h"
#include "migrator/semantic/lazy_names.h"

namespace migrator {

// One thing that a name of a module or a member of a class may mean. A value of which nothing is known is empty.
struct Meaning {
    std::string name;  // qualified name of the object; empty for a value
    // Of a value that the index has found: the variable that holds it, "pkg.config.DEVICE", "pkg.config.Options.device".
    std::string variable{};
    Origin origin = Origin::external;
    Certainty certainty = Certainty::resolved;
    std::string type{};           // class of the value; empty when it is not known
    bool type_is_called = false;  // `type` is something of another file: the value is what calling it gives
    Certainty type_certainty = Certainty::resolved;
    bool operator==(const Meaning&) const = default;
};
using Meanings = std::vector<Meaning>;

struct ClassSummary {
    std::vector<std::string> bases;  // qualified
    bool open = false;               // it has bases that cannot be told, or makes members at run time
    std::map<std::string, Meanings, std::less<>> members;
};

struct ImportedModule {
    std::string name;  // "torch.nn", "pkg.model.Net"
    CodeStanding standing{};
};

struct ModuleSummary {
    std::string module;  // dotted name; empty for a file that cannot be imported
    std::map<std::string, Meanings, std::less<>> names;
    std::vector<ImportedModule> imports;  // everything it imports when it runs
    std::vector<LazyName> lazy;           // qualified
    CodeNames code;
    std::vector<std::string> stars;  // modules whose names `from m import *` brings
    // By qualified name:
    std::map<std::string, ClassSummary, std::less<>> classes;
    std::map<std::string, Meanings, std::less<>> results;  // functions, and what calling them gives
    // Functions, and the names of the parameters that their calls can pass by position: without self.
    std::map<std::string, std::vector<std::string>, std::less<>> parameters;
};

// Never fails; what is not understood is left out.
ModuleSummary summarise(const SyntaxTree& tree, const TypeFacts& facts, const ModuleContext& context);

}  // namespace migrator
