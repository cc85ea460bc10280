#include "migrator/semantic/code_names.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "migrator/semantic/string_literal.h"

namespace migrator {
namespace {

using Name = CodeNames::Name;

constexpr std::string_view kRegister = "register";
constexpr std::string_view kHook = "hook";
constexpr std::string_view kTable = "dict";
constexpr std::string_view kGetAttribute = "getattr";
constexpr std::size_t kMostNames = 16;  // that one alias stands for

bool is_special(std::string_view name) { return name.starts_with("__") && name.ends_with("__"); }

void sort_names(std::vector<Name>& names) {
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

// The name that a call calls: run(), self.run(); empty: it has none.
std::string_view called_name(const SyntaxTree& tree, NodeId call) {
    NodeId function = tree.child(call, Field::function);
    if (function != kNoNode && tree.kind(function) == NodeKind::attribute)
        function = tree.child(function, Field::attribute);
    return function == kNoNode || tree.kind(function) != NodeKind::identifier ? std::string_view()
                                                                              : tree.text(function);
}

// What the code around a node makes of it.
struct NodeRole {
    bool in_import = false;
    bool in_type = false;
    bool gets_value = false;  // a parameter, or on the left of an assignment
    bool for_choice = false;  // registered, or in a table
};

bool gets_value(const SyntaxTree& tree, NodeId id, NodeId parent, const NodeRole& of_parent) {
    const Field field = tree.field(id);
    switch (tree.kind(parent)) {
        case NodeKind::parameters:
        case NodeKind::lambda_parameters:
        case NodeKind::as_pattern_target: return true;
        case NodeKind::typed_parameter: return field == Field::none;
        case NodeKind::default_parameter:
        case NodeKind::typed_default_parameter: return field == Field::name;
        case NodeKind::assignment:
        case NodeKind::augmented_assignment:
        case NodeKind::for_statement:
        case NodeKind::for_in_clause: return field == Field::left;
        case NodeKind::list_splat_pattern:
        case NodeKind::dictionary_splat_pattern:
        case NodeKind::pattern_list:
        case NodeKind::tuple_pattern:
        case NodeKind::list_pattern: return of_parent.gets_value;
        default: return false;
    }
}

// Whether what it is given is for a choice: register(...), dict(...), not register_forward_hook(...).
bool keeps(std::string_view function) {
    const bool is_hook = function.find(kHook) != function.npos;
    return function == kTable || (!is_hook && function.find(kRegister) != function.npos);
}

bool is_in_list(const SyntaxTree& tree, NodeId tuple) {
    const NodeKind around = tree.kind(tree.parent(tuple));
    return around == NodeKind::list || around == NodeKind::tuple || around == NodeKind::set;
}

// register("flash", run), register(Way(call=run)), {"flash": run}, ways["flash"] = run
bool is_for_choice(const SyntaxTree& tree, NodeId id, NodeId parent, const NodeRole& of_parent) {
    const Field field = tree.field(id);
    switch (tree.kind(parent)) {
        case NodeKind::pair: return field == Field::value;
        case NodeKind::assignment:
            return field == Field::right && tree.kind(tree.child(parent, Field::left)) == NodeKind::subscript;
        case NodeKind::call:
            return field != Field::function && (of_parent.for_choice || keeps(called_name(tree, parent)));
        // [("flash", run), ("plain", walk)]
        case NodeKind::tuple: return is_in_list(tree, parent);
        case NodeKind::attribute:
        case NodeKind::argument_list:
        case NodeKind::keyword_argument: return of_parent.for_choice;
        default: return false;
    }
}

// By node.
std::vector<NodeRole> roles_in(const SyntaxTree& tree) {
    std::vector<NodeRole> out(tree.size());
    // A parent comes before its children.
    for (NodeId id = 0; id < tree.size(); ++id) {
        const NodeId parent = tree.parent(id);
        if (parent == kNoNode) continue;
        const NodeRole& around = out[parent];
        const NodeKind kind = tree.kind(parent);
        out[id] = {around.in_import || kind == NodeKind::import_statement || kind == NodeKind::import_from_statement,
                   around.in_type || kind == NodeKind::type, gets_value(tree, id, parent, around),
                   is_for_choice(tree, id, parent, around)};
    }
    return out;
}

// Names of one file.
class Reader {
public:
    Reader(const SyntaxTree& tree, const CodeStandings& standings)
        : tree_(tree), standings_(standings), roles_(roles_in(tree)) {}

    CodeNames run() {
        find_bound_names();
        for (NodeId id = 0; id < tree_.size(); ++id) {
            const CodeStanding& standing = standings_[id];
            if (standing.is_in_function() && number(standing) == out_.functions.size()) add_function(id);
            if (!standing.is_in_function() && tree_.kind(id) == NodeKind::class_definition) add_class(id);
            if (standing.sometimes) continue;
            if (tree_.kind(id) == NodeKind::call) mention_named(id, standing);
            if (tree_.kind(id) == NodeKind::identifier && is_meant(id)) mention(tree_.text(id), standing);
        }
        sort_names(out_.at_load);
        sort_names(out_.as_program);
        for (CodeNames::Function& function : out_.functions) sort_names(function.mentions);
        for (CodeNames::Class& one : out_.classes) sort_names(one.bases);
        return std::move(out_);
    }

private:
    static std::size_t number(const CodeStanding& standing) { return static_cast<std::size_t>(standing.function); }

    // What imports bind, and what parameters and assignments do.
    void find_bound_names() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) == NodeKind::aliased_import) add_alias(id);
            if (tree_.kind(id) != NodeKind::identifier) continue;
            if (roles_[id].in_import) imported_.insert(tree_.text(id));
            else if (roles_[id].gets_value) variables_[standings_[id].function].insert(tree_.text(id));
        }
    }

    // from lib import Net as N: N stands for Net.
    void add_alias(NodeId import) {
        const NodeId name = tree_.child(import, Field::name), alias = tree_.child(import, Field::alias);
        if (name == kNoNode || alias == kNoNode) return;
        const std::string_view whole = tree_.text(name);
        std::vector<std::string_view>& names = aliases_[tree_.text(alias)];
        if (names.size() < kMostNames) names.push_back(whole.substr(whole.rfind('.') + 1));
    }

    void add_function(NodeId id) {
        CodeNames::Function& out = out_.functions.emplace_back();
        const std::string_view name = name_of(id);
        out.name = CodeNames::of(name);
        out.is_special = is_special(name);
        const auto of_class = class_numbers_.find(tree_.ancestor(id, NodeKind::class_definition));
        if (of_class != class_numbers_.end()) out.of_class = of_class->second;
    }

    void add_class(NodeId id) {
        class_numbers_.emplace(id, static_cast<std::int32_t>(out_.classes.size()));
        CodeNames::Class& out = out_.classes.emplace_back();
        out.name = CodeNames::of(name_of(id));
        const NodeId bases = tree_.child(id, Field::superclasses);
        for (NodeId at = bases; bases != kNoNode && at < tree_.subtree_end(bases); ++at) {
            if (tree_.kind(at) == NodeKind::identifier)
                with_aliases(tree_.text(at), [&](std::string_view name) { out.bases.push_back(CodeNames::of(name)); });
        }
        if (bases != kNoNode) bases_end_ = tree_.subtree_end(bases);
        bases_ = bases;
    }

    std::string_view name_of(NodeId definition) const {
        const NodeId name = tree_.child(definition, Field::name);
        return name == kNoNode ? std::string_view() : tree_.text(name);
    }

    bool is_meant(NodeId id) const {
        const NodeId parent = tree_.parent(id);
        const NodeKind kind = tree_.kind(parent);
        const bool is_bound = kind == NodeKind::function_definition || kind == NodeKind::class_definition ||
                              kind == NodeKind::keyword_argument;
        if (is_bound && tree_.field(id) == Field::name) return false;
        if (bases_ != kNoNode && id >= bases_ && id < bases_end_) return false;
        const NodeRole& role = roles_[id];
        if (role.in_import || role.in_type || role.for_choice || is_special(tree_.text(id))) return false;
        const bool is_member = kind == NodeKind::attribute && tree_.field(id) == Field::attribute;
        // self.run = run: the name on the left gets a value.
        return is_member ? !roles_[parent].gets_value : !is_variable(id);
    }

    // Of the code that it stands in, and no import can have bound it.
    bool is_variable(NodeId identifier) const {
        const auto of_code = variables_.find(standings_[identifier].function);
        const std::string_view name = tree_.text(identifier);
        return of_code != variables_.end() && of_code->second.contains(name) && !imported_.contains(name);
    }

    // getattr(model, "run")
    void mention_named(NodeId call, const CodeStanding& standing) {
        if (called_name(tree_, call) != kGetAttribute) return;
        const NodeId arguments = tree_.child(call, Field::arguments);
        const NodeList given = arguments == kNoNode ? NodeList{} : tree_.named_children(arguments);
        if (given.size() < 2) return;
        if (const auto name = string_literal_value(tree_, given[1])) mention(*name, standing);
    }

    void mention(std::string_view name, const CodeStanding& standing) {
        std::vector<Name>& to = standing.function == CodeStanding::kAtLoad ? out_.at_load
                                : standing.is_in_function()                ? out_.functions[number(standing)].mentions
                                                                           : out_.as_program;
        with_aliases(name, [&](std::string_view one) { to.push_back(CodeNames::of(one)); });
    }

    template <class Use>
    void with_aliases(std::string_view name, Use use) const {
        use(name);
        const auto found = aliases_.find(name);
        if (found == aliases_.end()) return;
        for (const std::string_view one : found->second) use(one);
    }

    using Names = std::unordered_set<std::string_view>;

    const SyntaxTree& tree_;
    const CodeStandings& standings_;
    const std::vector<NodeRole> roles_;
    CodeNames out_;
    Names imported_;
    std::unordered_map<std::int32_t, Names> variables_;  // by code, see CodeStanding
    std::unordered_map<std::string_view, std::vector<std::string_view>> aliases_;
    std::unordered_map<NodeId, std::int32_t> class_numbers_;
    NodeId bases_ = kNoNode;  // of the last class: `class Net(Base, pkg.Other):`
    NodeId bases_end_ = 0;
};

}  // namespace

Name CodeNames::of(std::string_view name) { return std::hash<std::string_view>()(name); }

CodeNames code_names(const SyntaxTree& tree, const CodeStandings& standings) { return Reader(tree, standings).run(); }

}  // namespace migrator
