// Interfaces of the framework that the NPU supports in part or not at all.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "base/format.h"
#include "base/text.h"
#include "migrator/match/dtypes.h"
#include "migrator/match/matchers.h"
#include "migrator/match/told_uses.h"
#include "migrator/python/call_arguments.h"

namespace migrator {
namespace {

// a @ b is a call of the interface that the operator stands for.
std::optional<Reference> interface_of_operator(const TensorFacts& tensors, const SyntaxTree& tree,
                                               const Bindings& bindings, NodeId node) {
    if (tree.kind(node) != NodeKind::binary_operator) return std::nullopt;
    const NodeId symbol = tree.child(node, Field::operator_);
    if (symbol == kNoNode) return std::nullopt;
    const auto method = tensors.operators.find(tree.text(symbol));
    if (method == tensors.operators.end()) return std::nullopt;
    const auto type = bindings.type_of(node);
    if (!type || type->name != tensors.type) return std::nullopt;
    return Reference{method->second, Origin::external, type->certainty};
}

class ApiMatcher {
public:
    ApiMatcher(const PythonFile& file, FindingSink& sink) : file_(file), sink_(sink), dtypes_(file), operators_(file) {}

    // Said once for every interface, where the file uses it first.
    void run(std::span<const Literal> literals) {
        for (NodeId node : file_.bindings().external_expressions()) match(node, file_.bindings().references(node));
        for (const Literal& literal : literals) match(literal.node, attribute_names(file_, literal));
        match_operators();
        for (Use& use : uses_) {
            add_use_count(use.finding, use.count);
            sink_.push_back(std::move(use.finding));
        }
        operators_.give(sink_);
    }

private:
    // What the rules say of a name, and what was said of it here.
    struct Known {
        bool is_said_elsewhere = false;  // another rule speaks of it
        std::optional<ApiTable::Facts> facts;
        std::optional<std::size_t> use;  // in uses_
        // Element types that any version lists: the pages differ from version to version where the NPU does not.
        std::vector<std::string> accepted;
    };

    Known& known_of(std::string_view name) {
        if (const auto known = known_.find(name); known != known_.end()) return known->second;
        Known& known = known_[std::string(name)];
        const NameRow* row = file_.rules().names.row(name);
        known.is_said_elsewhere = row != nullptr && row->reach == NameRow::Reach::exact;
        known.facts = file_.rules().api(name);
        if (known.facts && !known.facts->dtypes.empty()) known.accepted = file_.rules().apis.ever_accepted(name);
        return known;
    }

    struct Use {
        Finding finding;
        std::size_t count = 1;
    };

    void match(NodeId node, std::span<const Reference> references) {
        for (const Reference& reference : references) {
            if (reference.origin != Origin::external || reference.certainty == Certainty::textual) continue;
            Known& known = known_of(reference.name);
            if (known.is_said_elsewhere) return;
            const auto& facts = known.facts;
            // What only an annotation names does not run.
            if (facts && file_.tree().ancestor(node, NodeKind::type) != kNoNode) return;
            const bool is_denied = facts && !facts->quiet && facts->support == ApiSupport::no;
            const bool is_told = operators_.add(node, reference, is_denied);
            if (!facts || facts->quiet) {
                if (is_told) return;
                continue;
            }
            if (is_denied && !is_told) add_use(node, reference, known, file_.rules().api_rules.no, {});
            if (facts->support == ApiSupport::partly && !is_told) add_limits(node, reference, known);
            if (const NodeId call = file_.call_of(node); call != kNoNode)
                add_wrong_dtypes(operands_of(call), reference, known);
            return;
        }
    }

    void match_operators() {
        const SyntaxTree& tree = file_.tree();
        const TensorFacts& tensors = file_.rules().tensors;
        for (NodeId node = 0; node < tree.size(); ++node) {
            const auto reference = interface_of_operator(tensors, tree, file_.bindings(), node);
            if (!reference) continue;
            match(node, {&*reference, 1});
            add_wrong_dtypes({tree.child(node, Field::left), tree.child(node, Field::right)}, *reference,
                             known_of(reference->name));
        }
    }

    // The values that a call works on: the object of a method, and the arguments.
    NodeList operands_of(NodeId call) const {
        const SyntaxTree& tree = file_.tree();
        NodeList out;
        const NodeId function = tree.child(call, Field::function);
        if (tree.kind(function) == NodeKind::attribute) out.push_back(tree.child(function, Field::object));
        const NodeId list = tree.child(call, Field::arguments);
        if (list == kNoNode) return out;
        for (NodeId argument : tree.named_children(list)) {
            const bool is_keyword = tree.kind(argument) == NodeKind::keyword_argument;
            const NodeId value = is_keyword ? tree.child(argument, Field::value) : argument;
            if (value != kNoNode) out.push_back(value);
        }
        return out;
    }

    void add_wrong_dtypes(const NodeList& operands, const Reference& reference, const Known& known) {
        const Rule* rule = file_.rules().api_rules.wrong_dtype;
        const TensorFacts& tensors = file_.rules().tensors;
        if (rule == nullptr || known.accepted.empty() || !tensors.computes(reference.name)) return;
        if (tensors.made_by.find(reference.name) != tensors.made_by.end()) return;  // a conversion
        for (NodeId operand : operands) {
            const auto dtype = dtypes_.of(operand);
            if (!dtype || !tensors.excludes(known.accepted, *dtype)) continue;
            const base::Message note("This is {dtype}, and documented are {dtypes}.",
                                     {{"dtype", *dtype}, {"dtypes", base::joined(known.facts->dtypes, ", ")}});
            sink_.push_back(
                make_finding(*rule, file_.tree().range(operand), reference.name, reference.certainty, {}, note, {}));
            return;
        }
    }

    void add_limits(NodeId node, const Reference& reference, Known& known) {
        base::Message note;
        for (const ApiLimit* limit : known.facts->limits) {
            if (limit->minor) continue;
            const NodeId argument = limit->keyword.empty() ? kNoNode : argument_of(node, reference, *limit);
            const Shown shown = shown_by(argument, *limit);
            if (shown == Shown::beyond) add_beyond(argument, reference, *limit);
            if (shown == Shown::not_at_all) note.add(limit->text);
        }
        if (!note.empty()) add_use(node, reference, known, file_.rules().api_rules.partly, note);
    }

    // The value that a call gives to the argument which decides, or kNoNode.
    NodeId argument_of(NodeId function, const Reference& reference, const ApiLimit& limit) const {
        const auto position = limit.positions.find(reference.name);
        const auto arguments = arguments_at(file_, function, reference);
        if (!arguments) return kNoNode;
        return arguments->find(file_.tree(),
                               position == limit.positions.end() ? std::nullopt : std::optional(position->second),
                               limit.keyword);
    }

    enum class Shown { not_at_all, within, beyond };

    // Whether the call keeps to the limit, by a written value or without the argument; of variables nothing is said.
    Shown shown_by(NodeId argument, const ApiLimit& limit) const {
        const SyntaxTree& tree = file_.tree();
        if (argument == kNoNode) return limit.optional ? Shown::within : Shown::not_at_all;
        if (limit.allowed.empty()) return Shown::not_at_all;
        const bool is_keyword = tree.kind(argument) == NodeKind::keyword_argument;
        const NodeId value = is_keyword ? tree.child(argument, Field::value) : argument;
        if (value == kNoNode) return Shown::not_at_all;
        std::string text(tree.text(value));
        if (tree.kind(value) == NodeKind::string) {
            const auto plain = file_.bindings().constant_string(value);
            if (!plain) return Shown::not_at_all;
            text = base::format("\"{}\"", *plain);
        } else if (const auto references = file_.bindings().references(value); references.size() == 1) {
            if (references.front().origin != Origin::external) return Shown::not_at_all;
            text = references.front().name;
        } else if (!is_literal(tree.kind(value))) {
            return Shown::not_at_all;
        }
        return base::contains(limit.allowed, text) ? Shown::within : Shown::beyond;
    }

    static bool is_literal(NodeKind kind) {
        return kind == NodeKind::integer || kind == NodeKind::float_ || kind == NodeKind::true_ ||
               kind == NodeKind::false_ || kind == NodeKind::none;
    }

    void add_beyond(NodeId argument, const Reference& reference, const ApiLimit& limit) {
        const Rule* rule = file_.rules().api_rules.beyond_limit;
        if (rule == nullptr) return;
        sink_.push_back(
            make_finding(*rule, file_.tree().range(argument), reference.name, reference.certainty, {}, limit.text, {}));
    }

    void add_use(NodeId node, const Reference& reference, Known& known, const Rule* rule, const base::Message& note) {
        if (rule == nullptr) return;
        if (known.use) {
            ++uses_[*known.use].count;
            return;
        }
        known.use = uses_.size();
        uses_.push_back(
            {make_finding(*rule, file_.tree().range(node), reference.name, reference.certainty, {}, note, {})});
    }

    const PythonFile& file_;
    FindingSink& sink_;
    DtypeFlow dtypes_;
    ToldUses operators_;
    std::map<std::string, Known, std::less<>> known_;
    std::vector<Use> uses_;
};

}  // namespace

void match_api_support(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink) {
    ApiMatcher(file, sink).run(literals);
}

std::vector<std::string> used_interfaces(const RuleSet& rules, const SyntaxTree& tree, const Bindings& bindings) {
    std::unordered_set<std::string_view> named;
    for (NodeId node : bindings.external_expressions()) {
        for (const Reference& reference : bindings.references(node)) {
            if (reference.origin == Origin::external && reference.certainty != Certainty::textual)
                named.insert(reference.name);
        }
    }
    std::set<std::string, std::less<>> out;
    for (const std::string_view name : named) {
        const bool is_spoken_for = rules.names.row(name) != nullptr || rules.names.prefix(name) != nullptr;
        if (!is_spoken_for && rules.apis.is_interface(name)) out.emplace(name);
    }
    for (NodeId node = 0; node < tree.size(); ++node) {
        if (auto reference = interface_of_operator(rules.tensors, tree, bindings, node))
            out.insert(std::move(reference->name));
    }
    return {out.begin(), out.end()};
}

}  // namespace migrator
