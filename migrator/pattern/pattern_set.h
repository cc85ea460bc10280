// PatternSet: the patterns of a rule set as trees, found by the operation at their root. Immutable; shared by threads.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "migrator/ruleset/rule_set.h"
#include "migrator/syntax/node_kind.h"

namespace migrator {

using PatternId = std::uint32_t;
inline constexpr PatternId kNoPattern = std::numeric_limits<PatternId>::max();

struct PatternNode {
    enum class Kind {
        hole,
        operation,  // parts: by parameter; kNoPattern: nothing may be written but the default
        name,       // a qualified name
        constant,
        shape,  // any other syntax: the same kind of node, the same tokens, and parts for its named children
    };
    Kind kind = Kind::shape;
    std::size_t index = 0;            // of the hole in its rule, or of the operation
    std::string text;                 // of a name or constant
    NodeKind node = NodeKind::other;  // of a shape
    std::vector<std::string> tokens;  // of a shape
    std::vector<PatternId> parts;
};

// A piece of the code to write: text, then possibly a hole.
struct TemplatePiece {
    static constexpr std::size_t kNoHole = std::numeric_limits<std::size_t>::max();
    std::string text;
    std::size_t hole = kNoHole;
    std::string optional_text;  // goes with the hole, and without it when the code does not write the argument
    bool optional = false;
    bool delimited = false;  // stands between brackets, commas or behind =: any expression fits
};

struct CompiledPattern {
    struct Hole {
        std::string name;
        const HoleRow* row = nullptr;
        std::vector<PatternId> like;
    };
    // One of the shapes that mean the same.
    struct Root {
        PatternId pattern = kNoPattern;
        std::vector<std::size_t> operations;  // all that it certainly holds
    };
    const PatternRow* row = nullptr;
    std::vector<Hole> holes;
    std::vector<Root> roots;
    std::vector<TemplatePiece> pieces;
    std::vector<std::string> template_names;  // modules that the written code begins names with: "torch_npu"
    bool template_is_primary = true;          // needs no parentheses, wherever it stands
    std::string writes;                       // what it calls: "torch_npu.npu_rms_norm"
};

class PatternSet {
public:
    // Fails with rule_data when a pattern does not parse, calls what is no operation or writes a hole that it has not.
    // `rules` must outlive the result; moving it is fine.
    static base::Result<PatternSet> compile(const RuleSet& rules);

    const PatternNode& node(PatternId id) const { return nodes_[id]; }
    std::span<const CompiledPattern> patterns() const { return patterns_; }

    struct Entry {
        std::size_t pattern = 0;
        std::size_t root = 0;
    };
    // The shapes that begin with an operation.
    std::span<const Entry> with_root(std::size_t operation) const {
        return operation < by_root_.size() ? std::span<const Entry>(by_root_[operation]) : std::span<const Entry>{};
    }
    bool empty() const { return patterns_.empty(); }

private:
    friend class PatternCompiler;
    std::vector<PatternNode> nodes_;
    std::vector<CompiledPattern> patterns_;
    std::vector<std::vector<Entry>> by_root_;
};

}  // namespace migrator
