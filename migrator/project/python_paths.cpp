#include "migrator/project/python_paths.h"

#include <array>
#include <unordered_map>

#include "base/number_text.h"
#include "base/text.h"
#include "migrator/loops/script.h"
#include "migrator/project/path_value.h"
#include "migrator/semantic/string_literal.h"

namespace migrator {
namespace {

constexpr int kMaxDepth = 48;  // of expressions in each other, and of variables

// The value of an expression, as far as it is made of literals, variables with one value and what the facts know.
class PathValues {
public:
    PathValues(const Script& script, const PathFacts& facts, const base::Path& file)
        : script_(script), tree_(script.tree), facts_(facts), file_(file) {}

    PathValue of(NodeId node) {
        if (node == kNoNode || depth_ == kMaxDepth) return unknown_path();
        const auto [found, is_new] = values_.emplace(node, unknown_path());
        if (!is_new) return found->second;
        ++depth_;
        PathValue value = work_out(node);
        --depth_;
        if (value.size() > kLongestPath) value = unknown_path();
        return values_[node] = std::move(value);
    }

    // Whether it makes a path of parts.
    bool composes(NodeId node) const {
        switch (tree_.kind(node)) {
            case NodeKind::binary_operator:
                return sign(node).size() == 1 && base::contains(std::string_view("/+%"), sign(node)[0]);
            case NodeKind::string:
            case NodeKind::concatenated_string: return !string_literal_value(tree_, node);
            case NodeKind::attribute: return base::contains(facts_.parent_members, member(node));
            case NodeKind::subscript: return all_parents_of(node) != kNoNode;
            case NodeKind::call: return call_composes(node);
            default: return false;
        }
    }

    std::vector<NodeId> arguments(NodeId call) const {
        std::vector<NodeId> out;
        const NodeId list = tree_.child(call, Field::arguments);
        if (list == kNoNode || tree_.kind(list) != NodeKind::argument_list) return out;
        for (const NodeId argument : tree_.named_children(list)) {
            const NodeKind kind = tree_.kind(argument);
            if (kind != NodeKind::comment && kind != NodeKind::keyword_argument) out.push_back(argument);
        }
        return out;
    }

    bool calls(NodeId call, const std::vector<std::string>& names) const {
        const NodeId function = tree_.child(call, Field::function);
        return function != kNoNode && script_.means(function, names);
    }
    bool calls_member(NodeId call, const std::vector<std::string>& names) const {
        return base::contains(names, script_.called_member(call));
    }
    NodeId object(NodeId call) const { return tree_.child(tree_.child(call, Field::function), Field::object); }

    // The largest expression that this one is the beginning or a part of.
    NodeId outermost(NodeId node) const {
        NodeId out = node;
        NodeId at = node;
        for (int steps = 0; steps < kMaxDepth && at != tree_.root(); ++steps) {
            at = tree_.parent(at);
            if (composes(at)) {
                out = at;
                continue;
            }
            constexpr auto kBetween = std::to_array({NodeKind::argument_list, NodeKind::parenthesized_expression,
                                                     NodeKind::attribute, NodeKind::interpolation, NodeKind::tuple});
            if (!base::contains(kBetween, tree_.kind(at))) break;
        }
        return out;
    }

private:
    std::string_view sign(NodeId operation) const {
        const NodeId node = tree_.child(operation, Field::operator_);
        return node == kNoNode ? std::string_view() : tree_.text(node);
    }
    std::string_view member(NodeId attribute) const {
        const NodeId name = tree_.child(attribute, Field::attribute);
        return name == kNoNode ? std::string_view() : tree_.text(name);
    }

    bool call_composes(NodeId call) const {
        if (calls(call, facts_.joins) || calls(call, facts_.parents) || calls(call, facts_.packages)) return true;
        return calls_member(call, facts_.join_members) || calls_member(call, facts_.sibling_members) ||
               calls_member(call, facts_.format_members);
    }

    PathValue work_out(NodeId node) {
        switch (tree_.kind(node)) {
            case NodeKind::string: return of_string(node);
            case NodeKind::concatenated_string: {
                PathValue out;
                for (const NodeId part : tree_.named_children(node)) {
                    if (tree_.kind(part) == NodeKind::string) out += of(part);
                }
                return out;
            }
            case NodeKind::parenthesized_expression: {
                const NodeList inner = tree_.named_children(node);
                return inner.size() == 1 ? of(inner.front()) : unknown_path();
            }
            case NodeKind::binary_operator: return of_operator(node);
            case NodeKind::call: return of_call(node);
            case NodeKind::subscript: return of_subscript(node);
            case NodeKind::attribute:
                if (composes(node)) return parent_path(of(tree_.child(node, Field::object)));
                return of_variable(node);
            case NodeKind::identifier: return of_variable(node);
            default: return unknown_path();
        }
    }

    PathValue of_string(NodeId node) {
        if (const auto text = string_literal_value(tree_, node)) return known_text(*text);
        PathValue out;
        for (const NodeId part : tree_.named_children(node)) {
            const NodeKind kind = tree_.kind(part);
            if (kind == NodeKind::string_content)
                out += tree_.first_child(part) == kNoNode ? known_text(tree_.text(part)) : unknown_path();
            if (kind != NodeKind::interpolation) continue;
            const bool is_plain = tree_.named_children(part).size() == 1;  // no format, no conversion
            out += is_plain ? of(tree_.child(part, Field::expression)) : unknown_path();
        }
        return out;
    }

    PathValue of_operator(NodeId node) {
        const PathValue left = of(tree_.child(node, Field::left));
        const NodeId right_node = tree_.child(node, Field::right);
        if (sign(node) == "%" && right_node != kNoNode) {
            if (tree_.kind(right_node) != NodeKind::tuple) return filled_in(left, "%s", {right_node});
            const NodeList parts = tree_.named_children(right_node);
            return filled_in(left, "%s", {parts.begin(), parts.end()});
        }
        const PathValue right = of(right_node);
        if (sign(node) == "/") return joined_paths(left, right);
        return sign(node) == "+" ? left + right : unknown_path();
    }

    // "%s/%s.txt" % (a, b), "{}/{}.txt".format(a, b): `place` is the plain one; another is not worked out.
    PathValue filled_in(const PathValue& text, std::string_view place, const std::vector<NodeId>& parts) {
        PathValue out;
        std::size_t next = 0;
        for (std::size_t at = 0; at < text.size();) {
            if (text[at] != place.front()) {
                out += text[at++];
                continue;
            }
            if (!std::string_view(text).substr(at).starts_with(place)) return out + kUnknown;
            out += next < parts.size() ? of(parts[next++]) : unknown_path();
            at += place.size();
        }
        return out;
    }

    PathValue of_call(NodeId call) {
        const std::vector<NodeId> given = arguments(call);
        const auto all_joined = [&](PathValue out, std::size_t first) {
            for (std::size_t i = first; i < given.size(); ++i) out = joined_paths(out, of(given[i]));
            return out;
        };
        if (calls(call, facts_.joins)) return all_joined("", 0);
        if (calls(call, facts_.parents)) return given.empty() ? unknown_path() : parent_path(of(given.front()));
        if (calls(call, facts_.packages))
            return all_joined(given.empty() ? directory_of_file() : of_package(given.front()), 1);
        if (calls(call, facts_.start_directories)) return ".";
        if (calls(call, facts_.elsewhere)) return "/";
        if (calls_member(call, facts_.join_members)) return all_joined(of(object(call)), 0);
        if (calls_member(call, facts_.sibling_members)) return all_joined(parent_path(of(object(call))), 0);
        if (calls_member(call, facts_.format_members)) return filled_in(of(object(call)), "{}", given);
        return unknown_path();
    }

    PathValue directory_of_file() const { return path_of_project(base::directory_below(file_)); }

    // A package by its name, by the name of this one, or as the module itself.
    PathValue of_package(NodeId node) {
        if (base::contains(facts_.package_names, tree_.text(node))) return directory_of_file();
        PathValue name = of(node);
        const auto references = script_.bindings.references(node);
        if (name == unknown_path() && references.size() == 1) name = references.front().name;
        for (char& c : name) c = c == '.' ? '/' : c;
        return name;
    }

    // Path(__file__).parents[1]: the node of Path(__file__); kNoNode: it is something else.
    NodeId all_parents_of(NodeId subscript) const {
        const NodeId list = tree_.child(subscript, Field::value);
        const bool is_list = list != kNoNode && tree_.kind(list) == NodeKind::attribute &&
                             base::contains(facts_.all_parents_members, member(list));
        return is_list ? tree_.child(list, Field::object) : kNoNode;
    }

    PathValue of_subscript(NodeId node) {
        const NodeId path = all_parents_of(node);
        const NodeId number = tree_.child(node, Field::subscript);
        if (path == kNoNode || number == kNoNode) return unknown_path();
        const auto count = base::number_in<unsigned>(tree_.text(number));
        if (!count || *count > kMaxDepth) return unknown_path();
        PathValue out = of(path);
        for (unsigned i = 0; i <= *count; ++i) out = parent_path(out);
        return out;
    }

    PathValue of_variable(NodeId node) {
        if (base::contains(facts_.file_names, tree_.text(node))) return path_of_project(file_);
        return of(script_.value_of(node));
    }

    const Script& script_;
    const SyntaxTree& tree_;
    const PathFacts& facts_;
    const base::Path& file_;
    std::unordered_map<NodeId, PathValue> values_;
    int depth_ = 0;
};

class PathFinder {
public:
    PathFinder(const Script& script, const PathFacts& facts, const base::Path& file)
        : script_(script), tree_(script.tree), facts_(facts), values_(script, facts, file) {}

    PathsOfFile find() {
        std::set<NamedPath> mentioned;
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) == NodeKind::call) add_call(id);
            if (values_.composes(id) && values_.outermost(id) == id && !is_only_beginning(id)) {
                if (is_output(id)) add_written(values_.of(id));
                else if (const auto path = named_path(values_.of(id), false)) mentioned.insert(*path);
            }
        }
        for (const NamedPath& path : mentioned) {
            if (!is_written(path.path)) out_.named.insert(path);
        }
        for (const NamedPath& path : out_.named) out_.written.erase(path.path);
        return std::move(out_);
    }

private:
    bool is_written(const base::Path& path) const {
        for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
            if (out_.written.contains(path.substr(0, end))) return true;
            if (end == path.npos) return false;
        }
    }

    void add_opened(const PathValue& value) {
        if (auto path = named_path(value, true)) out_.named.insert(std::move(*path));
    }
    void add_written(const PathValue& value) {
        if (auto path = named_path(value, false)) out_.written.insert(std::move(path->path));
    }

    void add_call(NodeId call) {
        const std::vector<NodeId> given = values_.arguments(call);
        if (values_.calls(call, facts_.opens)) {
            const NodeId file = given.empty() ? keyword(call, "") : given.front();
            is_to_write(call, given, 1) ? add_written(values_.of(file)) : add_opened(values_.of(file));
        } else if (values_.calls(call, facts_.packages)) {
            add_opened(values_.of(call));
        } else if (values_.calls(call, facts_.writes)) {
            for (const NodeId argument : given) add_written(values_.of(argument));
        } else if (values_.calls_member(call, facts_.open_members)) {
            const PathValue path = values_.of(values_.object(call));
            is_to_write(call, given, 0) ? add_written(path) : add_opened(path);
        } else if (values_.calls_member(call, facts_.pattern_members)) {
            const PathValue pattern = given.empty() ? unknown_path() : values_.of(given.front());
            add_opened(joined_paths(values_.of(values_.object(call)), pattern));
        } else if (values_.calls_member(call, facts_.write_members)) {
            add_written(values_.of(values_.object(call)));
            for (const NodeId argument : given) add_written(values_.of(argument));
        }
    }

    // The value of a keyword argument; of the first one without a name.
    NodeId keyword(NodeId call, std::string_view name) const {
        const NodeId list = tree_.child(call, Field::arguments);
        if (list == kNoNode) return kNoNode;
        for (const NodeId argument : tree_.named_children(list)) {
            if (tree_.kind(argument) == NodeKind::keyword_argument &&
                (name.empty() || tree_.text(tree_.child(argument, Field::name)) == name))
                return tree_.child(argument, Field::value);
        }
        return kNoNode;
    }

    // "w", "ab", "x+": the argument of this number, or `mode`.
    bool is_to_write(NodeId call, const std::vector<NodeId>& given, std::size_t position) const {
        const NodeId mode = position < given.size() ? given[position] : keyword(call, "mode");
        const auto text = mode == kNoNode ? std::nullopt : string_literal_value(tree_, mode);
        return text && text->find_first_of("wax") != text->npos && text->find_first_not_of("waxbt+") == text->npos;
    }

    // output_dir = ..., f(save_to=...), save_model(...): the name says that it is written.
    bool is_output(NodeId node) const {
        NodeId parent = tree_.parent(node);
        if (tree_.kind(parent) == NodeKind::argument_list) parent = tree_.parent(parent);
        const auto name = [&] {
            switch (tree_.kind(parent)) {
                case NodeKind::assignment: return tree_.child(parent, Field::left);
                case NodeKind::keyword_argument: return tree_.child(parent, Field::name);
                case NodeKind::call: return tree_.child(parent, Field::function);
                default: return kNoNode;
            }
        };
        return has_word(last_name(tree_, name()), facts_.output_words);
    }

    // DATA = os.path.join(HERE, "data"), where every use is a part of another path.
    bool is_only_beginning(NodeId node) {
        const NodeId assignment = tree_.parent(node);
        if (assignment == kNoNode || tree_.kind(assignment) != NodeKind::assignment) return false;
        const NodeId target = tree_.child(assignment, Field::left);
        const auto reads = script_.bindings.reads(target);
        if (target == kNoNode || script_.value_of(target) != node || reads.empty() || reads.size() > kMaxBindingSites)
            return false;
        for (const NodeId read : reads) {
            if (values_.outermost(read) == read) return false;
        }
        return true;
    }

    const Script& script_;
    const SyntaxTree& tree_;
    const PathFacts& facts_;
    PathValues values_;
    PathsOfFile out_;
};

}  // namespace

PathsOfFile python_paths(const SyntaxTree& tree, const Bindings& bindings, const PathFacts& facts,
                         const base::Path& file) {
    const Script script(tree, bindings);
    return PathFinder(script, facts, file).find();
}

}  // namespace migrator
