// Grammar: tree-sitter's numbers for node kinds and fields of Python, as NodeKind and Field. Only for this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "migrator/syntax/node_kind.h"

struct TSLanguage;

namespace migrator {

// In the order of the enumerators; entries 0 to 2 of the kinds and 0 of the fields are not names of the grammar.
std::span<const std::string_view> node_kind_names();
std::span<const std::string_view> field_names();

class Grammar {
public:
    // Built at the first call; thread-safe, read-only afterwards.
    static const Grammar& python();

    const TSLanguage* language() const { return language_; }
    NodeKind kind(std::uint16_t symbol) const;
    Field field(std::uint16_t id) const { return id < fields_.size() ? fields_[id] : Field::none; }

    // Enumerators that the grammar does not have; the tool would never see such a node.
    std::vector<std::string_view> unknown_names() const;

private:
    Grammar();

    const TSLanguage* language_;
    std::vector<NodeKind> kinds_;  // by symbol
    std::vector<Field> fields_;    // by field id
};

}  // namespace migrator
