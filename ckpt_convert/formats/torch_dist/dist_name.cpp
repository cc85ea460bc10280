#include "ckpt_convert/formats/torch_dist/dist_name.h"

#include <cstddef>

namespace ckpt {
namespace {

// The keys from a place on.
std::string joined_from(const DistKeys& keys, std::size_t first) {
    std::string out;
    for (std::size_t i = first; i < keys.size(); ++i) {
        if (i > first) out += '.';
        const auto* text = std::get_if<std::string>(&keys[i]);
        out += text != nullptr ? *text : std::to_string(std::get<std::uint64_t>(keys[i]));
    }
    return out;
}

}  // namespace

std::string DistName::joined() const {
    if (before.empty() && after.empty()) return name;
    return joined_from(keys(), 0);
}

DistKeys DistName::keys() const {
    DistKeys out = before;
    out.emplace_back(name.get());
    out.insert(out.end(), after.begin(), after.end());
    if (flat) out = {out.front(), joined_from(out, 1)};
    return out;
}

}  // namespace ckpt
