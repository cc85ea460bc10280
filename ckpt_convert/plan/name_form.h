// NameForm: a tensor name of a mapping file with the numbers of its layer and its expert to be found in it.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ckpt {

// "decoder.layers.{local_layer}.mlp.experts.linear_fc1.weight{local_expert}": a number may stand for each word in braces.
class NameForm {
public:
    explicit NameForm(std::string_view name) {
        while (true) {
            std::size_t begin = name.find('{'), end = name.find('}', begin);
            literals_.emplace_back(name.substr(0, begin));
            if (begin == name.npos || end == name.npos) return;
            if (name.substr(begin + 1, end - begin - 1).ends_with("layer")) layer_ = literals_.size() - 1;
            name.remove_prefix(end + 1);
        }
    }

    // False when no number is that of a layer, as in names of the model and in those that count the layers otherwise.
    bool has_layer() const { return layer_ != SIZE_MAX; }

    // The layer's number in `name` when it has this form; 0 when the form has none.
    std::optional<std::uint32_t> match(std::string_view name) const {
        std::uint32_t layer = 0;
        for (std::size_t i = 0; i < literals_.size(); ++i) {
            if (!name.starts_with(literals_[i])) return std::nullopt;
            name.remove_prefix(literals_[i].size());
            if (i + 1 == literals_.size()) break;
            std::uint32_t number = 0;
            auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
            if (code != std::errc()) return std::nullopt;
            if (i == layer_) layer = number;
            name.remove_prefix(static_cast<std::size_t>(end - name.data()));
        }
        return name.empty() ? std::optional(layer) : std::nullopt;
    }

private:
    std::vector<std::string> literals_;  // around the numbers, one more than there are numbers
    std::size_t layer_ = SIZE_MAX;       // which number is the layer's
};

}  // namespace ckpt
