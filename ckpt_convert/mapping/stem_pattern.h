// StemPattern: names of tensors that belong together: "*.weight" and "*.weight_scale".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ckpt {

// A name with one "*" for any characters.
class StemPattern {
public:
    StemPattern() = default;  // any name
    explicit StemPattern(std::string_view text);

    // What the star stands for in `name`; nullopt when the name is another.
    std::optional<std::string_view> stem(std::string_view name) const;
    std::string with(std::string_view stem) const;

private:
    std::string before_;
    std::string behind_;
};

}  // namespace ckpt
