#include "migrator/syntax/grammar.h"
#include "base/text.h"

#include <algorithm>
#include <unordered_map>

#include <tree_sitter/api.h>

extern "C" const TSLanguage* tree_sitter_python(void);

namespace migrator {
namespace {

constexpr std::size_t kFirstNamedKind = 3;  // behind other, token and error
constexpr std::uint16_t kErrorSymbol = 0xFFFF;

template <class Enum>
std::unordered_map<std::string_view, Enum> by_name(std::span<const std::string_view> names, std::size_t first) {
    std::unordered_map<std::string_view, Enum> out;
    for (std::size_t i = first; i < names.size(); ++i) out.emplace(names[i], static_cast<Enum>(i));
    return out;
}

}  // namespace

const Grammar& Grammar::python() {
    static const Grammar grammar;
    return grammar;
}

Grammar::Grammar() : language_(tree_sitter_python()) {
    const auto kinds = by_name<NodeKind>(node_kind_names(), kFirstNamedKind);
    kinds_.assign(ts_language_symbol_count(language_), NodeKind::other);
    for (std::uint32_t symbol = 0; symbol < kinds_.size(); ++symbol) {
        // Several symbols may share a name: "type" is a keyword and a node, "block" has two.
        if (ts_language_symbol_type(language_, static_cast<TSSymbol>(symbol)) != TSSymbolTypeRegular) {
            kinds_[symbol] = NodeKind::token;
            continue;
        }
        const auto found = kinds.find(ts_language_symbol_name(language_, static_cast<TSSymbol>(symbol)));
        if (found != kinds.end()) kinds_[symbol] = found->second;
    }

    const auto fields = by_name<Field>(field_names(), 1);
    fields_.assign(ts_language_field_count(language_) + 1, Field::none);
    for (std::uint32_t id = 1; id < fields_.size(); ++id) {
        const auto found = fields.find(ts_language_field_name_for_id(language_, static_cast<TSFieldId>(id)));
        if (found != fields.end()) fields_[id] = found->second;
    }
}

NodeKind Grammar::kind(std::uint16_t symbol) const {
    if (symbol == kErrorSymbol) return NodeKind::error;
    return symbol < kinds_.size() ? kinds_[symbol] : NodeKind::other;
}

std::vector<std::string_view> Grammar::unknown_names() const {
    std::vector<std::string_view> out;
    const auto kinds = node_kind_names();
    for (std::size_t i = kFirstNamedKind; i < kinds.size(); ++i) {
        if (!base::contains(kinds_, static_cast<NodeKind>(i))) out.push_back(kinds[i]);
    }
    const auto fields = field_names();
    for (std::size_t i = 1; i < fields.size(); ++i) {
        if (!base::contains(fields_, static_cast<Field>(i))) out.push_back(fields[i]);
    }
    return out;
}

}  // namespace migrator
