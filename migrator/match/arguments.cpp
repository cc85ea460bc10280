#include <algorithm>

#include "migrator/match/matchers.h"
#include "migrator/pattern/pattern_matcher.h"
#include "migrator/python/call_arguments.h"

namespace migrator {
namespace {

// The constant that a variable always is; else the value itself.
NodeId constant_of(const PythonFile& file, NodeId value) {
    const SyntaxTree& tree = file.tree();
    if (tree.kind(value) != NodeKind::identifier) return value;
    const BindingSites sites = file.bindings().binding_sites(value);
    if (sites.size() != 1 || sites.front().value == kNoNode) return value;
    // A parameter may be given something else.
    const bool is_assigned = tree.kind(tree.parent(sites.front().target)) == NodeKind::assignment;
    return is_assigned && tree.subtree_end(sites.front().value) == sites.front().value + 1 ? sites.front().value
                                                                                           : value;
}

// Each keyword is written, and not with a value that switches it off.
bool has_all(const PythonFile& file, const CallArguments& arguments, const std::vector<std::string>& keywords) {
    const SyntaxTree& tree = file.tree();
    auto is_off = [](std::string_view value) { return value == "0" || value == "None" || value == "False"; };
    return std::all_of(keywords.begin(), keywords.end(), [&](const std::string& keyword) {
        const NodeId argument = arguments.find(tree, std::nullopt, keyword);
        return argument != kNoNode && !is_off(tree.text(constant_of(file, tree.child(argument, Field::value))));
    });
}

// Whether the value is a number, also through a variable that is only ever bound to numbers.
bool is_integer(const PythonFile& file, NodeId value) {
    const SyntaxTree& tree = file.tree();
    if (tree.kind(value) == NodeKind::integer) return true;
    if (tree.kind(value) == NodeKind::call) {
        NodeId function = tree.child(value, Field::function);
        auto references = file.bindings().references(function);
        return references.size() == 1 && references[0].origin == Origin::builtin && references[0].name == "int";
    }
    if (tree.kind(value) != NodeKind::identifier) return false;
    const BindingSites sites = file.bindings().binding_sites(value);
    return !sites.empty() && sites.size() <= kMaxBindingSites &&
           std::all_of(sites.begin(), sites.end(), [&](const BindingSite& site) {
               return site.value != kNoNode && tree.kind(site.value) == NodeKind::integer;
           });
}

// A number as it is written, with its sign.
bool is_number(const PythonFile& file, NodeId value) {
    const SyntaxTree& tree = file.tree();
    if (tree.kind(value) == NodeKind::unary_operator) value = tree.child(value, Field::argument);
    return value != kNoNode && (tree.kind(value) == NodeKind::integer || tree.kind(value) == NodeKind::float_);
}

// Made of nothing but texts that are written here and what the style writes in their place: "cuda" if x else "cpu".
bool is_written_text(const PythonFile& file, NodeId value) {
    const SyntaxTree& tree = file.tree();
    if (file.rules().style.is_of_helper(tree.text(value))) return true;
    switch (tree.kind(value)) {
        case NodeKind::string: return true;
        case NodeKind::parenthesized_expression: return is_written_text(file, tree.named_children(value).front());
        case NodeKind::conditional_expression: {
            const NodeList parts = tree.named_children(value);
            return parts.size() == 3 && is_written_text(file, parts[0]) && is_written_text(file, parts[2]);
        }
        default: return false;
    }
}

// Whether the value comes from somewhere else: a parameter, an option, a setting.
bool is_computed(const PythonFile& file, NodeId value) {
    const SyntaxTree& tree = file.tree();
    const NodeKind kind = tree.kind(value);
    if (kind != NodeKind::identifier && kind != NodeKind::attribute && kind != NodeKind::subscript) return false;
    if (file.bindings().type_of(value) || file.has_external_reference(value)) return false;
    if (file.rules().style.is_of_helper(tree.text(value))) return false;
    const BindingSites sites = file.bindings().binding_sites(value);
    return sites.empty() || sites.size() > kMaxBindingSites ||
           std::any_of(sites.begin(), sites.end(), [&](const BindingSite& site) {
               const NodeKind parent = tree.kind(tree.parent(site.target));
               const bool is_parameter =
                   parent == NodeKind::default_parameter || parent == NodeKind::typed_default_parameter;
               return is_parameter || site.value == kNoNode || !is_written_text(file, site.value);
           });
}

// Whether a text or a name with one of the parts is written in the value, or in what its variable is bound to.
bool has_part(const PythonFile& file, NodeId value, const std::vector<std::string>& parts) {
    const SyntaxTree& tree = file.tree();
    auto contains = [&](std::string_view text) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const std::string& part) { return text.find(part) != text.npos; });
    };
    auto has_text = [&](NodeId expression) {
        for (NodeId id = expression; id < tree.subtree_end(expression); ++id) {
            if (tree.kind(id) == NodeKind::string_content && contains(tree.text(id))) return true;
            for (const Reference& reference : file.bindings().references(id)) {
                if (reference.origin == Origin::external && contains(reference.name)) return true;
            }
        }
        return false;
    };
    if (tree.kind(value) != NodeKind::identifier) return has_text(value);
    const BindingSites sites = file.bindings().binding_sites(value);
    const BindingSites asked = sites.first(std::min(sites.size(), kMaxBindingSites));
    return std::any_of(asked.begin(), asked.end(),
                       [&](const BindingSite& site) { return site.value != kNoNode && has_text(site.value); });
}

class ArgumentMatcher {
public:
    ArgumentMatcher(const PythonFile& file, FindingSink& sink) : file_(file), sink_(sink) {}

    void match_call(NodeId call) {
        const SyntaxTree& tree = file_.tree();
        NodeId function = tree.child(call, Field::function);
        if (function == kNoNode) return;
        for (const Reference& reference : file_.bindings().references(function)) {
            if (reference.origin != Origin::external) continue;
            const auto rows = file_.rules().arguments.of(reference.name);
            if (rows.empty()) continue;
            if (const auto arguments = call_arguments(file_, call, reference)) {
                for (const ArgumentRow& row : rows) match_row(*arguments, function, row, reference);
            }
        }
        match_partial(call);
        bool unknown = tree.kind(function) == NodeKind::attribute && file_.bindings().references(function).empty();
        if (!unknown) return;
        for (const ArgumentRow& row : file_.rules().method_arguments.of(file_.last_name(function))) {
            if (!file_.imports_any(row.when_imported)) continue;
            const Reference method{std::string(file_.last_name(function)), Origin::external, Certainty::likely};
            if (const auto arguments = call_arguments(file_, call, method))
                match_row(*arguments, function, row, method);
        }
    }

private:
    // What is filled in counts where it is written; what is missing is told where the function is called.
    void match_partial(NodeId call) {
        const NodeId function = function_of_partial(file_, call);
        if (function == kNoNode) return;
        for (const Reference& reference : file_.bindings().references(function)) {
            if (reference.origin != Origin::external) continue;
            for (const ArgumentRow& row : file_.rules().arguments.of(reference.name)) {
                if (row.state != ArgumentState::absent)
                    match_row(filled_arguments(file_, call), function, row, reference);
            }
        }
    }

    void match_row(const CallArguments& arguments, NodeId function, const ArgumentRow& row,
                   const Reference& reference) {
        const SyntaxTree& tree = file_.tree();
        if (!has_all(file_, arguments, row.beside)) return;
        const std::string& name = reference.name;
        Certainty certainty = reference.certainty;
        const std::string_view written = tree.text(arguments.list);
        const bool is_mentioned = row.mentions.empty() || std::ranges::any_of(row.mentions, [&](const auto& part) {
                                      return written.find(part) != written.npos;
                                  });
        if (!is_mentioned) return;
        const NodeId argument = arguments.find(tree, row.position, row.keyword);
        if (row.state == ArgumentState::absent) {
            if (argument != kNoNode) return;
            // `f(**options)` may well pass it, so that there is nothing to advise.
            if (arguments.open && row.rule->kind == FindingKind::advice) return;
            if (arguments.open) certainty = Certainty::textual;
            Finding finding = make_finding(*row.rule, tree.range(function), name, certainty, row.fix.add, {}, {});
            if (!row.fix.add.empty()) finding.fix = Fix{{added(arguments, row.fix.add)}, row.rule->imports};
            sink_.push_back(std::move(finding));
            return;
        }
        const bool is_advice = row.rule->kind == FindingKind::advice;
        const bool is_here = argument != kNoNode &&
                             (is_advice ? arguments.is_written_in(tree, argument) : arguments.is_own(tree, argument));
        if (!is_here) return;
        if (!has_state(value_of(argument), row)) {
            for (const NodeId way : ways_of(argument, row)) {
                if (has_state(way, row))
                    sink_.push_back(make_finding(*row.rule, tree.range(way), name, certainty, "", {}, {}));
            }
            return;
        }
        const bool has_keyword = tree.kind(argument) == NodeKind::keyword_argument;
        // What has no keyword needs no other one.
        if (!row.fix.rename.empty() && !has_keyword && row.fix.wrap.empty()) return;
        const std::string& to = row.fix.rename.empty() ? row.fix.replace : row.fix.rename;
        Finding finding = make_finding(*row.rule, tree.range(argument), name, certainty, to, {}, {});
        if (!row.fix.replace.empty()) finding.fix = Fix{{{tree.range(argument), row.fix.replace}}, row.rule->imports};
        if (!row.fix.rename.empty() || !row.fix.wrap.empty())
            finding.fix = Fix{renamed_and_wrapped(argument, row.fix), row.rule->imports};
        if (!row.fix.name.empty()) finding.fix = Fix{{named(argument, row.fix.name)}, row.rule->imports};
        if (row.fix.remove) finding.fix = Fix{{removed(argument)}, row.rule->imports};
        sink_.push_back(std::move(finding));
    }

    // The two values of `driver="gesvd" if x.is_cuda else None`, each of which is told by itself and left to a person.
    std::vector<NodeId> ways_of(NodeId argument, const ArgumentRow& row) const {
        const SyntaxTree& tree = file_.tree();
        NodeId value = value_of(argument);
        if (row.state != ArgumentState::equal || value == kNoNode) return {};
        value = file_.skip_parentheses(value);
        if (tree.kind(value) != NodeKind::conditional_expression) return {};
        const auto parts = tree.named_children(value);
        if (parts.size() != 3) return {};
        return {parts[0], parts[2]};
    }

    bool has_state(NodeId value, const ArgumentRow& row) const {
        const SyntaxTree& tree = file_.tree();
        if (value == kNoNode) return false;
        value = file_.skip_parentheses(value);
        switch (row.state) {
            case ArgumentState::absent: return false;
            case ArgumentState::present: return true;
            case ArgumentState::integer: return is_integer(file_, value);
            case ArgumentState::computed: return is_computed(file_, value);
            case ArgumentState::equal:
                if (row.rule->kind == FindingKind::advice) value = constant_of(file_, value);
                return std::any_of(row.values.begin(), row.values.end(), [&](const std::string& wanted) {
                    return is_same_constant(tree.text(value), wanted);
                });
            case ArgumentState::contains: return has_part(file_, value, row.values);
            case ArgumentState::outside: return is_number(file_, value) && !row.limits.takes(tree.text(value));
        }
        return false;
    }

    NodeId value_of(NodeId argument) const {
        const SyntaxTree& tree = file_.tree();
        const bool has_name =
            tree.kind(argument) == NodeKind::keyword_argument || tree.kind(argument) == NodeKind::pair;
        return has_name ? tree.child(argument, Field::value) : argument;
    }

    std::vector<Edit> renamed_and_wrapped(NodeId argument, const ArgumentFix& fix) const {
        const SyntaxTree& tree = file_.tree();
        std::vector<Edit> out;
        if (!fix.rename.empty() && tree.kind(argument) == NodeKind::keyword_argument)
            out.push_back({tree.range(tree.child(argument, Field::name)), fix.rename});
        if (fix.wrap.empty()) return out;
        const base::ByteRange value = tree.range(value_of(argument));
        out.push_back({{value.begin, value.begin}, fix.wrap + "("});
        out.push_back({{value.end, value.end}, ")"});
        return out;
    }

    Edit named(NodeId argument, const std::string& keyword) const {
        const std::uint64_t at = file_.tree().range(argument).begin;
        return {{at, at}, keyword + "="};
    }

    NodeList written_in(NodeId list) const {
        NodeList out;
        for (const NodeId id : file_.tree().named_children(list)) {
            if (file_.tree().kind(id) != NodeKind::comment) out.push_back(id);
        }
        return out;
    }

    Edit added(const CallArguments& arguments, const std::string& text) const {
        const SyntaxTree& tree = file_.tree();
        const NodeList all = written_in(arguments.list);
        if (all.empty()) {
            std::uint64_t at = tree.range(arguments.list).end - 1;
            return {{at, at}, text};
        }
        std::uint64_t at = tree.range(all.back()).end;
        return {{at, at}, ", " + text};
    }

    // With the comma in front, or behind for the first one.
    Edit removed(NodeId argument) const {
        const SyntaxTree& tree = file_.tree();
        const NodeList all = written_in(tree.parent(argument));
        auto at = std::find(all.begin(), all.end(), argument);
        base::ByteRange range = tree.range(argument);
        if (at != all.begin()) range.begin = tree.range(*(at - 1)).end;
        else if (at + 1 != all.end()) range.end = tree.range(*(at + 1)).begin;
        return {range, ""};
    }

    const PythonFile& file_;
    FindingSink& sink_;
};

}  // namespace

void match_arguments(const PythonFile& file, FindingSink& sink) {
    ArgumentMatcher matcher(file, sink);
    const SyntaxTree& tree = file.tree();
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) == NodeKind::call) matcher.match_call(id);
    }
}

}  // namespace migrator
