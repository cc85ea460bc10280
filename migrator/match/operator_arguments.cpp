// `operator_call`: calls of operators whose schemas are known, checked against what each takes.
#include <algorithm>
#include <set>

#include "base/nearest_word.h"
#include "base/text.h"
#include "migrator/match/matchers.h"
#include "migrator/operators/operator_schemas.h"

namespace migrator {
namespace {

// What a call gives: positional arguments, then keywords, with the values as they are written.
struct Given {
    NodeList positional;
    std::vector<std::pair<std::string_view, NodeId>> keywords;
    bool is_open = false;  // a star: there may be more
    NodeId list = kNoNode;
};

Given given_by(const SyntaxTree& tree, NodeId call) {
    Given out;
    out.list = tree.child(call, Field::arguments);
    if (out.list == kNoNode) return out;
    for (NodeId argument : tree.named_children(out.list)) {
        switch (tree.kind(argument)) {
            case NodeKind::keyword_argument:
                out.keywords.emplace_back(tree.text(tree.child(argument, Field::name)),
                                          tree.child(argument, Field::value));
                break;
            case NodeKind::list_splat:
            case NodeKind::dictionary_splat: out.is_open = true; break;
            case NodeKind::comment: break;
            default:
                // Behind a star the positions are not known.
                if (!out.is_open) out.positional.push_back(argument);
        }
    }
    return out;
}

// Whether a written value can be no value of the type; of variables nothing is known.
bool is_excluded(const SyntaxTree& tree, NodeId value, std::string_view type) {
    if (type.ends_with('?')) type.remove_suffix(1);
    const bool is_list = type.ends_with(']');
    const std::string_view element = type.substr(0, type.find('['));
    const bool takes_text = element == "str" || element == "Device" || element == "Dimname";
    switch (tree.kind(value)) {
        case NodeKind::string: return is_list || !takes_text;
        case NodeKind::list:
        case NodeKind::tuple: return !is_list;
        case NodeKind::integer:
        case NodeKind::float_:
        case NodeKind::true_:
        case NodeKind::false_: return element == "Tensor" || element == "str" || element == "Generator";
        default: return false;
    }
}

struct Problem {
    NodeId at;
    base::Message text;
};

std::vector<std::string> names_of(const OperatorSchema& schema) {
    std::vector<std::string> out;
    for (const SchemaArgument& argument : schema) out.push_back(argument.name);
    return out;
}

std::vector<Problem> problems_of(const SyntaxTree& tree, const Given& given, const OperatorSchema& schema) {
    std::vector<Problem> out;
    std::set<std::string_view> bound;
    const auto bind = [&](const SchemaArgument& argument, NodeId value) {
        bound.insert(argument.name);
        if (is_excluded(tree, value, argument.type))
            out.push_back({value, {"{argument} is a {type}.", {{"argument", argument.name}, {"type", argument.type}}}});
    };
    std::size_t positions = 0;
    while (positions < schema.size() && !schema[positions].keyword_only) ++positions;
    for (std::size_t i = 0; i < given.positional.size(); ++i) {
        if (i < positions) {
            bind(schema[i], given.positional[i]);
            continue;
        }
        out.push_back({given.positional[i],
                       {"Without keywords it takes {most} arguments, and here are {count}.",
                        {{"most", std::to_string(positions)}, {"count", std::to_string(given.positional.size())}}}});
        break;
    }
    for (const auto& [name, value] : given.keywords) {
        const auto argument = std::ranges::find(schema, name, &SchemaArgument::name);
        if (argument != schema.end()) {
            bind(*argument, value);
            continue;
        }
        out.push_back({value,
                       {"It has no argument {name}; its arguments are {all}.",
                        {{"name", std::string(name)}, {"all", base::joined(names_of(schema), ", ")}}}});
    }
    for (const SchemaArgument& argument : schema) {
        if (!given.is_open && !argument.has_default && !bound.contains(argument.name))
            out.push_back({given.list, {"The argument {name} is missing.", {{"name", argument.name}}}});
    }
    return out;
}

// Those of the overload that fits best; none where one takes the call.
std::vector<Problem> fewest_problems(const SyntaxTree& tree, const Given& given,
                                     const std::vector<OperatorSchema>& overloads) {
    std::vector<Problem> fewest = problems_of(tree, given, overloads.front());
    for (std::size_t i = 1; i < overloads.size() && !fewest.empty(); ++i) {
        std::vector<Problem> problems = problems_of(tree, given, overloads[i]);
        if (problems.size() < fewest.size()) fewest = std::move(problems);
    }
    return fewest;
}

class OperatorCalls {
public:
    OperatorCalls(const PythonFile& file, const OperatorSchemas& schemas, FindingSink& sink)
        : file_(file), schemas_(schemas), sink_(sink) {}

    void match(NodeId node, const Reference& reference) {
        for (const OperatorCallRow& row : file_.rules().operator_calls) {
            if (std::ranges::none_of(row.of, [&](const auto& pattern) { return fits(pattern, reference.name); }))
                continue;
            const std::string_view name = std::string_view(reference.name).substr(reference.name.rfind('.') + 1);
            const std::vector<OperatorSchema>* overloads = schemas_.find(name);
            if (overloads == nullptr && row.which == OperatorCallCase::not_listed)
                say(row, node, reference, name_meant_by(name));
            if (overloads != nullptr && row.which == OperatorCallCase::wrong_arguments)
                check(row, node, reference, *overloads);
        }
    }

private:
    base::Message name_meant_by(std::string_view name) const {
        const std::string_view near = base::nearest_word(name, schemas_.names());
        return near.empty() ? base::Message() : base::Message("Did you mean {name}?", {{"name", std::string(near)}});
    }

    void check(const OperatorCallRow& row, NodeId node, const Reference& reference,
               const std::vector<OperatorSchema>& overloads) {
        const NodeId call = file_.call_of(node);
        if (call == kNoNode) return;
        const std::vector<Problem> problems = fewest_problems(file_.tree(), given_by(file_.tree(), call), overloads);
        if (!problems.empty()) say(row, problems.front().at, reference, problems.front().text);
    }

    void say(const OperatorCallRow& row, NodeId at, const Reference& reference, const base::Message& note) {
        sink_.push_back(
            make_finding(*row.rule, file_.tree().range(at), reference.name, reference.certainty, {}, note, {}));
    }

    const PythonFile& file_;
    const OperatorSchemas& schemas_;
    FindingSink& sink_;
};

}  // namespace

void match_operator_arguments(const PythonFile& file, FindingSink& sink) {
    const OperatorSchemas* schemas = file.context().operator_schemas;
    if (schemas == nullptr) return;
    OperatorCalls calls(file, *schemas, sink);
    for (NodeId node : file.bindings().external_expressions()) {
        for (const Reference& reference : file.bindings().references(node)) {
            const bool is_sure = reference.origin == Origin::external && reference.certainty != Certainty::textual;
            if (is_sure && file.rules().names.row(reference.name) == nullptr) calls.match(node, reference);
        }
    }
}

}  // namespace migrator
