// Rule: one row of knowledge, checked: what it looks for (a word of the vocabulary) and what it says and does.
//
// rules/README.md describes the vocabulary for the authors of rules; the names are the same here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "migrator/edit/edit.h"
#include "migrator/ruleset/finding_kind.h"
#include "migrator/ruleset/version.h"
#include "migrator/semantic/reference.h"

namespace migrator {

// Where in a file a rule holds.
enum class RulePlace {
    anywhere,
    training_file,  // files with a training loop
    training_loop,  // code that runs in each of its rounds
};

// A product of sizes that the project writes down as constants, in bytes; added to the message as megabytes.
struct SizeFormula {
    std::vector<std::vector<std::string>> factors;  // names of each size: {"batch_size", "micro_batch_size"}
    std::int64_t bytes = 1;                         // of one element
    std::string text;                               // with {sizes} and {value}
};

// What all rules have.
struct Rule {
    std::string id;
    FindingKind kind = FindingKind::cuda_api;
    Severity severity = Severity::warning;
    Certainty certainty = Certainty::resolved;  // what a finding needs at least for its fix to be applied
    std::string message;                        // with {name}, {to} and {note}
    base::Message remark;                       // said behind it
    std::string source;
    Effort effort = Effort::none;        // what is left to a person; rows have their own
    std::vector<ImportRequest> imports;  // what the fix needs bound
    VersionRange versions;               // of the framework, in which the fix is right; empty: all
    bool at_run_time = false;  // in the chosen style this needs no edit: it is redirected when the program runs
    RulePlace in = RulePlace::anywhere;
    bool once = false;                          // in a project, at the first place
    std::vector<std::string> unless_mentioned;  // nothing is said in a project that has one of these texts
    std::vector<std::string> if_mentioned;      // said only in a project that has one of these texts; empty: in all
    std::optional<SizeFormula> formula;
};

// What becomes of a member of an object.
struct MemberFix {
    std::string rename;                 // another member: x.cuda(...) -> x.npu(...)
    std::string device;                 // whose device goes through this function: x.to(device_of(0))
    std::string no_device;              // and is this when there was none: x.to(device_type)
    std::vector<std::string> keywords;  // of the positional arguments behind the device
    std::string wrap;                   // or a function of the object: x.is_cuda -> is_on_device(x)
    std::vector<std::string> except;    // classes that do not have this

    bool is_plain() const { return device.empty() && wrap.empty(); }
    const std::string& to() const { return wrap.empty() ? rename : wrap; }
};

// `name`: an exact qualified name; `module`: the same for a module, whose members are not spoken for;
// `prefix`: a module and everything below it that no other row knows.
struct NameRow {
    enum class Reach { exact, module, below };
    const Rule* rule = nullptr;
    Reach reach = Reach::exact;
    std::optional<std::string> to;        // the new name
    std::optional<std::string> on_npu{};  // what it is called on the NPU, whatever the new name is
    std::optional<MemberFix> member{};    // of a class: what becomes of the member, when that is more than a new name
    bool to_member = false;               // of a module: the new name is a member of its module, not a module itself
    std::string note;
    std::string source;  // of the row; else the rule's
    Effort effort = Effort::none;
    bool at_run_time = false;
    VersionRange versions;       // of the framework, that have the new name; empty: all
    base::Message kept_because;  // said in place of the rule's message: why the name is left as it is; empty: that one
};

// `method`: a member of objects of these classes, called or not.
struct MethodRow {
    const Rule* rule = nullptr;
    std::string name;
    std::vector<std::string> of;             // classes
    std::vector<std::string> when_imported;  // an object of unknown class counts only in files that import one of these
    bool called = false;                     // ... and only when the member is called
    bool telling = false;                    // in other files it is told of as well, as `textual`
    std::optional<MemberFix> fix;
};

// `argument`: an argument of a call, by keyword or position.
struct ArgumentRow {
    enum class State { absent, present, integer, equals, contains, computed };
    const Rule* rule = nullptr;
    std::string keyword;
    std::optional<std::size_t> position;
    State state = State::present;
    std::vector<std::string> beside;  // keywords that the call has all the same
    std::vector<std::string> values;  // of `equals`: Python source text; of `contains`: parts of a written text
    bool methods = false;             // also calls of these members on objects of unknown class
    std::vector<std::string> when_imported;

    std::string add;      // fix: this text as a further argument
    std::string replace;  // fix: this text instead of the argument
    std::string wrap;     // fix: the argument goes through this function
    std::string name;     // fix: the positional argument gets this keyword
    bool remove = false;  // fix: the argument goes
};

// `call`: calls of functions, and of methods on objects of known class.
struct CallRow {
    const Rule* rule = nullptr;
    std::vector<std::string> given;          // the first argument is of one of these classes; empty: whatever it is
    std::vector<std::string> when_imported;  // methods of an object of unknown class count in files that import these
};

// `index`: how something is picked by [...].
struct IndexRow {
    const Rule* rule = nullptr;
    std::vector<std::string> when_imported;
};

// `taken_apart`: values of these classes that are compared, indexed or unpacked.
struct TakenApartRow {
    const Rule* rule = nullptr;
    std::vector<std::string> classes;
};

// `training`: files that train; said at the first training loop.
struct TrainingRow {
    const Rule* rule = nullptr;
    std::vector<std::string> uses;  // the file uses one of these names; empty: whatever it uses
    bool accumulates = false;       // the loop adds up gradients over several rounds
};

// `string`: a string literal that is one of these, or that is a qualified name which a row knows.
struct StringRow {
    const Rule* rule = nullptr;
    std::vector<std::string> values;
    bool qualified_names = false;
    std::map<std::string, std::string, std::less<>> replace;
    std::map<std::string, std::string, std::less<>> replace_by;  // parts of a new name -> the expression for them
};

// A place that takes a value: a parameter of these functions or methods.
struct ParameterRow {
    std::optional<std::size_t> position;
    std::string keyword;
    bool methods = false;  // also on objects of unknown class
};

// `value`: constants of a domain (devices, back ends) followed to where they are used.
struct ValueRow {
    // device: "cuda", "cuda:1", lists of them; backend: "nccl", "cpu:gloo,cuda:nccl"; word: a token and nothing else
    enum class Form { device, backend, word };
    const Rule* rule = nullptr;
    Form form = Form::device;
    std::map<std::string, std::string, std::less<>> replace;     // "cuda" -> "npu"; of both parts of a backend map
    std::map<std::string, std::string, std::less<>> replace_by;  // fix: expressions instead: "cuda" -> device_type
    std::vector<std::string> tokens;                             // what a string must hold to be looked at
    std::map<std::string, std::vector<ParameterRow>, std::less<>> parameters;  // by qualified function or method
    std::map<std::string, std::vector<ParameterRow>, std::less<>> methods;     // by member name, for unknown objects
    std::vector<std::string> results;        // names and properties that have such a value: "torch.device.type"
    std::vector<std::string> carriers;       // names of variables, keywords, options, settings: exact or with one *
    std::vector<std::string> kept_keys;      // parameters whose mappings are from the names of other machines
    std::vector<std::string> properties;     // members of a carrier that have such a value: "type"
    std::vector<std::string> text_of;        // classes whose str() has such a value: "torch.device"
    std::vector<std::string> packages;       // a carrier's name counts in calls of these; other packages have their own
    std::vector<std::string> options;        // functions that declare an option: "argparse.ArgumentParser.add_argument"
    std::vector<std::string> option_values;  // their parameters that hold values of it: "default", "choices"

    bool is_carrier(std::string_view name) const;
};

// `environment`: names of environment variables, exact or ending in *.
struct EnvironmentRow {
    const Rule* rule = nullptr;
    std::string name;
    std::optional<std::string> to;
    bool same_values = false;                                // the value can stay as it is: the name may be rewritten
    std::map<std::string, std::string, std::less<>> values;  // old value -> the one that says the same to `to`
    std::string note;
    std::string source;
    Effort effort = Effort::none;
};

// Where a language keeps its environment.
struct EnvironmentPlaces {
    std::map<std::string, std::vector<ParameterRow>, std::less<>> parameters;  // "os.getenv"
    std::vector<std::string> mappings;                                         // "os.environ"
};

using ParametersByFunction = std::map<std::string, std::vector<ParameterRow>, std::less<>>;

// What functions do with texts, whatever the texts mean.
struct TextPlaces {
    std::vector<std::string> shown;             // they show it to people, or name something by it: "print"
    std::vector<std::string> shown_by_methods;  // the same, of objects of unknown class: "debug"
    ParametersByFunction passed;                // they give it back: "os.getenv"
    ParametersByFunction declared;  // it is the value of an option that they declare: "absl.flags.DEFINE_string"
};

// What scripts look like, and which functions start them.
struct ScriptPlaces {
    ParametersByFunction commands;              // "os.system"
    std::vector<std::string> variable_options;  // options behind which the name of a variable stands: "-x"
    std::vector<std::string> directives;        // comments with options of the program that starts a script: "#SBATCH"
};

// `package`: a distribution and the modules it brings.
struct PackageRow {
    const Rule* rule = nullptr;
    std::string name;
    std::string status;
    std::string advice;
    std::string source;
    Effort effort = Effort::none;
    bool quiet = false;  // known, and nothing to say about
};

// `import`: modules by the last part of their name, exact or with one *.
struct ImportRow {
    const Rule* rule = nullptr;
    std::vector<std::string> modules;
    bool own = false;  // `own_import`: in a package of the project, of which no source is there: compiled
};

// `symbol`: a name of C++ or CUDA, qualified, or its beginning and a *.
struct SymbolRow {
    const Rule* rule = nullptr;
    std::string name;
    std::string to;  // empty: there is no counterpart
    std::string note;
    std::string source;
    Effort effort = Effort::none;
};

// `text`: words in files that are not Python, found outside comments.
struct TextRow {
    const Rule* rule = nullptr;
    std::vector<std::string> words;
    std::vector<std::string> files;  // names of file types
};

// `file`: files by their names that hold no text: compiled code.
struct FileRow {
    const Rule* rule = nullptr;
    std::vector<std::string> names;     // "*.cubin": exact or with one *
    std::vector<std::string> contains;  // with one of these among their bytes; empty: whatever is in them
};

// `registration`: operators that C++ code offers to Python.
struct RegistrationRow {
    const Rule* rule = nullptr;
    std::vector<std::string> macros;   // "TORCH_LIBRARY"
    std::vector<std::string> methods;  // "def"
    std::vector<std::string> keys;     // only where the macro's second argument is one of these; empty: everywhere
    bool namespaced = false;           // the macro's first argument is a part of the operators' names
};

// `kernel`: functions marked for the device in CUDA sources.
struct KernelRow {
    const Rule* rule = nullptr;
    std::vector<std::string> markers;  // "__global__"
};

// What the rules are about: a package under each of its names, and the versions of it that are known.
struct Framework {
    std::vector<std::string> packages;
    std::vector<std::string> loaded_by;  // modules whose import loads it, its own first: "torch", "torchvision"
    std::vector<Version> versions;

    Version newest() const;  // 0.0 when none is known
};

// `program`: files that are run, not imported, and load a module, directly or through other files of the project.
struct ProgramRow {
    const Rule* rule = nullptr;
    std::string loads;                // "torch"
    std::string unless;               // nothing to do where this name is imported already
    std::vector<std::string> insert;  // fix: statements in front of the first import that may load the module
};

// `api`: what is said of an interface that is not supported, has limits, is called beyond one, or gets a tensor whose
// type it does not take. nullptr: nothing.
struct ApiRules {
    const Rule* no = nullptr;
    const Rule* partly = nullptr;
    const Rule* beyond_limit = nullptr;
    const Rule* wrong_dtype = nullptr;
};

// Names whose use says that code already knows the target: it chooses by itself, and is left alone.
struct AdaptedNames {
    std::vector<std::string> guards;  // "torch.npu.is_available"
};

}  // namespace migrator
