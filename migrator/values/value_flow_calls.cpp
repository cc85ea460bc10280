// ValueFlow: what becomes of a value that a call gets, or that a method is called on.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "migrator/python/call_arguments.h"
#include "migrator/values/value_flow.h"

namespace migrator {
namespace {

// Of a text: what gives the same text, but for its case and blanks.
constexpr std::array<std::string_view, 7> kSameText{"format", "lower",  "upper",  "casefold",
                                                    "strip",  "rstrip", "replace"};
// What makes a sequence of a sequence.
constexpr std::array<std::string_view, 7> kSequences{"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter"};
// Methods of a text that look for another one in it.
constexpr std::array<std::string_view, 15> kAsksText{
    "startswith", "endswith", "removeprefix", "removesuffix", "strip", "lstrip", "rstrip", "replace",
    "split",      "rsplit",   "partition",    "rpartition",   "find",  "index",  "count"};
// What tells something about a value, and does not pass it on.
constexpr std::array<std::string_view, 12> kAsks{"isinstance", "type",     "id",  "hash", "bool",  "int",
                                                 "float",      "callable", "any", "all",  "super", "dir"};

// kNoNode for those that there are not.
std::pair<NodeId, NodeId> first_arguments(const SyntaxTree& tree, NodeId list) {
    const auto next_named = [&](NodeId at) {
        while (at != kNoNode && !tree.named(at)) at = tree.next_sibling(at);
        return at;
    };
    const NodeId first = next_named(tree.first_child(list));
    return {first, first == kNoNode ? kNoNode : next_named(tree.next_sibling(first))};
}

}  // namespace

// A method of the value, or of what holds it: "cuda:{}".format(i), devices.items(), name.split(":").
NodeId ValueFlow::above_object(NodeId attribute, NodeId object, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    const NodeId call = file_.call_of(attribute);
    if (call == kNoNode) return kNoNode;
    const std::string_view method = file_.last_name(attribute);
    if (shape.is_plain()) {
        if (takes_text_apart(method)) return wrap(shape, Level::item, call);
        const NodeKind kind = tree.kind(object);
        if (kind == NodeKind::string || kind == NodeKind::concatenated_string) return call;
        return base::contains(kSameText, method) ? call : kNoNode;
    }
    if (method == "copy") return call;
    switch (shape.top()) {
        case Level::item:
            if (method != "pop") return kNoNode;
            shape.pop();
            return call;
        case Level::key:
        case Level::entry: return above_mapping_read(call, method, shape);
        case Level::result:
        case Level::none: return kNoNode;
    }
    return kNoNode;
}

// times[device] = 1, {d: f(d) for d in devices} or for d in times, and somewhere else times["cuda"]: whether such values are
// keys of the mapping, in this file or in another.
std::optional<Certainty> ValueFlow::key_of_values(NodeId mapping) {
    const SyntaxTree& tree = file_.tree();
    for (const BindingSite& site : file_.bindings().binding_sites(mapping)) {
        if (!file_.may_step()) return std::nullopt;
        if (site.value == kNoNode || tree.kind(site.value) != NodeKind::dictionary_comprehension) continue;
        const NodeId key = tree.child(tree.child(site.value, Field::body), Field::key);
        if (const auto certainty = is_value(key)) return certainty;
    }
    ValueFlow other(file_, row_);
    other.follows_comparisons_ = false;  // two mappings must not answer each other
    other.start();
    ValueShape key;
    key.push(Level::key);
    other.push_reads(mapping, key);
    other.leaves_through_variable(mapping, key);
    for (const Reference& reference : file_.bindings().references(mapping)) {
        if (reference.origin != Origin::external) other.leaves_through(reference.name + key.text());
    }
    const auto certainty = other.follow();
    ends_.merge(other.ends_);
    return certainty;
}

// A mapping that comes from elsewhere: a parameter, `self` of a class that is one, or a member of an object.
bool ValueFlow::is_seen_in_part(NodeId mapping) const {
    const SyntaxTree& tree = file_.tree();
    if (tree.kind(mapping) == NodeKind::attribute) return true;
    return std::ranges::any_of(file_.bindings().binding_sites(mapping), [&](const BindingSite& site) {
        return site.value == kNoNode && tree.ancestor(site.target, NodeKind::parameters) != kNoNode;
    });
}

// {"cuda": ...}.get(device): what is asked for decides about the keys; a value is what the call gives.
NodeId ValueFlow::above_mapping_read(NodeId call, std::string_view method, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    const bool is_entry = shape.top() == Level::entry;
    if (method == (is_entry ? "values" : "keys") || method == "items") {
        shape.pop();
        if (method == "items" && wrap(shape, Level::item, call, is_entry ? 1 : 0) == kNoNode) return kNoNode;
        return wrap(shape, Level::item, call);
    }
    if (!reads_by_key(method) && method != "getattr") return kNoNode;
    const NodeId key = first_arguments(tree, tree.child(call, Field::arguments)).first;
    if (key == kNoNode) return kNoNode;
    if (!is_entry) {
        found(is_value(key));
        return kNoNode;
    }
    shape.pop();
    return call;
}

bool ValueFlow::is_one_of(const std::vector<std::string>& functions, NodeId function) const {
    const auto references = file_.bindings().references(function);
    return std::ranges::any_of(references,
                               [&](const Reference& reference) { return base::contains(functions, reference.name); });
}

// zip(devices, names): the item of a tuple, which is an item of what the call gives.
NodeId ValueFlow::above_zipped(NodeId call, std::size_t place, ValueShape& shape) {
    shape.pop();
    return wrap(shape, Level::item, call, place) == kNoNode ? kNoNode : wrap(shape, Level::item, call);
}

bool ValueFlow::is_builtin(NodeId function) const {
    const auto references = file_.bindings().references(function);
    return file_.tree().kind(function) == NodeKind::identifier && !references.empty() &&
           std::all_of(references.begin(), references.end(),
                       [](const Reference& reference) { return reference.origin == Origin::builtin; });
}

NodeId ValueFlow::above_argument(NodeId argument, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    NodeId call = tree.parent(tree.parent(argument));
    if (tree.kind(call) != NodeKind::call) return kNoNode;
    NodeId function = tree.child(call, Field::function);
    if (function == kNoNode) return kNoNode;
    std::string_view name = file_.last_name(function);
    const bool is_method = tree.kind(function) == NodeKind::attribute;
    std::optional<std::size_t> position = file_.argument_position(argument);
    const auto [first, second] = first_arguments(tree, tree.parent(argument));
    if (tree.kind(tree.parent(call)) == NodeKind::raise_statement || is_text_shown_by(call)) {
        shown_ = true;
        return kNoNode;
    }
    if (shape.is_plain() && is_string_method(call, "format")) {
        // "{}:{}".format("cuda", i)
        std::string_view format = tree.text(tree.child(function, Field::object));
        format = format.substr(std::min(format.find_first_of("'\"") + 1, format.size()));
        if (position == 0 && format.starts_with('{')) return call;
        return above_text_part(format.substr(0, format.find('{')));
    }
    if (is_string_method(call, "join")) {
        if (shape.top() == Level::item) shape.pop();
        return call;
    }
    if (is_method && shape.is_plain() && position == 0 && base::contains(kAsksText, name)) {
        const std::optional<Certainty> certainty = is_value(tree.child(function, Field::object));
        found(certainty);
        if (certainty) return kNoNode;
    }
    if (reads_by_key(name) || name == "getattr" || name == "setattr") {
        // getattr(args, "device", "cuda"), cfg.get("device", "cuda"): the default of a carrier
        std::size_t key = is_method ? 0 : 1;
        if (position && *position == key + 1 && is_carrier_key(key == 0 ? first : second)) {
            found(Certainty::likely);
            return call;
        }
        if (position == key) {
            // getattr(x, "cuda")(): a method, and maybe one of torch
            const auto type = file_.bindings().type_of(first);
            const bool is_own = type && type->origin == Origin::project;
            users_name_ |= is_own || key == 0 || file_.call_of(call) == kNoNode;
            if (key == 1 && shape.is_plain()) names_member_of(first);
        }
    }
    const TextPlaces& places = file_.rules().text_places;
    if (is_argument_of(places.passed, call, argument, {})) return call;
    if (position && shape.top() == Level::item) {
        if (is_one_of(places.zipped, function)) return above_zipped(call, *position, shape);
        if (is_one_of(places.chained, function)) return call;
    }
    if (is_argument_of(places.declared, call, argument, {})) return above_option(call, argument, shape);
    if (position && is_builtin(function)) return above_builtin(call, name, *position, shape);
    const std::size_t ends = ends_.size();
    const std::optional<Certainty> certainty = parameter(call, argument, {}, shape);
    found(certainty);
    if (certainty || ends_.size() > ends) return kNoNode;
    if (is_method && fills_container(call, name, position, shape)) return kNoNode;
    if (shape.is_plain() && declares_option(call)) users_name_ = true;
    return lose(argument);
}

NodeId ValueFlow::above_builtin(NodeId call, std::string_view name, std::size_t position, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    if (name == "str" || (name == "getattr" && position == 2)) return call;
    if (name == "len" && shape.is_plain() && tree.kind(tree.parent(call)) == NodeKind::slice) {
        // device[len("cuda:"):]
        const std::optional<Certainty> certainty = is_value(tree.child(tree.parent(tree.parent(call)), Field::value));
        found(certainty);
        return certainty ? kNoNode : lose(call);
    }
    if (base::contains(kAsks, name) || (name == "len" && !shape.is_plain())) return kNoNode;
    if (base::contains(kSequences, name) && !shape.is_plain()) {
        if (shape.top() == Level::entry) return kNoNode;
        shape.pop();
        return wrap(shape, Level::item, call);
    }
    if (shape.top() == Level::item && name == "next") {
        shape.pop();
        return call;
    }
    if (shape.top() == Level::item && (name == "enumerate" || name == "zip"))
        return above_zipped(call, name == "zip" ? position : 1, shape);
    if (name == "dict") return call;
    return users_name_ ? kNoNode : lose(call);
}

NodeId ValueFlow::above_keyword(NodeId keyword, ValueShape& shape) {
    const SyntaxTree& tree = file_.tree();
    NodeId name = tree.child(keyword, Field::name);
    NodeId call = tree.parent(tree.parent(keyword));
    if (name == kNoNode || call == kNoNode || tree.kind(call) != NodeKind::call) return kNoNode;
    if (is_text_shown_by(call)) {
        shown_ = true;
        return kNoNode;
    }
    const NodeId function = tree.child(call, Field::function);
    if (tree.text(function) == "dict" && is_builtin(function)) {
        note_entry(tree.text(name), shape);
        return wrap(shape, Level::entry, call);
    }
    if (goes_to_started(call, tree.text(name), shape)) return kNoNode;
    if (is_argument_of(file_.rules().text_places.passed, call, keyword, tree.text(name))) return call;
    const std::size_t ends = ends_.size();
    const std::optional<Certainty> certainty = parameter(call, keyword, tree.text(name), shape);
    found(certainty);
    if (base::contains(row_.option_values, tree.text(name)) && declares_option(call)) {
        if (shape.top() == Level::result) shape.pop();
        return above_option(call, keyword, shape);
    }
    return certainty || ends_.size() > ends ? kNoNode : lose(keyword);
}

// add_argument("--where", default="cuda"): read as a member of what the parser gives, or as a parameter of the function that
// the declaration decorates; `where: str = field(default="cuda")`: the value of the call.
NodeId ValueFlow::above_option(NodeId call, NodeId argument, ValueShape shape) {
    const std::string member = option_member(call);
    if (member.empty()) return call;
    const SyntaxTree& tree = file_.tree();
    const NodeId decorator = tree.parent(call);
    const auto leave = [&] {
        if (tree.kind(decorator) != NodeKind::decorator) return leaves_as_member(member, shape);
        const NodeId function = tree.child(tree.parent(decorator), Field::definition);
        if (function != kNoNode) push_parameter(function, member, shape);
    };
    leave();
    // One of several that may be chosen.
    if (shape.top() == Level::item) {
        shape.pop();
        leave();
    }
    return lose(argument);
}

// Whether the call's function is one of these, and the argument the one that they name: os.getenv("DEVICE", "cuda").
bool ValueFlow::is_argument_of(const ParametersByFunction& functions, NodeId call, NodeId argument,
                               std::string_view keyword) {
    const auto position = keyword.empty() ? file_.argument_position(argument) : std::nullopt;
    for (const Reference& reference : file_.bindings().references(file_.tree().child(call, Field::function))) {
        const auto rows = functions.find(reference.name);
        if (rows != functions.end() && parameter_of(rows->second, position, keyword, reference.certainty, {}))
            return true;
    }
    return false;
}

// Thread(target=f, args=("cuda", 1)), Process(target=f, kwargs={"device": "cuda"}): f gets it.
bool ValueFlow::goes_to_started(NodeId call, std::string_view keyword, ValueShape shape) {
    const SyntaxTree& tree = file_.tree();
    const bool is_item = shape.top() == Level::item && shape.index() != ValueShape::kAny;
    if (!is_item && shape.top() != Level::entry) return false;
    const NodeId starter = tree.child(call, Field::function);
    for (const StartingFunction& row : file_.rules().text_places.started) {
        if (keyword != (is_item ? row.arguments : row.named) || !is_one_of(row.of, starter)) continue;
        const auto arguments = call_arguments(file_, call, file_.bindings().references(starter)[0]);
        const NodeId given = arguments ? arguments->find(tree, row.position, row.function) : kNoNode;
        if (given == kNoNode) continue;
        const NodeId function =
            tree.kind(given) == NodeKind::keyword_argument ? tree.child(given, Field::value) : given;
        if (function == kNoNode) continue;
        const auto position = is_item ? std::optional<std::size_t>(shape.index() + row.from) : std::nullopt;
        shape.pop();
        const bool has_name = !is_item && shape.is_plain() && entry_key_;
        const std::size_t ends = ends_.size();
        found(project_parameter(file_.bindings().references(function), position,
                                has_name ? std::string_view(*entry_key_) : std::string_view(), shape));
        return ends_.size() > ends;
    }
    return false;
}

// print("cuda"), log.info("cuda"): for people.
bool ValueFlow::is_text_shown_by(NodeId call) const {
    const TextPlaces& places = file_.rules().text_places;
    const NodeId function = file_.tree().child(call, Field::function);
    return is_one_of(places.shown, function) ||
           (file_.bindings().references(function).empty() && file_.tree().kind(function) == NodeKind::attribute &&
            base::contains(places.shown_by_methods, file_.last_name(function)));
}

// devices.append("cuda:0"): what is called on has it now.
bool ValueFlow::fills_container(NodeId call, std::string_view method, std::optional<std::size_t> position,
                                ValueShape shape) {
    const SyntaxTree& tree = file_.tree();
    const NodeId object = tree.child(tree.child(call, Field::function), Field::object);
    const bool adds_one = ((method == "append" || method == "add" || method == "appendleft") && position == 0) ||
                          (method == "insert" && position == 1);
    const bool adds_all = (method == "extend" || method == "update") && position == 0;
    if (!adds_one && !adds_all) return false;
    if (object == kNoNode || file_.has_external_reference(object)) return false;
    if (adds_all && shape.is_plain()) return false;
    if (adds_one && wrap(shape, Level::item, call) == kNoNode) return true;
    bind(object, shape);
    return true;
}

}  // namespace migrator
