// Literal: a string literal as text with holes, and where each character of it stands in the file. Private to this
// folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/syntax/syntax_tree.h"

namespace migrator {

// Stands in a literal's text for what an f-string interpolates.
inline constexpr char kHole = '\x01';

struct Literal {
    NodeId node = kNoNode;
    std::string text;
    std::vector<std::uint64_t> offsets;  // of each character of `text` in the file

    // The text as people read it: holes as {}.
    std::string shown() const;
    // Where [begin, end) of the text stands in the file; nullopt when it is spread over several pieces.
    std::optional<base::ByteRange> range_of(std::size_t begin, std::size_t end) const;
};

// What becomes of escapes. Short texts that have one are hardly ever a name of anything.
enum class Escapes {
    none,   // a literal with escapes is not read
    common  // quotes, backslashes, line ends and tabs are resolved
};

// Reads a `string` or `concatenated_string`; nullopt for bytes, and for literals with other escapes.
std::optional<Literal> read_literal(const SyntaxTree& tree, NodeId node, Escapes escapes = Escapes::none);

// The literals of a file that are not documentation (a statement of their own). Of an implicit concatenation the whole
// is listed, not its parts.
std::vector<Literal> read_literals(const SyntaxTree& tree);

// Expressions that make one text of several literals, or another text of one: "cu" + "da", "CUDA".lower().
struct ComposedText {
    NodeId node = kNoNode;
    std::string text;
};
std::vector<ComposedText> read_composed_texts(const SyntaxTree& tree);

}  // namespace migrator
