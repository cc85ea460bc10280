// Target: a framework that reads Megatron checkpoints, as rules/targets/ describes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// How the rows of a vocabulary are filled up.
enum class VocabFill { zero, last_row, mean };

Result<VocabFill> vocab_fill(std::string_view name, ErrorKind kind, const std::string& where);

// When a rule is taken that nobody asked for: without a divisor of the vocabulary's size, or with one.
inline constexpr std::string_view kByDefault = "default", kWithDivisor = "divisor";
inline constexpr auto kPaddingChoices = std::to_array<std::string_view>({kByDefault, kWithDivisor});

// The size that the vocabulary is padded to: a multiple of divisor, or of divisor * TP.
struct VocabPadding {
    std::string name;
    std::uint64_t divisor = 1;
    bool times_tp = false;
    VocabFill fill = VocabFill::zero;
    std::string about{};
    std::string taken{};  // one of kPaddingChoices, or empty

    // The padded size; nullopt on overflow.
    std::optional<std::uint64_t> padded(std::uint64_t vocab, int tp) const;

    Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const VocabPadding*) {
    using base::field;
    return base::record("padding", "how a framework pads a vocabulary",
                        field("name", &VocabPadding::name, "what --vocab-padding calls it").needed(),
                        field("divisor", &VocabPadding::divisor, "the size is a multiple of this").needed(),
                        field("times_tp", &VocabPadding::times_tp, "and of this times TP"),
                        field("fill", &VocabPadding::fill, "what the rows hold").needed(),
                        field("about", &VocabPadding::about, "who does so").needed(),
                        field("taken", &VocabPadding::taken,
                              "when it is taken without --vocab-padding: by `default`, or with a `divisor` given")
                            .one_of(kPaddingChoices));
}

struct Target : RuleFile<"conversion-target/1"> {
    std::string name;
    std::string title;
    CoreVersion core;          // the one that the target pins, or its newest
    std::string layers;        // of its usual runs: "local" or "te"
    std::string iteration;     // what its users expect in the tracker file: a number, or "release"
    bool is_default = false;   // without --target
    bool extra_state = false;  // Transformer Engine layers must find their "_extra_state" keys

    Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const Target* target) {
    using base::field;
    return base::extended(
        record_of(static_cast<const RuleFile<"conversion-target/1">*>(target)), "target",
        "a framework that reads Megatron checkpoints", field("name", &Target::name, "what --target calls it").needed(),
        field("title", &Target::title, "what people call it").needed(),
        field("core", &Target::core, "the version of megatron-core that it pins, or its newest").needed(),
        field("layers", &Target::layers, "of its usual runs: `local` or `te`").needed(),
        field("iteration", &Target::iteration, "what its users expect in the tracker file").needed(),
        field("default", &Target::is_default, "taken without --target; one is"),
        field("extra_state", &Target::extra_state, "its layers must find their `_extra_state` keys"));
}

class TargetRegistry {
public:
    // All of rules/targets/, strictly.
    static Result<TargetRegistry> load(const base::DataStore& store);

    const std::vector<Target>& targets() const { return targets_; }
    const std::vector<VocabPadding>& paddings() const { return paddings_; }
    // By name; without one what stands for none. Fail with usage, and name what there is.
    Result<const Target*> target(std::string_view name) const;
    Result<const VocabPadding*> padding(std::string_view name, bool has_divisor) const;
    const Target& default_target() const;

private:
    std::vector<Target> targets_;
    std::vector<VocabPadding> paddings_;
};

}  // namespace ckpt

namespace base {

template <>
struct InJson<ckpt::VocabFill> {
    static Result<ckpt::VocabFill> read(const JsonPlace& at);
};
template <>
struct InJson<ckpt::CoreVersion> {
    static Result<ckpt::CoreVersion> read(const JsonPlace& at);
};

}  // namespace base
