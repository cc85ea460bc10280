// `value`: constants of a domain (devices, back ends) followed to where they are used.
#pragma once

#include "migrator/ruleset/parameters.h"
#include "migrator/ruleset/text_literal.h"

namespace migrator {

// device: "cuda", "cuda:1", lists of them; backend: "nccl", "cpu:gloo,cuda:nccl"; word: a token and nothing else
enum class ValueForm { device, backend, word };
std::string_view name(ValueForm form);

struct ValueRow {
    const Rule* rule = nullptr;
    ValueForm form = ValueForm::device;
    std::vector<std::string> tokens;  // what a string must hold to be looked at
    std::vector<ValueParameterRow> taken_by;
    std::vector<std::string> results;        // names and properties that have such a value: "torch.device.type"
    std::vector<std::string> carriers;       // names of variables, keywords, options, settings: exact or with one *
    std::vector<std::string> kept_keys;      // parameters whose mappings are from the names of other machines
    std::vector<std::string> properties;     // members of a carrier that have such a value: "type"
    std::vector<std::string> text_of;        // classes whose str() has such a value: "torch.device"
    std::vector<std::string> packages;       // a carrier's name counts in calls of these; other packages have their own
    std::vector<std::string> others;         // packages that take settings in which a carrier's name is their own
    std::vector<std::string> options;        // functions that declare an option: "argparse.ArgumentParser.add_argument"
    std::vector<std::string> option_values;  // their parameters that hold values of it: "default", "choices"
    TextFix fix{};
    ParametersByFunction parameters{};  // by qualified function or method
    ParametersByFunction methods{};     // by member name, for unknown objects

    bool is_carrier(std::string_view name) const;
    base::Status check(const base::JsonPlace& at) const;
};

constexpr auto record_of(const ValueRow*) {
    return base::record(
        "value", "constants of a domain, followed through the project to the places that take them",
        base::field("form", &ValueRow::form,
                    "`device`: `cuda`, `cuda:1`, lists of them; `backend`: `nccl`, `cpu:gloo,cuda:nccl`; `word`: one "
                    "of the tokens and nothing else, only where it is taken")
            .needed(),
        base::field("tokens", &ValueRow::tokens,
                    "what to look for; the fix's `replace` says what becomes of each (and of other words that go with "
                    "them)")
            .needed(),
        base::field("parameters", &ValueRow::taken_by, "where such values are taken"),
        base::field("results", &ValueRow::results,
                    "names and properties that have such a value: comparisons with them are `resolved`"),
        base::field("text_of", &ValueRow::text_of, "classes whose `str()` is such a value"),
        base::field("carriers", &ValueRow::carriers,
                    "names of keywords, variables, attributes, keys and options that carry such values, with at most "
                    "one `*`: `likely`"),
        base::field("kept_keys", &ValueRow::kept_keys,
                    "parameters that take a mapping from names of other machines, as `map_location` does: its keys "
                    "stay, and get an entry for the new name next to them"),
        base::field("properties", &ValueRow::properties,
                    "members of a carrier that have such a value: `type` of `device`"),
        base::field("packages", &ValueRow::packages,
                    "a carrier's name counts in calls of these packages; in other packages it may mean something "
                    "else"),
        base::field(
            "others", &ValueRow::others,
            "packages that take settings, a mapping, in which a carrier's name means something of their own: what "
            "is given to them stays"),
        base::field("options", &ValueRow::options, "functions that declare options"),
        base::field("option_values", &ValueRow::option_values, "their parameters that hold a value of the option"));
}

base::Status add(RuleSet& set, ValueRow row, TextFix fix, TextFix on_npu, const Adding& adding);

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::ValueForm> = [] {
    using enum migrator::ValueForm;
    return std::to_array({device, backend, word});
}();
