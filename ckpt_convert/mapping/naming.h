// Naming: the names of a program that has neither those of transformers nor files of Megatron for the weights of models.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/dialect.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

// A tensor under the names of the program.
struct NamedTensor : StoredEntry {
    std::vector<std::string> families;
};
constexpr auto record_of(const NamedTensor*) {
    using base::field;
    return base::extended(
        record_of(static_cast<const StoredEntry*>(nullptr)), "named_tensor", "a tensor of a whole model",
        field("families", &NamedTensor::families, "the families that have it so; without it all"),
        field("pairs", &NamedTensor::pairs,
              "of so many rows after each other, those of the first half and of the second stand in turn: a head whose "
              "rotary pairs lie together, where the weight has first all of one and then all of the other"),
        field("shard", &NamedTensor::shard,
              "with `by_rank`: the axis that is split over the ranks, as in a model's file"),
        field("repeat", &NamedTensor::repeat, "with `interleave`: the weights that several ranks have a copy of"));
}

// A number that the program keeps beside the weights of each layer, in float32 and without an axis.
struct NamedNumber {
    std::string name;
    double value = 0;
    std::vector<std::string> families;

    std::string name_with(std::string_view layer) const;  // in the place of its number
};
constexpr auto record_of(const NamedNumber*) {
    using base::field;
    return base::record("named_number", "a number that is a tensor without an axis, in float32",
                        field("name", &NamedNumber::name, "with `{layer}`").needed(),
                        field("value", &NamedNumber::value, "what it is").needed(),
                        field("families", &NamedNumber::families, "the families that have it; without it all"));
}

inline constexpr auto kCoreLayers = std::to_array<std::string_view>({"local", "te"});

// Which of Megatron's names the tensors have.
struct CoreNames {
    std::string layers;
    bool grouped = false;
    std::string core;
    CoreVersion version{0, 12};

    Status check(const base::JsonPlace& at);
    Dialect dialect(const std::string& target) const;
};
constexpr auto record_of(const CoreNames*) {
    using base::field;
    return base::record("core_names", "which of Megatron's names the tensors have",
                        field("layers", &CoreNames::layers, "whose layers").needed().one_of(kCoreLayers),
                        field("grouped", &CoreNames::grouped, "the experts of a layer are one module"),
                        field("core", &CoreNames::core, "as since this version of megatron-core"));
}

// Tensors that the program has apart, and Megatron as one.
struct SplitTensors {
    std::vector<std::string> names;
    std::vector<std::string> endings;
};
constexpr auto record_of(const SplitTensors*) {
    using base::field;
    return base::record("split_tensors", "tensors that are apart here, and one in Megatron's own files",
                        field("names", &SplitTensors::names, "patterns of their names in Megatron").needed(),
                        field("endings", &SplitTensors::endings,
                              "what the name of each part has at its end; a tensor of so many weights is meant")
                            .needed());
}

// Tensors that such a checkpoint has in a form of its own.
struct OtherForm {
    std::vector<std::string> names;
    std::string because;
};
constexpr auto record_of(const OtherForm*) {
    using base::field;
    return base::record("other_form", "tensors in a form that is not read",
                        field("names", &OtherForm::names, "patterns of their names in Megatron").needed(),
                        field("because", &OtherForm::because, "what is known of them").needed());
}

// The tensors of a family under a naming; what is in no file of rules is owned here.
struct NamedRules {
    std::vector<const StoredRule*> rules;
    std::vector<std::unique_ptr<const StoredRule>> made;
};

// A file of rules/names/.
struct Naming : RuleFile<"weight-names/1"> {
    std::string name;
    std::string title;
    std::string instead;
    std::string loaded_by;
    std::vector<std::string> families;
    std::string weights_key;
    std::string prefix;
    std::string state_prefix;
    bool by_name = false;
    bool dcp = false;
    bool by_rank = false;
    List<Requirement> requirements;
    List<NamedNumber> numbers;
    std::string target;
    std::vector<std::string> ignore;
    List<NamedTensor> tensors;
    List<CoreNames> core;
    List<SplitTensors> split;
    List<OtherForm> other_forms;

    bool has_core() const { return !core.empty(); }
    // Fails with unsupported where the program does not have such models.
    Result<NamedRules> rules_for(const ModelMapping& mapping, const Dialect& dialect) const;
    tl::unexpected<base::Error> lacks(const ModelMapping& mapping, std::string_view weight) const;
    bool ignores(std::string_view tensor) const;
};
constexpr auto record_of(const Naming* file) {
    using base::field;
    return base::extended(
        record_of(static_cast<const RuleFile<"weight-names/1">*>(file)), "naming", "",
        field("name", &Naming::name, "the word for --names").needed(),
        field("title", &Naming::title, "whose names they are").needed(),
        field("instead", &Naming::instead, "what to do with a model that has no such names here").needed(),
        field("loaded_by", &Naming::loaded_by, "what to do with a checkpoint that was written with them").needed(),
        field("families", &Naming::families, "the families that the program has; without it all"),
        field("weights_key", &Naming::weights_key, "the key that the weights are saved under").needed(),
        field("prefix", &Naming::prefix, "what stands before each name under that key"),
        field("state_prefix", &Naming::state_prefix, "what stands before the names in the state of the optimizer"),
        field("by_name", &Naming::by_name, "the optimizer is saved by the names of weights, not by groups"),
        field("ignore", &Naming::ignore, "patterns of tensors that carry no weights"),
        field("tensors", &Naming::tensors,
              "the tensors of all its models; those of weights that a model lacks are not there"),
        field("dcp", &Naming::dcp, "its program loads files of torch.distributed.checkpoint under these names"),
        field("by_rank", &Naming::by_rank, "its program loads files of safetensors, of each TP rank its share"),
        field("requirements", &Naming::requirements, "with `by_rank`: what the number of ranks, `tp`, must be"),
        field("numbers", &Naming::numbers, "with `by_rank`: what its program wants in each layer besides weights"),
        field("target", &Naming::target, "with `core`: the target that reads them"),
        field("core", &Naming::core,
              "or: the tensors are Megatron's, with these names; the first that fits is read, the first is written"),
        field("split", &Naming::split, "with `core`: tensors that are apart here"),
        field("other_forms", &Naming::other_forms, "with `core`: tensors that are not read"));
}

class Namings {
public:
    // All files of rules/names/. Fails with rule_data.
    static Result<Namings> load(const base::DataStore& store);

    // nullptr when there are no such names.
    const Naming* find(std::string_view name) const;
    // Those that a checkpoint of torch.distributed.checkpoint may be written with.
    std::vector<std::string> names() const;

private:
    std::vector<std::unique_ptr<const Naming>> all_;
};

}  // namespace ckpt
