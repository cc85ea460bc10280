// OperatorRow: an operator that the project brings as C++ or CUDA: what it is, how Python reaches it, what stands for it.
#pragma once

#include <string>
#include <vector>

#include "base/record.h"
#include "migrator/report/or_null.h"
#include "migrator/rule/finding_kind.h"

namespace migrator {

// Something with a name, and where it is: "csrc/nms.cu:12".
struct NamedPlace {
    std::string name;
    std::string place;
};

struct OperatorRow {
    std::string name;                   // as Python calls it: "torch.ops.ns.scale"; of a compiled module "scale"
    std::vector<std::string> modules;   // compiled modules that have it, as far as the build tells
    std::string signature;              // "scale(const at::Tensor & x, double by) -> at::Tensor"; empty: not known
    std::vector<NamedPlace> bindings;   // lines that offer or implement it, those of its gradient behind
    std::vector<NamedPlace> functions;  // of C++ that these name
    std::vector<NamedPlace> kernels;    // that the functions launch, also through others
    std::vector<std::string> calls;     // "ops/nms.py:20", those of its gradient included
    std::vector<std::string> wrappers;  // classes that make it differentiable
    std::string gradient;               // the operator that computes its gradient; empty: not known
    std::string what;                   // it computes; empty: not known
    std::string replacement;            // what stands for it; empty: nothing is known
    std::string difference;             // between the two
    Effort effort = Effort::none;
    std::string finding_id;
};

constexpr auto record_of(const NamedPlace*) {
    return base::record("named_place", "a thing of a source, and where it is",
                        base::field("name", &NamedPlace::name, "its name").always(),
                        base::field("place", &NamedPlace::place, "`path:line`").always());
}

constexpr auto record_of(const OperatorRow*) {
    using O = OperatorRow;
    return base::record(
        "operator", "an operator that C++ or CUDA sources of the project offer to Python, with its gradient",
        base::field("name", &O::name, "as Python calls it: `torch.ops.ns.scale`, or the function of a compiled module")
            .always(),
        base::field("modules", &O::modules, "compiled modules that have it, as far as the build tells").always(),
        base::field(
            "signature", [](const O& row) { return or_null(row.signature); }, "what it takes and gives, or null")
            .always(),
        base::field("bindings", &O::bindings, "lines that offer or implement it or its gradient").always(),
        base::field("functions", &O::functions, "functions of C++ that these name").always(),
        base::field("kernels", &O::kernels, "kernels that run for it").always(),
        base::field("calls", &O::calls, "calls in Python: `path:line`").always(),
        base::field("wrappers", &O::wrappers, "classes in Python that make it differentiable").always(),
        base::field(
            "gradient", [](const O& row) { return or_null(row.gradient); },
            "the operator that is its gradient, or null")
            .always(),
        base::field(
            "what", [](const O& row) { return or_null(row.what); }, "what it computes; null where that is not known")
            .always(),
        base::field(
            "replacement", [](const O& row) { return or_null(row.replacement); },
            "what stands for it on the NPU, or null")
            .always(),
        base::field(
            "difference", [](const O& row) { return or_null(row.difference); }, "what is different there, or null")
            .always(),
        base::field("effort", &O::effort, "as of its finding").always(),
        base::field("finding_id", &O::finding_id, "of its one finding").always());
}

}  // namespace migrator
