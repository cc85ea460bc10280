// DistributedNames: where checkpoints that many ranks wrote together lie, and what is called how in them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// What is saved beside weights and optimizer.
struct SavedBeside {
    std::vector<std::string> entries;
    std::vector<std::string> files;
    std::string what;
    std::string carried;
};
inline constexpr auto kCarriedTo = std::to_array<std::string_view>({"dcp", "megatron"});
constexpr auto record_of(const SavedBeside*) {
    using base::field;
    return base::record("saved_beside", "what is saved besides weights and optimizer",
                        field("entries", &SavedBeside::entries, "patterns of names of entries, any of them"),
                        field("files", &SavedBeside::files,
                              "files near it, as paths from its directory, which may be patterns; any of them"),
                        field("what", &SavedBeside::what, "what that is, for people").needed(),
                        field("carried", &SavedBeside::carried,
                              "it goes along with the optimizer: to the same place of a DCP, or as the schedule of "
                              "Megatron, whose keys are the second of its name")
                            .one_of(kCarriedTo));
}

// Who saved a checkpoint, told by what is in it.
struct SavedBy {
    std::string title;
    std::vector<std::string> entries;
    std::vector<std::string> files;
    std::string refuse;
    std::string names;
    std::vector<std::string> source;
};
constexpr auto record_of(const SavedBy*) {
    using base::field;
    return base::record("saved_by", "who saved a checkpoint, told by what is in it",
                        field("title", &SavedBy::title, "the framework").needed(),
                        field("entries", &SavedBy::entries, "patterns of names of entries, each of which must occur"),
                        field("files", &SavedBy::files,
                              "files near it, as paths from its directory, which may be patterns; one is enough"),
                        field("refuse", &SavedBy::refuse, "why its tensors are not read, and what to do"),
                        field("names", &SavedBy::names,
                              "whose names its tensors have: a word of `rules/names/`; without it Hugging Face's"),
                        field("source", &SavedBy::source, "where that stands"));
}

// What an entry of a checkpoint is, by the keys that lead to it.
struct EntryName {
    enum class Kind { weight, optimizer, other } kind = Kind::other;
    std::string name;  // of a weight: in the model; of the optimizer: behind its container
};

// rules/formats/distributed.json
struct DistributedNames : RuleFile<"distributed-names/1"> {
    std::vector<std::string> places;
    std::vector<std::string> trackers;
    std::vector<std::string> configs;
    std::vector<std::string> weights;
    std::vector<std::string> optimizer;
    std::vector<std::string> optimizers;
    std::vector<std::string> inner_optimizers;
    std::vector<std::string> copies;
    std::vector<std::string> no_weights;
    std::vector<std::string> roots;
    std::vector<std::string> wrappers;
    std::vector<std::string> outer_wrappers;
    List<SavedBeside> beside;
    List<SavedBy> saved_by;

    static Result<DistributedNames> load(const base::DataStore& store);

    // `path`: the keys that lead to the entry; empty: not told, and `fqn` is split where `container` ends.
    EntryName entry(const std::string& fqn, const std::vector<std::string>& path, std::string_view container) const;
    // The container of the weights where nothing tells it: one that all names have which are not of the optimizer, and
    // that is not a part of the model's own names; "" when there is none.
    std::string guess_container(const std::vector<std::string>& names) const;
    // The name of a weight without what wraps modules.
    std::string unwrapped(std::string name) const;
    // What layers save beside weights under the same keys.
    bool is_no_weight(std::string_view name) const;
    // What an entry is that is neither a weight nor of the optimizer; its own name when it is not known.
    std::string what_is_beside(const std::string& name) const;
    // nullptr when it is not known.
    const SavedBeside* saved_beside(const std::string& name) const;
};
constexpr auto record_of(const DistributedNames* file) {
    using base::field;
    using Names = DistributedNames;
    return base::extended(
        record_of(static_cast<const RuleFile<"distributed-names/1">*>(file)), "distributed_names", "",
        field("places", &Names::places, "directories below the one that is named, `*` for numbers: the highest")
            .needed(),
        field("trackers", &Names::trackers, "files whose text is the number, or the directory, to take").needed(),
        field("configs", &Names::configs, "where config.json may be, from the checkpoint's directory").needed(),
        field("weights", &Names::weights, "the keys that the weights are saved under").needed(),
        field("optimizer", &Names::optimizer, "the keys that the state of the optimizer is saved under").needed(),
        field("optimizers", &Names::optimizers,
              "where the state of the optimizer may be, from the directory of the weights; `*` is the number that the "
              "directory ends with"),
        field("inner_optimizers", &Names::inner_optimizers,
              "the keys below those of `optimizer` that an optimizer is under which another wraps"),
        field("copies", &Names::copies,
              "the keys below those of `optimizer` that the weights in full precision are under, by the numbers of "
              "groups of parameters, and of those in them that have fewer bits"),
        field("no_weights", &Names::no_weights, "patterns of names of what layers save among the weights, and is none"),
        field("roots", &Names::roots,
              "how the names of weights begin in models: a key before these is not a part of them")
            .needed(),
        field("wrappers", &Names::wrappers, "what wrappers of modules put into names, anywhere").needed(),
        field("outer_wrappers", &Names::outer_wrappers, "what wrappers put at the beginning of names").needed(),
        field("beside", &Names::beside, "what is saved besides weights and optimizer").needed(),
        field("saved_by", &Names::saved_by, "who saved a checkpoint; the first that fits").needed());
}

}  // namespace ckpt
