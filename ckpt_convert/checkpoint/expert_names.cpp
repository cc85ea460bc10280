#include "ckpt_convert/checkpoint/expert_names.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/format.h"

namespace ckpt {
namespace {

constexpr std::string_view kExperts = ".deepspeed_moe.experts.deepspeed_experts.";

// "layers.1.mlp" + kExperts + "2.up.weight"
struct ExpertName {
    std::string_view front;  // with kExperts
    std::uint64_t number = 0;
    std::string_view rest;
};

std::optional<ExpertName> parse_expert(std::string_view name) {
    const std::size_t found = name.rfind(kExperts);
    if (found == name.npos) return std::nullopt;
    ExpertName out;
    out.front = name.substr(0, found + kExperts.size());
    out.rest = name.substr(out.front.size());
    const auto [end, code] = std::from_chars(out.rest.data(), out.rest.data() + out.rest.size(), out.number);
    out.rest.remove_prefix(static_cast<std::size_t>(end - out.rest.data()));
    return code == std::errc() && out.rest.starts_with('.') ? std::optional(out) : std::nullopt;
}

}  // namespace

bool is_expert_file(std::string_view file, std::string_view ending) {
    if (!file.ends_with(ending)) return false;
    file.remove_suffix(ending.size());
    const std::size_t word = file.find("expert_");
    return word != file.npos && (word == 0 || file.starts_with("layer_"));
}

ExpertCounts expert_counts(const std::vector<NamedShapes>& groups) {
    ExpertCounts out;
    for (const NamedShapes& group : groups) {
        for (const auto& [name, shape] : group) {
            const auto expert = parse_expert(name);
            if (!expert) continue;
            std::uint64_t& count = out[std::string(expert->front)];
            count = std::max(count, expert->number + 1);
        }
    }
    return out;
}

Result<NamedShapes> numbered_in_model(const NamedShapes& parameters, const ExpertCounts& counts, std::uint64_t rank,
                                      const Path& path) {
    NamedShapes out;
    for (const auto& [name, shape] : parameters) {
        const auto expert = parse_expert(name);
        if (!expert)
            return base::fail(ErrorKind::bad_input,
                              base::format("fewer ranks share {} than there are, as they share experts, and it is of "
                                           "none; are files of two runs mixed?",
                                           name),
                              path);
        const std::uint64_t number = expert->number + rank * counts.find(expert->front)->second;
        out.emplace_back(base::format("{}{}{}", expert->front, number, expert->rest), shape);
    }
    return out;
}

}  // namespace ckpt
