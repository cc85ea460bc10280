// PythonFile: one parsed Python file with its names, as the words of the vocabulary see it. Private to this folder.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text_position.h"
#include "migrator/loops/training_loop.h"
#include "migrator/python/finding.h"
#include "migrator/python/import_index.h"
#include "migrator/python/match_context.h"
#include "migrator/semantic/bindings.h"
#include "migrator/syntax/step_budget.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

// Where findings of one file are collected.
using FindingSink = std::vector<Finding>;

class PythonFile {
public:
    PythonFile(std::string_view path, const SyntaxTree& tree, const Bindings& bindings, const MatchContext& context);

    const SyntaxTree& tree() const { return tree_; }
    const Bindings& bindings() const { return bindings_; }
    const RuleSet& rules() const { return *context_.rules; }
    const MatchContext& context() const { return context_; }
    std::string_view path() const { return path_; }

    // True when the file imports one of these modules or something below it, outside type checking only. To load the
    // framework through other files or libraries is to import it.
    bool imports_any(std::span<const std::string> modules) const;
    // The same, or it is given objects of these modules by the files of the project that import it.
    bool may_have_objects_of(std::span<const std::string> modules) const;
    bool is_project_module(std::string_view module) const;
    // A class of the project or of this file defines a member of this name; methods are listed with "()" as well.
    bool is_project_member(std::string_view member) const;

    // The operator of a chain: `a.b.c` -> its attribute identifiers b, c; the root is the first that is no attribute.
    NodeId chain_root(NodeId expression) const;
    // The name an expression ends in: the identifier, or the attribute of an attribute access; empty for the rest.
    std::string_view last_name(NodeId expression) const;
    // The attribute access that ends in this identifier, or the identifier itself.
    NodeId whole_name(NodeId identifier) const;
    NodeId skip_parentheses(NodeId expression) const;
    bool has_external_reference(NodeId expression) const;

    // The call that `function` is called in, or kNoNode.
    NodeId call_of(NodeId function) const;
    // Position of a positional argument in its argument_list: nullopt behind a star, where positions are unknown.
    std::optional<std::size_t> argument_position(NodeId argument) const;

    // To be asked for each step that follows a value. All values of the file have so many steps in common that their
    // number grows with the file, and not with its square where a thousand values travel a thousand steps each.
    bool may_step() const {
        steps_.take(1);
        return !steps_.is_spent();
    }

    // A qualified name as an import statement of this file spells it: the helper module may be in a package.
    std::string as_imported(const std::string& qualified) const;

    // The training loops; looked for once.
    const std::vector<TrainingLoop>& training_loops() const;

    // All identifiers by their text, each in source order; built once.
    using Identifiers = std::unordered_map<std::string_view, std::vector<NodeId>>;
    const Identifiers& identifiers() const;
    std::span<const NodeId> identifiers(std::string_view text) const;
    // Plain texts in subscripts and arguments, by what is in them; built once: cfg["where"], cfg.get("where").
    std::span<const NodeId> key_texts(std::string_view text) const;
    // The imports by what they bind; built once.
    const ImportIndex& import_index() const;
    // Lines and columns of the text; built once.
    const base::LineIndex& lines() const;

    // From 1, as people count.
    std::uint32_t line_of(NodeId node) const;

private:
    void note_argument_positions(NodeId list) const;

    std::string_view path_;
    const SyntaxTree& tree_;
    const Bindings& bindings_;
    const MatchContext& context_;
    std::vector<std::string> own_members_;
    mutable std::optional<std::vector<TrainingLoop>> training_loops_;
    bool loads_framework_;
    mutable Identifiers identifiers_;
    mutable Identifiers key_texts_;
    mutable std::optional<ImportIndex> import_index_;
    mutable std::optional<base::LineIndex> lines_;
    mutable StepBudget steps_;
    // By argument; those behind a star are not in it. Filled in one walk: a list may have thousands.
    mutable std::optional<std::unordered_map<NodeId, std::size_t>> argument_positions_;
};

// A finding at a node, with the message filled in.
Finding make_finding(const Rule& rule, base::ByteRange range, std::string subject, Certainty certainty,
                     std::string_view to, const base::Message& note, std::string_view source);
// Says how often the file has what the finding speaks of, where that is more than once.
void add_use_count(Finding& finding, std::size_t count);

}  // namespace migrator
