// MatchContext: what a file is matched against.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "migrator/loops/loop_facts.h"
#include "migrator/pattern/pattern_set.h"
#include "migrator/python/finding.h"
#include "migrator/ruleset/rule_set.h"
#include "migrator/semantic/bindings.h"
#include "migrator/source/source_file.h"

namespace migrator {

class CellText;
class CudaNames;
struct CppOperators;
class OperatorSchemas;
class ToldNames;
class ValueEnds;

// What the project does by itself about the device where a file runs.
enum class OwnChoice {
    none,        // nothing, so it is migrated
    chooses,     // it takes an NPU where there is one, and other devices elsewhere
    needs,       // it only runs on an NPU
    redirected,  // it answers by the NPU what asks for CUDA
    others,      // nothing, but other programs of the project do
    shared,      // programs that choose run the file, and others that do not
    unloaded,    // no program is known to load it, in a project of programs that choose
    apart,       // tests, and what is for CUDA by its name where another is for the target
};

// What a file is matched against. The pointers must outlive the calls; `rules` and `facts` must be set.
struct MatchContext {
    const RuleSet* rules = nullptr;
    const TypeFacts* facts = nullptr;
    const LoopFacts* loops = nullptr;      // nullptr: no loop is known as one that trains
    const PatternSet* patterns = nullptr;  // of the rules; nullptr: none are looked for
    ModuleContext module;
    const ValueEnds* value_ends =
        nullptr;  // of constants that go through several files; nullptr: they are not followed
    const ToldNames* told_names = nullptr;  // of operators that leave the NPU; nullptr: nothing is said of them
    const OperatorSchemas* operator_schemas = nullptr;  // nullptr: calls of operators are not checked
    const CudaNames* cuda_names = nullptr;  // that lead to CUDA-only code in other files; nullptr: none are known
    // The package that the helper module of the style portable is in, as this file imports it; empty: it is on the path.
    std::string helper_package;
    // Files of the project that it imports load the framework.
    bool loads_framework = false;
    // Files of the project that load the framework import it: what they give it may be the framework's.
    bool is_beside_framework = false;
    OwnChoice own_choice = OwnChoice::none;
    // The file is run, not imported; and what it loads through other files of the project.
    bool is_program = false;
    std::vector<std::string> program_loads;
    // Sorted names of the methods, properties and attributes that classes of the project define (member_names of all
    // its Python files): a member of an object of unknown class that bears one of them may be the project's own.
    std::span<const std::string> project_members;
};

// Outside type checking only: the module, or something below it.
bool imports_module(const Bindings& bindings, std::string_view module);

// Whether running the file loads the framework: by its own imports, or by those of the project's files that it imports.
bool loads_framework(const Bindings& bindings, const MatchContext& context);

// A Python text that is parsed and resolved already.
struct ParsedText {
    const SyntaxTree* tree = nullptr;
    const Bindings* bindings = nullptr;
    const CppOperators* operators = nullptr;  // that it compiles from texts in it; nullptr: nobody has looked yet
    const CellText* cells = nullptr;          // of a notebook, whose text this is
};

// The names that the classes of a Python file define, sorted, without duplicates.
std::vector<std::string> member_names(const SyntaxTree& tree);

}  // namespace migrator
