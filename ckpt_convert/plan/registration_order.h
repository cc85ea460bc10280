// RegistrationOrder: the order in which a model's modules and parameters were made, learnt from rank files.
//
// torch's state dicts list the parameters in that order, and so does everything that numbers them. It is an order of a
// tree: of the parts of a name, parent by parent. Numbers (layers, experts) count upwards and have the same parts below.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ckpt {

class RegistrationOrder {
public:
    // Names of one model chunk, in the order of its file.
    void learn(const std::vector<std::string_view>& names);

    // What to sort by; nullopt when the name has parts that were not learnt.
    std::optional<std::vector<std::uint64_t>> place(std::string_view name) const;

private:
    struct Node;
    // A part of a name: "linear_fc2" is {"linear_fc", 3}, one without a number has 0.
    struct Part {
        std::string_view text;
        std::uint64_t number = 0;
        bool operator==(const Part&) const = default;
    };
    using Name = std::vector<Part>;
    struct Node {
        std::vector<std::pair<std::string, std::unique_ptr<Node>>> children;
    };
    static Name parts_of(std::string_view name);
    static void learn(Node& node, const std::vector<Name>& names, std::size_t begin, std::size_t end,
                      std::size_t depth);

    Node root_;
};

}  // namespace ckpt
