#include "migrator/library/library_function.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/text.h"
#include "migrator/semantic/project_index.h"

namespace migrator {
namespace {

using Kind = LibraryFunction::Kind;

// Calls whose arguments are looked at, not called.
constexpr std::array<std::string_view, 4> kOnlyLook{"isinstance", "issubclass", "type", "hasattr"};

class Collector {
public:
    Collector(const SourceFile& file, const ParsedText& parsed, const MatchContext& context)
        : tree_(*parsed.tree), bindings_(*parsed.bindings), context_(context), lines_(tree_.source()) {
        functions_.push_back({Kind::module, context.module.module_name, file.path, 1, {}, {}, {}, {}, {}, {}});
        owners_.push_back({0, static_cast<NodeId>(tree_.size())});
    }

    std::vector<LibraryFunction> run(const std::vector<Finding>& findings) {
        owner_of_.resize(tree_.size());
        for (NodeId node = 0; node < tree_.size(); ++node) {
            while (node >= owners_.back().end) owners_.pop_back();
            visit(node);
            owner_of_[node] = owners_.back().function;
        }
        add_imports();
        for (const Finding& finding : findings) add_finding(finding);
        add_unsupported();
        return std::move(functions_);
    }

private:
    // A function whose code reaches up to a node.
    struct Owner {
        std::size_t function;
        NodeId end;
    };
    LibraryFunction& current() { return functions_[owners_.back().function]; }

    void visit(NodeId node) {
        switch (tree_.kind(node)) {
            case NodeKind::function_definition: return open(node, false);
            case NodeKind::class_definition: return open(node, true);
            case NodeKind::call: return add_call(node);
            case NodeKind::decorator:
                for (NodeId child : tree_.named_children(node)) add_names(child, current().calls);
                return;
            default: return;
        }
    }

    // What is defined inside a function belongs to it.
    void open(NodeId node, bool is_class) {
        const Kind around = current().kind;
        const NodeId identifier = tree_.child(node, Field::name);
        if (around == Kind::function || around == Kind::method || identifier == kNoNode) return;
        LibraryFunction added;
        added.kind = is_class ? Kind::class_ : around == Kind::class_ ? Kind::method : Kind::function;
        added.name = current().name + "." + std::string(tree_.text(identifier));
        added.file = current().file;
        added.line = line_of(identifier);
        if (is_class) add_bases(node, added);
        owners_.push_back({functions_.size(), tree_.subtree_end(node)});
        functions_.push_back(std::move(added));
    }

    void add_bases(NodeId node, LibraryFunction& to) const {
        if (const NodeId bases = tree_.child(node, Field::superclasses); bases != kNoNode) {
            for (NodeId base : tree_.named_children(bases)) add_names(base, to.bases);
        }
        // A member that nobody has leads to where the search ends.
        if (context_.module.index != nullptr)
            to.external_base = context_.module.index->find_member(to.name, "no such member").external;
    }

    void add_call(NodeId call) {
        const NodeId function = tree_.child(call, Field::function);
        if (function == kNoNode) return;
        add_names(function, current().calls);
        const NodeId list = tree_.child(call, Field::arguments);
        const bool only_looks = base::contains(kOnlyLook, tree_.text(function));
        if (list == kNoNode || only_looks) return;
        for (NodeId argument : tree_.named_children(list)) {
            const bool is_keyword = tree_.kind(argument) == NodeKind::keyword_argument;
            const NodeId value = is_keyword ? tree_.child(argument, Field::value) : argument;
            if (value != kNoNode) add_names(value, current().passed);
        }
    }

    void add_names(NodeId expression, std::vector<std::string>& to) const {
        for (const Reference& reference : bindings_.references(expression)) {
            const bool is_own = reference.origin == Origin::project || reference.origin == Origin::local;
            if (is_own && reference.name.find('.') != std::string::npos) to.push_back(reference.name);
        }
    }

    // Code of a module runs when another one imports it, wherever that is sure.
    void add_imports() {
        for (const ImportedName& import : bindings_.imports()) {
            if (import.origin != Origin::project || import.scope != kModuleScope || import.type_checking_only) continue;
            LibraryFunction& module = functions_.front();
            if (import.name == "*") module.exports.emplace_back(module.name + ".*", import.module);
            else if (!import.name.empty())
                module.exports.emplace_back(module.name + "." + import.bound_name, import.qualified());
            if (import.conditional) continue;
            module.calls.push_back(import.module);
        }
    }

    void add_finding(const Finding& finding) {
        const bool is_open = finding.severity == Severity::error && !finding.fix && !finding.at_run_time;
        if (!is_open || finding.kind == FindingKind::file) return;
        const NodeId node = tree_.smallest_at(finding.range);
        functions_[owner_of_[node]].obstacles.push_back(
            {finding.subject, finding.rule, finding.message.text(), line_of(node)});
    }

    // The findings name an interface once in a file.
    void add_unsupported() {
        const Rule* rule = context_.rules->api_rules.no;
        if (rule == nullptr) return;
        for (NodeId node : bindings_.external_expressions()) {
            for (const Reference& reference : bindings_.references(node)) {
                if (reference.origin != Origin::external || reference.certainty == Certainty::textual) continue;
                const auto facts = context_.rules->api(reference.name);
                if (!facts || facts->quiet || facts->support != ApiSupport::no) continue;
                functions_[owner_of_[node]].obstacles.push_back(
                    {reference.name, rule->id, fill_message(rule->message, reference.name, {}, {}).text(),
                     line_of(node)});
                break;
            }
        }
    }

    std::uint32_t line_of(NodeId node) const { return lines_.position(tree_.range(node).begin).line; }

    const SyntaxTree& tree_;
    const Bindings& bindings_;
    const MatchContext& context_;
    base::LineIndex lines_;
    std::vector<LibraryFunction> functions_;
    std::vector<Owner> owners_;
    std::vector<std::size_t> owner_of_;  // by node
};

}  // namespace

std::string_view name(LibraryFunction::Kind kind) {
    switch (kind) {
        case Kind::module: return "module";
        case Kind::class_: return "class";
        case Kind::function: return "function";
        case Kind::method: return "method";
    }
    CHECK(false);
    return {};
}

std::vector<LibraryFunction> functions_of(const SourceFile& file, const ParsedText& parsed, const MatchContext& context,
                                          const std::vector<Finding>& findings) {
    return Collector(file, parsed, context).run(findings);
}

}  // namespace migrator
