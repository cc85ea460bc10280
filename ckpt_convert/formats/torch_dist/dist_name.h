// DistName: the name of an entry of a checkpoint, and the keys that lead to it in the nested dict that PyTorch makes of all names
// again. A few pointers, as there are millions of names of few parts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ckpt_convert/tensor/shared.h"

namespace ckpt {

// Numbers are places in lists.
using DistKey = std::variant<std::string, std::uint64_t>;
using DistKeys = std::vector<DistKey>;

struct DistName {
    DistName() = default;
    DistName(Shared<std::string> name) : name(std::move(name)) {}  // NOLINT: a name is one
    DistName(const char* name) : name(name) {}                     // NOLINT: a name is one
    DistName(std::string name) : name(std::move(name)) {}          // NOLINT: a name is one
    DistName(Shared<DistKeys> before, Shared<std::string> name, Shared<DistKeys> after = {})
        : before(std::move(before)), name(std::move(name)), after(std::move(after)) {}

    Shared<DistKeys> before;
    Shared<std::string> name;  // a key too
    Shared<DistKeys> after;
    bool flat = false;  // the keys behind the first are one, joined by dots: how PyTorch saves an optimizer by name

    std::string joined() const;  // "optimizer.state.lm_head.weight.exp_avg"
    DistKeys keys() const;
};

}  // namespace ckpt
