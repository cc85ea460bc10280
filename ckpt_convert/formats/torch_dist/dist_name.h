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
    DistName(Shared<std::string> own) : name(std::move(own)) {}  // NOLINT: a name is one
    DistName(const char* own) : name(own) {}                     // NOLINT: a name is one
    DistName(std::string own) : name(std::move(own)) {}          // NOLINT: a name is one
    DistName(Shared<DistKeys> front, Shared<std::string> own, Shared<DistKeys> back = {})
        : before(std::move(front)), name(std::move(own)), after(std::move(back)) {}

    Shared<DistKeys> before;
    Shared<std::string> name;  // a key too
    Shared<DistKeys> after;
    bool flat = false;  // the keys behind the first are one, joined by dots: how PyTorch saves an optimizer by name

    std::string joined() const;  // "optimizer.state.lm_head.weight.exp_avg"
    DistKeys keys() const;
};

}  // namespace ckpt
