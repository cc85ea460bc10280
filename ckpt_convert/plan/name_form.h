// NameForm: a tensor name of a mapping file with at most one number to be found in it.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt {

struct NameForm {
    std::string prefix;
    std::string suffix;
    bool numbered = false;

    explicit NameForm(const std::string& name) : prefix(name) {
        constexpr std::string_view kCapture = "{local_layer}";
        std::size_t at = name.find(kCapture);
        if (at == std::string::npos) return;
        prefix = name.substr(0, at);
        suffix = name.substr(at + kCapture.size());
        numbered = true;
    }

    // The number in `name` when it has this form; 0 when the form has none.
    std::optional<std::uint32_t> match(std::string_view name) const {
        if (!numbered) return name == prefix ? std::optional(std::uint32_t{0}) : std::nullopt;
        if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
            return std::nullopt;
        std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
        std::uint32_t value = 0;
        auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
        return value;
    }
};

}  // namespace ckpt
