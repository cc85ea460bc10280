// Target: a framework that reads Megatron checkpoints, as rules/targets/ describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/dialect.h"

namespace ckpt {

// How the rows of a vocabulary are filled up.
enum class VocabFill { zero, last_row, mean };

base::Result<VocabFill> vocab_fill(std::string_view name, base::ErrorKind kind, const std::string& where);

// The size that the vocabulary is padded to: a multiple of divisor, or of divisor * TP.
struct VocabPadding {
    std::string name;
    std::uint64_t divisor = 1;
    bool times_tp = false;
    VocabFill fill = VocabFill::zero;

    // The padded size; nullopt on overflow.
    std::optional<std::uint64_t> padded(std::uint64_t vocab, int tp) const;
};

struct Target {
    std::string name;
    std::string title;
    CoreVersion core;          // the one that the target pins, or its newest
    std::string layers;        // of its usual runs: "local" or "te"
    std::string iteration;     // what its users expect in the tracker file: a number, or "release"
    bool extra_state = false;  // Transformer Engine layers must find their "_extra_state" keys
    std::vector<std::string> source;
};

class TargetRegistry {
public:
    // All of rules/targets/, strictly.
    static base::Result<TargetRegistry> load(const base::DataStore& store);

    const std::vector<Target>& targets() const { return targets_; }
    const std::vector<VocabPadding>& paddings() const { return paddings_; }
    // By name; fail with usage, and name what there is.
    base::Result<const Target*> target(std::string_view name) const;
    base::Result<const VocabPadding*> padding(std::string_view name) const;

private:
    std::vector<Target> targets_;
    std::vector<VocabPadding> paddings_;
};

}  // namespace ckpt
