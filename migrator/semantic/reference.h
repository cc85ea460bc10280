// Reference: what a name or attribute expression in a file means, and how sure that is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace migrator {

// How sure an answer is. A rule names the certainty its fix needs.
enum class Certainty : std::uint8_t {
    textual,   // the text looks like it; nothing else is known
    likely,    // a good reason, but another reading is possible
    resolved,  // follows from imports, scopes and types
};
std::string_view name(Certainty certainty);

enum class Origin : std::uint8_t {
    external,  // a module that is not part of the project
    project,   // defined in the project
    builtin,   // Python's own name
    local,     // a variable or parameter whose value is not known
};

struct Reference {
    std::string name;  // "torch.cuda.amp.autocast"; a method of a typed value: "torch.Tensor.cuda"
    Origin origin = Origin::external;
    Certainty certainty = Certainty::resolved;
    bool operator==(const Reference&) const = default;
};

// True when `module` is `ancestor` or something below it: "torch.cuda" is within "torch", "torchvision" is not.
bool is_within(std::string_view module, std::string_view ancestor);

}  // namespace migrator
