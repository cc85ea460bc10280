// The rows of rules/operators: chips, operators of torch and torch_npu, public names of torch, kernels.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/rule_file.h"
#include "migrator/operators/operator_verdict.h"
#include "migrator/rule/rule.h"

namespace migrator {

struct ChipRow {
    std::string name;     // "910b"
    std::string product;  // "Atlas A2"
    std::vector<std::string> also;
    std::string weak;      // why its verdicts are not sure; empty: they are
    std::string compiles;  // a sentence, where its usual kernels are compiled for each shape
};
constexpr auto record_of(const ChipRow*) {
    return base::record("chip", "a chip, and how people call it",
                        base::field("name", &ChipRow::name, "as verdicts name it").needed(),
                        base::field("product", &ChipRow::product, "of the product").needed(),
                        base::field("also", &ChipRow::also, "other names, in small letters"),
                        base::field("weak", &ChipRow::weak, "a sentence, where what is known of it is not sure"),
                        base::field("compiles", &ChipRow::compiles,
                                    "a sentence, where most of its kernels are compiled again for each new shape"));
}

// What a log of torch_npu says where an operator does not run on the NPU.
struct LogPhrases {
    std::vector<std::string> fallback, error;
};
constexpr auto record_of(const LogPhrases*) {
    return base::record("log_phrases", "what is in a line of a log",
                        base::field("fallback", &LogPhrases::fallback, "where an operator ran on the CPU").needed(),
                        base::field("error", &LogPhrases::error, "where an operator was refused").needed());
}

struct ChipsFile : base::RuleFileHead {
    std::string default_chip;
    std::vector<ChipRow> chips;
    std::map<std::string, std::string> verdicts;      // by name, what each means
    std::map<std::string, std::string> namespaces;    // of operators that run as they are: what they are
    std::map<std::string, std::string> device_forms;  // operators of CPUs or GPUs alone: what an NPU calls instead
    std::map<std::string, std::string> trace_dtypes;  // of the profiler: those of torch
    std::map<std::string, std::string> graph_dtypes;  // numbers of exported graphs: those of torch
    LogPhrases log;
};
constexpr auto record_of(const ChipsFile*) {
    using C = ChipsFile;
    return base::extended(
        base::record_for<base::RuleFileHead>(), "chips_file", "chips and verdicts",
        base::field("default", &C::default_chip, "the chip that is meant when none is named").needed(),
        base::field("chips", &C::chips, "all of them").needed(),
        base::field("verdicts", &C::verdicts, "what each verdict means").needed(),
        base::field("namespaces", &C::namespaces, "namespaces that no chip has to do with"),
        base::field("device_forms", &C::device_forms, "what an NPU calls where a CPU or a GPU calls this"),
        base::field("trace_dtypes", &C::trace_dtypes, "how a trace calls dtypes"),
        base::field("graph_dtypes", &C::graph_dtypes, "how an exported graph calls dtypes"),
        base::field("log", &C::log, "lines of a log").needed());
}

struct OperatorOn {
    std::vector<std::string> chips;
    OperatorVerdict verdict = OperatorVerdict::unknown;
    std::string by;  // the operator that decides; empty: this one, or none
    std::string why;
};
constexpr auto record_of(const OperatorOn*) {
    return base::record("operator_on", "what becomes of an operator",
                        base::field("chips", &OperatorOn::chips, "on these chips").needed(),
                        base::field("verdict", &OperatorOn::verdict, "what becomes of it").needed(),
                        base::field("by", &OperatorOn::by, "the operator in it that decides, where it is another"),
                        base::field("why", &OperatorOn::why, "the reason, where it does not run there"));
}

struct AllowedDtypes {
    std::vector<std::string> chips, allowed;
};
constexpr auto record_of(const AllowedDtypes*) {
    return base::record("allowed_dtypes", "dtypes of a kernel",
                        base::field("chips", &AllowedDtypes::chips, "on these chips").needed(),
                        base::field("allowed", &AllowedDtypes::allowed, "as torch calls them").needed());
}

struct OverloadRow {
    std::string name;      // "add.Tensor"
    std::string versions;  // of torch in which there is a kernel; empty: all that are known
    std::vector<OperatorOn> on;
    std::vector<std::string> aclnn;     // the kernels that its code names
    std::vector<std::string> runs;      // the operators that it is composed of
    std::vector<AllowedDtypes> dtypes;  // where one generated kernel stands behind it, and its page lists them
    std::string on_the_host;            // "some", "always": its kernel computes on the CPU
};
constexpr auto record_of(const OverloadRow*) {
    using O = OverloadRow;
    return base::record("overload", "an overload of an operator",
                        base::field("name", &O::name, "with its overload").needed(),
                        base::field("versions", &O::versions, "of torch that have its kernel; without it all"),
                        base::field("on", &O::on, "what becomes of it, by chip").needed(),
                        base::field("aclnn", &O::aclnn, "kernels that its code names"),
                        base::field("runs", &O::runs, "operators that it is composed of"),
                        base::field("dtypes", &O::dtypes, "what its kernel takes, where that is sure"),
                        base::field("on_the_host", &O::on_the_host, "whether its kernel computes on the CPU"));
}

struct OperatorsFile : base::RuleFileHead {
    std::string torch, torch_npu;
    std::vector<OverloadRow> operators;
};
constexpr auto record_of(const OperatorsFile*) {
    using O = OperatorsFile;
    return base::extended(base::record_for<base::RuleFileHead>(), "operators_file", "operators",
                          base::field("torch", &O::torch, "the version that was measured").needed(),
                          base::field("torch_npu", &O::torch_npu, "the state of torch_npu").needed(),
                          base::field("operators", &O::operators, "all of them").needed());
}

struct NameOn {
    std::vector<std::string> chips;
    bool denied = false;  // a page leaves the chips out, and the kernels are written for them
    OperatorVerdict forward = OperatorVerdict::unknown;
    std::string by;
    std::optional<OperatorVerdict> backward;
    std::string backward_by;
    std::optional<OperatorVerdict> some, backward_some;
    std::string some_by, backward_some_by;
    std::string why;

    // The worse of both directions.
    OperatorVerdict worst() const { return std::max(forward, backward.value_or(forward)); }
};
constexpr auto record_of(const NameOn*) {
    using N = NameOn;
    return base::record("name_on", "what becomes of a public name",
                        base::field("chips", &N::chips, "on these chips").needed(),
                        base::field("denied", &N::denied,
                                    "a page of a kernel leaves the chips out, and the kernels are written for them"),
                        base::field("forward", &N::forward, "in most calls").needed(),
                        base::field("by", &N::by, "the operator that decides forward"),
                        base::field("backward", &N::backward, "of its gradient"),
                        base::field("backward_by", &N::backward_by, "the operator that decides backward"),
                        base::field("some", &N::some, "forward, with some arguments"),
                        base::field("some_by", &N::some_by, "the operator that decides then"),
                        base::field("backward_some", &N::backward_some, "backward, with some arguments"),
                        base::field("backward_some_by", &N::backward_some_by, "the operator that decides then"),
                        base::field("why", &N::why, "the reason"));
}

struct PublicNameRow {
    std::string name;
    std::string also;
    std::vector<std::string> forward, forward_some, backward;  // operators
    VersionRange versions;                                     // of torch in which these have kernels; empty: all
    std::vector<NameOn> on;
};
constexpr auto record_of(const PublicNameRow*) {
    using N = PublicNameRow;
    return base::record(
        "public_name", "a public name of torch", base::field("name", &N::name, "in full").needed(),
        base::field("also", &N::also, "another name of it"),
        base::field("forward", &N::forward, "operators that it ran in every sample"),
        base::field("forward_some", &N::forward_some, "operators that it ran in some samples"),
        base::field("backward", &N::backward, "operators of its gradient"),
        base::field("versions", &N::versions, "of torch, in which its operators have kernels; without it all"),
        base::field("on", &N::on, "what becomes of it, by chip").needed());
}

struct NamesFile : base::RuleFileHead {
    std::vector<PublicNameRow> names;
};
constexpr auto record_of(const NamesFile*) {
    return base::extended(base::record_for<base::RuleFileHead>(), "names_file", "public names",
                          base::field("names", &NamesFile::names, "all of them").needed());
}

struct AclnnRow {
    std::string name;
    std::string page;
    bool experimental = false;
    std::uint64_t max_dims = 0;  // 0: not said
    std::vector<std::string> constraints;
};
constexpr auto record_of(const AclnnRow*) {
    using K = AclnnRow;
    return base::record("kernel", "an aclnn operator", base::field("name", &K::name, "of the aclnn interface").needed(),
                        base::field("page", &K::page, "where it is described").needed(),
                        base::field("experimental", &K::experimental, "whether it is outside the product packages"),
                        base::field("max_dims", &K::max_dims, "the most dimensions of an input"),
                        base::field("constraints", &K::constraints, "what the page says of arguments"));
}

struct KernelsFile : base::RuleFileHead {
    std::vector<AclnnRow> kernels;
};
constexpr auto record_of(const KernelsFile*) {
    return base::extended(base::record_for<base::RuleFileHead>(), "kernels_file", "kernels",
                          base::field("kernels", &KernelsFile::kernels, "all of them").needed());
}

// What to write where an operator does not run on the NPU.
struct InsteadRow {
    std::vector<std::string> of;  // operators without their overloads
    std::string text;
};
constexpr auto record_of(const InsteadRow*) {
    return base::record("instead", "what to write in place of an operator",
                        base::field("of", &InsteadRow::of, "operators, without their overloads").needed(),
                        base::field("text", &InsteadRow::text, "a sentence").needed().not_blank());
}

struct InsteadFile : base::RuleFileHead {
    std::vector<InsteadRow> instead;
};
constexpr auto record_of(const InsteadFile*) {
    return base::extended(base::record_for<base::RuleFileHead>(), "instead_file", "what to write in place of operators",
                          base::field("instead", &InsteadFile::instead, "all of them").needed());
}

struct SchemaRow {
    std::string name;
    std::vector<std::string> takes;  // of each overload: "(Tensor self, float p=0.5, *, int[2]? size=None) -> Tensor"
};
constexpr auto record_of(const SchemaRow*) {
    return base::record("operator_schema", "what an operator takes",
                        base::field("name", &SchemaRow::name, "of the operator").needed(),
                        base::field("takes", &SchemaRow::takes, "of each overload its arguments and result").needed());
}

struct SchemasFile : base::RuleFileHead {
    std::vector<SchemaRow> schemas;
};
constexpr auto record_of(const SchemasFile*) {
    return base::extended(base::record_for<base::RuleFileHead>(), "schemas_file", "schemas of operators",
                          base::field("schemas", &SchemasFile::schemas, "all of them").needed());
}

}  // namespace migrator
