#include "migrator/syntax/node_kind.h"

#include <array>

#include "migrator/syntax/grammar.h"

namespace migrator {
namespace {

// The grammar's name of an enumerator: "float" of `float_`, which C++ does not let us spell.
constexpr std::string_view grammar_name(std::string_view enumerator) {
    if (enumerator.ends_with('_')) enumerator.remove_suffix(1);
    return enumerator;
}

constexpr auto kKindNames = std::to_array<std::string_view>({"other", "token", "error",
#define X(kind) grammar_name(#kind),
                                                             MIGRATOR_NODE_KINDS(X)
#undef X
});

constexpr auto kFieldNames = std::to_array<std::string_view>({"none",
#define X(field) grammar_name(#field),
                                                              MIGRATOR_FIELDS(X)
#undef X
});

}  // namespace

std::string_view name(NodeKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::string_view name(Field field) { return kFieldNames[static_cast<std::size_t>(field)]; }

std::span<const std::string_view> node_kind_names() { return kKindNames; }

std::span<const std::string_view> field_names() { return kFieldNames; }

}  // namespace migrator
