// The words of the vocabulary, each with its own file. Private to this folder.
#pragma once

#include "migrator/match/adapted_code.h"
#include "migrator/match/import_plan.h"
#include "migrator/python/literal.h"
#include "migrator/python/python_file.h"

namespace migrator {

// Says of a finding in code that is a text of something else that it stays as it is.
void leave_in_text(Finding& finding);

// `name`, `module`, `prefix`: qualified names where they are used and imported.
void match_names(const PythonFile& file, const ImportPlan& plan, FindingSink& sink);
// `method`: members of objects whose class is not known; of known classes they are names.
void match_methods(const PythonFile& file, FindingSink& sink);
// `argument`
void match_arguments(const PythonFile& file, FindingSink& sink);
// Names that are written as strings: getattr(torch, "cuda").
void match_attribute_strings(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink);
// What the second argument of getattr and the like names: {"torch.cuda"}; empty for other literals.
std::vector<Reference> attribute_names(const PythonFile& file, const Literal& literal);
// True for the second argument of getattr and the like.
bool names_attribute(const PythonFile& file, NodeId literal);
// `call`
void match_calls(const PythonFile& file, FindingSink& sink);
// `index`
void match_indexes(const PythonFile& file, FindingSink& sink);
// `taken_apart`
void match_taken_apart(const PythonFile& file, FindingSink& sink);
// `training`
void match_training(const PythonFile& file, FindingSink& sink);
// Takes out findings of rules that hold `in` another place.
void keep_in_place(const PythonFile& file, FindingSink& sink);
// Takes the fixes of questions for CUDA in front of code that only CUDA has.
void leave_guards_of_cuda_code(const PythonFile& file, FindingSink& findings);
// Where programs choose the device by themselves: takes the fixes, and says only of certain uses of CUDA that they are to be
// settled.
void leave_own_choice(const PythonFile& file, const AdaptedCode& adapted, FindingSink& findings);
// The same of a file that no such program is known to load, or that is shared with others.
void leave_unloaded(OwnChoice choice, FindingSink& findings);
// `foreign`: takes out all that is said of a file which works for a program of GPUs, but for packages.
void leave_foreign_code(const PythonFile& file, const ParsedText& parsed, FindingSink& findings);
// `registration` by functions of Python that compile C++ in texts.
void match_inline_operators(const PythonFile& file, const ParsedText& parsed, FindingSink& sink);
// `string`
void match_strings(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink);
// Literals that are Python code themselves.
void match_code_strings(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink);
// Names and members in a piece of code inside a file.
void match_code(const ParsedText& code, const PythonFile& around, FindingSink& sink);
// `value`
void match_values(const PythonFile& file, const AdaptedCode& adapted, std::span<const Literal> literals,
                  FindingSink& sink);
// `api`
void match_api_support(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink);
// `operator_call`
void match_operator_arguments(const PythonFile& file, FindingSink& sink);
// `library`
void match_libraries(const PythonFile& file, FindingSink& sink);
// `pattern`
void match_patterns(const PythonFile& file, FindingSink& sink);
// `definition`
void match_definitions(const PythonFile& file, FindingSink& sink);
// `program`
void match_program(const PythonFile& file, FindingSink& sink);
// `process`
void match_processes(const PythonFile& file, FindingSink& sink);
// Tables of environment variables.
void match_environment(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink);
// Commands that Python starts and settings that it reads from texts: what would be said of them in files of their own, in
// place of what was said of the texts.
void match_embedded_texts(const PythonFile& file, FindingSink& sink);
// Tables of packages: imports, and the requirements of a setup.py.
void match_packages(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink);

// Files that are not Python: variables, values, packages and `text` words, line by line.
void match_text_file(const SourceFile& file, std::string_view text, const MatchContext& context, FindingSink& sink);
// `registration`, `kernel` and `text` in C++ and CUDA sources.
void match_cuda_source(const SourceFile& file, std::string_view text, const MatchContext& context, FindingSink& sink);
// `file`: files by their name and what is in them.
void match_named_file(const SourceFile& file, const MatchContext& context, FindingSink& sink);
// By position; of two that say the same one stays.
void sort_findings(FindingSink& findings);

// All words of a Python text; parse errors are reported when `whole_file`.
void match_python(std::string_view path, std::string_view text, const MatchContext& context, bool whole_file,
                  FindingSink& sink);
void match_python(std::string_view path, const ParsedText& parsed, const MatchContext& context, bool whole_file,
                  FindingSink& sink);

}  // namespace migrator
