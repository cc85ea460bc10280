#include "ckpt_convert/plan/registration_order.h"

#include <algorithm>
#include <charconv>

namespace ckpt {

RegistrationOrder::Name RegistrationOrder::parts_of(std::string_view name) {
    Name out;
    while (!name.empty()) {
        std::string_view part = name.substr(0, name.find('.'));
        name.remove_prefix(std::min(part.size() + 1, name.size()));
        std::size_t digits = part.find_last_not_of("0123456789") + 1;
        std::uint64_t number = 0;
        auto [end, code] = std::from_chars(part.data() + digits, part.data() + part.size(), number);
        if (code == std::errc()) out.push_back({part.substr(0, digits), number + 1});
        else out.push_back({part, 0});
    }
    return out;
}

// A part that is new comes behind the one that it follows here.
void RegistrationOrder::learn(Node& node, const std::vector<Name>& names, std::size_t begin, std::size_t end,
                              std::size_t depth) {
    std::size_t next = 0;  // where a new part goes
    while (begin < end) {
        if (names[begin].size() <= depth) {
            ++begin;
            continue;
        }
        const Part& part = names[begin][depth];
        std::size_t stop = begin + 1;
        while (stop < end && names[stop].size() > depth && names[stop][depth] == part) ++stop;
        auto child = std::find_if(node.children.begin(), node.children.end(),
                                  [&](const auto& known) { return known.first == part.text; });
        if (child == node.children.end()) {
            child = node.children.emplace(node.children.begin() + static_cast<std::ptrdiff_t>(next), part.text,
                                          std::make_unique<Node>());
        }
        next = static_cast<std::size_t>(child - node.children.begin()) + 1;
        learn(*child->second, names, begin, stop, depth + 1);
        begin = stop;
    }
}

void RegistrationOrder::learn(const std::vector<std::string_view>& names) {
    std::vector<Name> split;
    for (std::string_view name : names) split.push_back(parts_of(name));
    learn(root_, split, 0, split.size(), 0);
}

std::optional<std::vector<std::uint64_t>> RegistrationOrder::place(std::string_view name) const {
    std::vector<std::uint64_t> out;
    const Node* node = &root_;
    for (const Part& part : parts_of(name)) {
        auto child = std::find_if(node->children.begin(), node->children.end(),
                                  [&](const auto& known) { return known.first == part.text; });
        if (child == node->children.end()) return std::nullopt;
        out.push_back(static_cast<std::uint64_t>(child - node->children.begin()));
        out.push_back(part.number);
        node = child->second.get();
    }
    return out;
}

}  // namespace ckpt
