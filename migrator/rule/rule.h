// Rule: what all rules and tables have, whatever they look for: what is said, how sure that must be, and when it holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/record.h"
#include "migrator/edit/edit.h"
#include "migrator/rule/finding_kind.h"
#include "migrator/rule/megatron_road.h"
#include "migrator/rule/version.h"
#include "migrator/semantic/reference.h"

namespace migrator {

// Where in a file a rule holds.
enum class RulePlace {
    anywhere,
    training_program,  // files with a training loop, and what programs with one import
    training_loop,     // code that runs in each of its rounds
};
std::string_view name(RulePlace place);

// How often it is said.
enum class Once { no, project };
std::string_view name(Once once);

// A product of sizes that the project writes down as constants, in bytes, and sizes in megabytes; added to the message.
struct SizeFormula {
    std::vector<std::vector<std::string>> factors;  // names of each size: {"batch_size", "micro_batch_size"}
    std::int64_t bytes = 1;                         // of one element
    std::map<std::string, std::int64_t> bytes_where_said;
    std::vector<std::string> if_mentioned;  // the product is for a project that has one of these texts
    std::vector<std::string> megabytes;     // names of sizes that are for every project
    std::string text;                       // with {sizes} and {value}
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
    std::optional<Effort> own_effort;    // of the rule; rows have their own
    Effort effort = Effort::none;        // what is left to a person
    std::vector<ImportRequest> imports;  // what the fix needs bound
    VersionRange versions;               // of the framework, in which the fix is right; empty: all
    VersionRange holds_in;               // of the framework, in which the rule says anything; empty: all
    bool holds = true;                   // in the version that the rules are restricted to
    bool at_run_time = false;    // in the chosen style this needs no edit: it is redirected when the program runs
    bool cuda_only = false;      // what it finds is for CUDA alone: a question for CUDA that guards it stays
    bool stops_nothing = false;  // what it finds is without effect on the NPU, and a program runs on
    bool old_stack = false;      // what it finds belongs to an NPU stack that is out of use
    RulePlace in = RulePlace::anywhere;
    Once once = Once::no;                       // in a project, at the first place
    std::vector<std::string> unless_mentioned;  // nothing is said in a project that has one of these texts
    std::vector<std::string> if_mentioned;      // said only in a project that has one of these texts; empty: in all
    std::vector<std::string> unless_said;       // nothing is said in a project in which these rules say something
    std::vector<std::string> megatron;          // the only routes to Megatron that it is for; empty: all
    std::optional<SizeFormula> formula;
    std::map<std::string, std::string> advises;  // what advice moves, and which way

    base::Status check(const base::JsonPlace& at) const;
};

constexpr auto record_of(const ImportRequest*) {
    return base::record("import", "a module that a fix needs bound",
                        base::field("module", &ImportRequest::module, "its name").needed(),
                        base::field("after", &ImportRequest::after, "its import follows that of this module").needed());
}

constexpr auto record_of(const SizeFormula*) {
    return base::record(
        "formula", "a size in megabytes, where the files write down exactly one number for each of its factors",
        base::field("factors", &SizeFormula::factors, "for each factor the names under which projects keep it")
            .needed(),
        base::field("bytes", &SizeFormula::bytes, "of one element").needed(),
        base::field("bytes_where_said", &SizeFormula::bytes_where_said,
                    "the same in a project in which this rule says something"),
        base::field("if_mentioned", &SizeFormula::if_mentioned,
                    "the product is for a project that has one of these texts; without it for all"),
        base::field("megabytes", &SizeFormula::megabytes,
                    "names under which projects keep a size in megabytes; the message has the largest number"),
        base::field("text", &SizeFormula::text, "what the message says of it, with {sizes} and {value}").needed());
}

constexpr auto record_of(const Rule*) {
    return base::record(
        "rule_head", "what rules and tables have in common",
        base::field("id", &Rule::id, "once in all files; reports and cases use it").needed().not_blank(),
        base::field("kind", &Rule::kind, "what it is about").needed(),
        base::field("severity", &Rule::severity,
                    "`info`: worth knowing; `warning`: likely to need attention; `error`: will not work on the NPU "
                    "unchanged")
            .needed(),
        base::field("certainty", &Rule::certainty, "what a finding needs at least for its fix to be applied"),
        base::field("message", &Rule::message,
                    "what it means on the NPU and what to do; `{name}`, `{to}` and `{note}` are filled in")
            .needed()
            .not_blank(),
        base::field("source", &Rule::source, "where the fact comes from").needed().not_blank(),
        base::field("effort", &Rule::own_effort,
                    "what is left to a person where nothing is fixed; without it `none` for `info`, else `check`"),
        base::field("imports", &Rule::imports,
                    "modules that the fix needs; merged to one import in a file, after the import of `after`"),
        base::field("versions", &Rule::versions, "of the framework, in which the fix is right: `>=2.7,!=2.8`"),
        base::field("holds_in", &Rule::holds_in, "of the framework, in which it is said at all: `<2.7`"),
        base::field("at_run_time", &Rule::at_run_time,
                    "transfer_to_npu does this while the program runs, so the style `auto` needs no edit"),
        base::field("cuda_only", &Rule::cuda_only,
                    "what it finds is for CUDA alone: a question for CUDA that guards it stays, and nothing that the "
                    "question guards is edited"),
        base::field("stops_nothing", &Rule::stops_nothing,
                    "what it finds is without effect on the NPU, and a program runs on"),
        base::field("old_stack", &Rule::old_stack, "what it finds belongs to an NPU stack that is out of use"),
        base::field("in", &Rule::in,
                    "`training_loop`: only in code that runs in each round of a loop that trains: in its body, in "
                    "functions of the project that it calls and in `forward` of modules, and not below an `if` with "
                    "`%`; `training_program`: only in files with such a loop, and in those that programs with one "
                    "import; no fix is possible in either"),
        base::field("once", &Rule::once,
                    "`project`: said at the first place only; where it is not advice, at the first place of each "
                    "package, variable or interface, with the other places"),
        base::field("unless_mentioned", &Rule::unless_mentioned,
                    "not said in a project with one of these texts in a file that was looked at"),
        base::field("if_mentioned", &Rule::if_mentioned, "said only in a project with one of these texts"),
        base::field("unless_said", &Rule::unless_said,
                    "not said in a project in which one of these rules has found something"),
        base::field("megatron", &Rule::megatron, "the only routes to Megatron (`--megatron`) that it is for")
            .one_of(kMegatronRoads),
        base::field("formula", &Rule::formula, "a size in megabytes, added to the message"),
        base::field(
            "advises", &Rule::advises,
            "of advice: what it moves, an argument, a variable or a way to work, and which way: `more`, `less`, "
            "`on`, `off`, or a value; two rules that can speak in one project move nothing in two ways"));
}

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::RulePlace> = std::to_array({migrator::RulePlace::training_loop,
                                                                       migrator::RulePlace::training_program});
template <>
inline constexpr auto base::kAll<migrator::Once> = std::to_array({migrator::Once::project});

template <>
struct base::InJson<migrator::VersionRange> {
    static Result<migrator::VersionRange> read(const JsonPlace& at);
    static void describe(SchemaWriter& out) { out.type("string"); }
};
