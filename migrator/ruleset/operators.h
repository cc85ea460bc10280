// `operator`: what operators of libraries compute, and what stands for them; and how Python builds, calls and wraps operators.
#pragma once

#include "migrator/ruleset/parameters.h"

namespace migrator {

// An operator that several projects have under these names.
struct KnownOperatorRow {
    const Rule* rule = nullptr;
    std::vector<std::string> names;       // of the operator, its C++ function or a kernel, with at most one *
    std::vector<std::string> parameters;  // a signature that is known has one of these; empty: whatever it has
    std::string computes;                 // "multi-scale deformable attention"
    std::string to;                       // what stands for it
    std::string note;                     // what differs
    std::string source;
    Effort effort = Effort::none;
    std::string skeleton;  // the file below custom_ops/skeletons with it in operators of PyTorch; empty: there is none
};

constexpr auto record_of(const KnownOperatorRow*) {
    using K = KnownOperatorRow;
    return base::record(
        "operator_row", "an operator that projects bring as C++ or CUDA, and what stands for it",
        base::field("names", &K::names, "of the operator, its C++ function or one of its kernels; at most one `*`")
            .needed(),
        base::field("parameters", &K::parameters, "a signature that is known must have one of these"),
        base::field("computes", &K::computes, "what it computes, in a few words").needed(),
        base::field("to", &K::to, "what to use on the NPU").needed(),
        base::field("note", &K::note, "the `{note}` of the message: what differs"),
        base::field("source", &K::source, "where the fact comes from, if not from the table's source"),
        base::field("effort", &K::effort, "as of a rule"),
        base::field("skeleton", &K::skeleton, "the file below `custom_ops/skeletons` that computes it with PyTorch"));
}

// A function that compiles sources to a module.
struct ExtensionBuilder {
    std::vector<std::string> of;
    std::optional<std::size_t> name, sources, device_sources, functions;  // positions
    std::string name_keyword, sources_keyword, device_sources_keyword, functions_keyword;

    // The sources are texts, not files.
    bool is_inline() const { return !functions_keyword.empty(); }
};
constexpr auto record_of(const ExtensionBuilder*) {
    using E = ExtensionBuilder;
    return base::record(
        "extension_builder", "a function that compiles sources to a module",
        base::field("of", &E::of, "the functions").needed(),
        base::field("name", &E::name, "position of the module's name").up_to(kMostPosition),
        base::field("name_keyword", &E::name_keyword, "its keyword"),
        base::field("sources", &E::sources, "position of the sources").up_to(kMostPosition),
        base::field("sources_keyword", &E::sources_keyword, "their keyword"),
        base::field("device_sources", &E::device_sources, "position of more sources, for the device")
            .up_to(kMostPosition),
        base::field("device_sources_keyword", &E::device_sources_keyword, "their keyword"),
        base::field("functions", &E::functions, "position of the names of functions in sources that are texts")
            .up_to(kMostPosition),
        base::field("functions_keyword", &E::functions_keyword, "their keyword"));
}

// What shows which operators belong to each other.
struct OperatorPlaces {
    std::vector<ExtensionBuilder> builders;
    std::vector<std::string> wrappers;   // classes whose methods are an operator and its gradient
    std::string forward, backward;       // these methods
    std::vector<std::string> gradients;  // "forward -> backward": parts of names
    ByName<std::string> types;           // of C++ to those of schemas
};
constexpr auto record_of(const OperatorPlaces*) {
    using O = OperatorPlaces;
    return base::record(
        "operator_places", "how Python builds, calls and wraps operators of C++",
        base::field("builders", &O::builders, "functions that compile sources to a module"),
        base::field("wrappers", &O::wrappers, "classes of an operator with its gradient"),
        base::field("forward", &O::forward, "their method that computes"),
        base::field("backward", &O::backward, "their method for the gradient"),
        base::field("gradients", &O::gradients, "what names of gradients have in place of the operator's: `_fwd _bwd`"),
        base::field("types", &O::types, "types of C++ to those of a schema"));
}

base::Status add(RuleSet& set, KnownOperatorRow row, const Adding& adding);
base::Status add(RuleSet& set, OperatorPlaces places, const base::JsonPlace& at);

}  // namespace migrator
