#include "migrator/match/adapted_code.h"
#include "base/text.h"

#include <algorithm>
#include <optional>

namespace migrator {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }
char to_lower(char c) { return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }
char to_upper(char c) { return is_lower(c) ? static_cast<char>(c - ('a' - 'A')) : c; }

// Where a word stands in a name as one of its words, in any case: "is_npu_available", "NPU_LIST", "useNpu", not "input".
std::size_t find_name_part(std::string_view name, std::string_view word, std::size_t from = 0) {
    const auto same = [](char a, char b) { return to_lower(a) == to_lower(b); };
    for (std::size_t at = from; at + word.size() <= name.size(); ++at) {
        if (!same(name[at], word.front())) continue;  // nearly everywhere
        if (!std::equal(word.begin(), word.end(), name.begin() + static_cast<std::ptrdiff_t>(at), same)) continue;
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_letter(name[at - 1]) || (is_lower(name[at - 1]) && is_upper(name[at]));
        const bool ends =
            end == name.size() || !is_letter(name[end]) ||
            (is_upper(name[end]) && (is_lower(name[end - 1]) || (end + 1 < name.size() && is_lower(name[end + 1]))));
        if (begins && ends) return at;
    }
    return std::string_view::npos;
}

// `word` written like `sample`: cuda -> npu, Cuda -> Npu, CUDA -> NPU.
std::string in_case_of(std::string_view sample, std::string word) {
    const bool all = std::all_of(sample.begin(), sample.end(), [](char c) { return !is_lower(c); });
    if (all) std::transform(word.begin(), word.end(), word.begin(), to_upper);
    else if (is_upper(sample.front())) word.front() = to_upper(word.front());
    return word;
}

// The text between the quotes of a plain string node; nullopt with prefix, escapes or interpolation.
std::optional<std::string_view> plain_content(const SyntaxTree& tree, NodeId string) {
    NodeId first = tree.first_child(string);
    if (first == kNoNode || tree.text(first).find_first_not_of("'\"") != std::string_view::npos) return std::nullopt;
    NodeId content = tree.next_sibling(first);
    if (content == kNoNode || tree.kind(content) != NodeKind::string_content) return std::nullopt;
    return tree.text(content);
}

// "npu" of "npu:0" and f"npu:{i}".
std::optional<std::string_view> kind_of(const SyntaxTree& tree, NodeId string) {
    if (const auto content = plain_content(tree, string)) return content->substr(0, content->find(':'));
    const NodeId start = tree.first_child(string);
    const bool is_formatted = start != kNoNode && tree.text(start).find_first_of("fF") != std::string_view::npos;
    const NodeId content = is_formatted ? tree.next_sibling(start) : kNoNode;
    if (content == kNoNode || tree.kind(content) != NodeKind::string_content) return std::nullopt;
    const std::string_view text = tree.text(content);
    return text.find(':') == text.npos ? std::nullopt : std::optional(text.substr(0, text.find(':')));
}

bool is_definition(NodeKind kind) {
    return kind == NodeKind::function_definition || kind == NodeKind::class_definition;
}

bool is_exit(NodeKind kind) {
    return kind == NodeKind::return_statement || kind == NodeKind::raise_statement ||
           kind == NodeKind::continue_statement || kind == NodeKind::break_statement;
}

// Whether the condition asks for one thing only, and is true where that is so: is_npu, kind == "npu", kind in ("npu", "xpu").
bool is_plain_question(const SyntaxTree& tree, NodeId condition) {
    switch (tree.kind(condition)) {
        case NodeKind::identifier:
        case NodeKind::attribute:
        case NodeKind::call: return true;
        case NodeKind::comparison_operator:
            for (NodeId child = tree.first_child(condition); child != kNoNode; child = tree.next_sibling(child)) {
                const bool is_operator = tree.field(child) == Field::operators;
                if (is_operator && tree.text(child) != "==" && tree.text(child) != "in") return false;
            }
            return true;
        default: return false;
    }
}

// The block that a definition stands in, whatever decorates it.
NodeId block_of(const SyntaxTree& tree, NodeId definition) {
    NodeId parent = tree.parent(definition);
    return tree.kind(parent) == NodeKind::decorated_definition ? tree.parent(parent) : parent;
}

}  // namespace

AdaptedCode::AdaptedCode(const PythonFile& file) : file_(file), tree_(file.tree()) {
    for (const ValueRow& row : file.rules().values)
        words_.insert(words_.end(), row.fix.replace.begin(), row.fix.replace.end());
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    const std::string twin = twin_of(file.context().module.module_name);
    is_twin_file_ = !twin.empty() && file.is_project_module(twin);
    find_mentions();
    if (!mentions_.empty()) find_alternatives();
}

void AdaptedCode::find_mentions() {
    for (NodeId id = 0; id < tree_.size(); ++id) {
        if (tree_.kind(id) == NodeKind::string && names_target(id)) mentions_.push_back(tree_.range(id).begin);
    }
    for (const auto& [name, nodes] : file_.identifiers()) {
        if (!has_target_word(name)) continue;
        for (const NodeId id : nodes) mentions_.push_back(tree_.range(id).begin);
    }
    find_known_questions();
    std::sort(mentions_.begin(), mentions_.end());
}

// The questions that are known by their names, whatever they are called here.
void AdaptedCode::find_known_questions() {
    const auto& known = file_.rules().adapted.guards;
    for (NodeId id : file_.bindings().external_expressions()) {
        for (const Reference& reference : file_.bindings().references(id)) {
            if (base::contains(known, reference.name)) mentions_.push_back(tree_.range(id).begin);
        }
    }
}

// What stands beside an `if` that asks for the target: the rest of its block where a branch of it leaves the block, and
// the same question about the other device right in front of it or behind it.
void AdaptedCode::find_alternatives() {
    std::vector<base::ByteRange> found;
    for (NodeId id = 0; id < tree_.size(); ++id) {
        if (tree_.kind(id) != NodeKind::if_statement) continue;
        const NodeId next = tree_.next_sibling(id);
        const bool asks = asks_for_target(id);
        if (asks && leaves_block(id)) found.push_back({tree_.range(id).end, tree_.range(tree_.parent(id)).end});
        if (next == kNoNode || tree_.kind(next) != NodeKind::if_statement) continue;
        if (asks && is_twin_question(next, id)) found.push_back(tree_.range(next));
        if (asks_for_target(next) && is_twin_question(id, next)) found.push_back(tree_.range(id));
    }
    alternatives_ = base::ByteRanges(std::move(found));
}

// Whether it holds for the `if` itself or one of its `elif`.
template <class Test>
bool AdaptedCode::any_branch(NodeId statement, Test test) const {
    if (test(statement)) return true;
    return std::ranges::any_of(tree_.named_children(statement),
                               [&](NodeId part) { return tree_.kind(part) == NodeKind::elif_clause && test(part); });
}

bool AdaptedCode::asks_for_target(NodeId statement) const {
    return any_branch(statement, [&](NodeId branch) { return condition_mentions_target(branch); });
}

// Whether the branch that asks for the target ends with return, raise, continue or break.
bool AdaptedCode::leaves_block(NodeId statement) const {
    return any_branch(statement, [&](NodeId branch) {
        if (!condition_mentions_target(branch)) return false;
        const NodeId last = last_statement(tree_, tree_.child(branch, Field::consequence));
        return last != kNoNode && is_exit(tree_.kind(last));
    });
}

// `if has_cuda:` beside `if has_npu:`
bool AdaptedCode::is_twin_question(NodeId statement, NodeId target) const {
    if (tree_.kind(statement) != NodeKind::if_statement) return false;
    const NodeId condition = tree_.child(statement, Field::condition);
    const NodeId other = tree_.child(target, Field::condition);
    if (condition == kNoNode || other == kNoNode) return false;
    const std::string twin = twin_of(tree_.text(condition));
    return !twin.empty() && tree_.text(other).find(twin) != std::string_view::npos;
}

std::string AdaptedCode::twin_of(std::string_view name) const {
    std::string twin(name);
    bool replaced = false;
    for (const auto& [from, to] : words_) {
        for (std::size_t at = find_name_part(twin, from); at != std::string::npos;
             at = find_name_part(twin, from, at + to.size())) {
            twin.replace(at, from.size(), in_case_of(std::string_view(twin).substr(at, from.size()), to));
            replaced = true;
        }
    }
    return replaced ? twin : std::string{};
}

bool AdaptedCode::has_target_word(std::string_view name) const {
    return std::any_of(words_.begin(), words_.end(),
                       [&](const auto& word) { return find_name_part(name, word.second) != std::string_view::npos; });
}

bool AdaptedCode::names_device(NodeId node) const {
    for (NodeId id = node; id < tree_.subtree_end(node); ++id) {
        const NodeKind kind = tree_.kind(id);
        if (kind == NodeKind::identifier && (has_target_word(tree_.text(id)) || !twin_of(tree_.text(id)).empty()))
            return true;
        if (kind != NodeKind::string) continue;
        const auto word = device_word(id);
        const bool is_feature = word && base::contains(file_.rules().adapted.features, *word);
        if (is_feature || names_target(id) || names_source(id)) return true;
    }
    return false;
}

std::optional<std::string_view> AdaptedCode::device_word(NodeId string) const { return kind_of(tree_, string); }

bool AdaptedCode::names_target(NodeId string) const {
    const auto kind = kind_of(tree_, string);
    return kind && std::ranges::any_of(words_, [&](const auto& word) { return word.second == *kind; });
}

bool AdaptedCode::names_source(NodeId string) const {
    const auto kind = kind_of(tree_, string);
    return kind && std::ranges::any_of(words_, [&](const auto& word) { return word.first == *kind; });
}

std::optional<std::string> AdaptedCode::target_of(NodeId string) const {
    const auto content = plain_content(tree_, string);
    for (const auto& [source, target] : words_) {
        if (content && (*content == source || content->starts_with(source + ":")))
            return target + std::string(content->substr(source.size()));
    }
    return std::nullopt;
}

bool AdaptedCode::mentions_target(base::ByteRange range) const {
    auto at = std::lower_bound(mentions_.begin(), mentions_.end(), range.begin);
    return at != mentions_.end() && *at < range.end;
}

bool AdaptedCode::condition_mentions_target(NodeId branch) const {
    const NodeId condition = tree_.child(branch, Field::condition);
    return condition != kNoNode && mentions_target(tree_.range(condition)) && !refuses(branch);
}

// if kind == "npu": raise: it is asked for to be refused. More than one condition refuses a part only.
bool AdaptedCode::refuses(NodeId branch) const {
    const NodeId last = last_statement(tree_, tree_.child(branch, Field::consequence));
    if (last == kNoNode || tree_.kind(last) != NodeKind::raise_statement) return false;
    return is_plain_question(tree_, tree_.child(branch, Field::condition));
}

bool AdaptedCode::has_twin(NodeId definition) const {
    const NodeId name = tree_.child(definition, Field::name);
    if (name == kNoNode) return false;
    const std::string twin = twin_of(tree_.text(name));
    if (twin.empty()) return false;
    const auto others = file_.identifiers(twin);
    return std::any_of(others.begin(), others.end(), [&](NodeId other) {
        const NodeId parent = tree_.parent(other);
        return is_definition(tree_.kind(parent)) && tree_.field(other) == Field::name &&
               block_of(tree_, parent) == block_of(tree_, definition);
    });
}

// Entries of a mapping are told apart by the keys, if these are names that may get another one; else by the values.
Field AdaptedCode::compared_side(NodeId pair, NodeId node) const {
    NodeId key = tree_.child(pair, Field::key);
    NodeId value = tree_.child(pair, Field::value);
    if (value == kNoNode || !tree_.is_ancestor(value, node)) return Field::key;
    auto content = key != kNoNode && tree_.kind(key) == NodeKind::string ? plain_content(tree_, key) : std::nullopt;
    const bool renames =
        content && std::any_of(words_.begin(), words_.end(), [&](const auto& word) { return word.first == *content; });
    return renames ? Field::key : Field::value;
}

// ["cuda", "npu"]; [(has_cuda, "cuda"), (has_npu, "npu")]
bool AdaptedCode::items_mention_target(NodeId list) const {
    for (NodeId item : tree_.named_children(list)) {
        const NodeKind kind = tree_.kind(item);
        const bool literal = kind == NodeKind::string || kind == NodeKind::tuple || kind == NodeKind::list;
        if (literal && mentions_target(tree_.range(item))) return true;
    }
    return false;
}

bool AdaptedCode::entries_mention_target(NodeId dictionary, Field compared) const {
    for (NodeId pair : tree_.named_children(dictionary)) {
        const NodeId side = tree_.child(pair, compared);
        if (side != kNoNode && tree_.kind(side) == NodeKind::string && mentions_target(tree_.range(side))) return true;
    }
    return false;
}

// Asked once of a display, however many items ask.
bool AdaptedCode::display_mentions_target(NodeId display, Field compared) const {
    const auto [known, is_new] = displays_.try_emplace({display, compared}, false);
    if (is_new)
        known->second =
            compared == Field::none ? items_mention_target(display) : entries_mention_target(display, compared);
    return known->second;
}

// class Device: CUDA = "cuda"; NPU = "npu"
bool AdaptedCode::is_among_members(NodeId block, NodeId node) const {
    if (tree_.kind(block) != NodeKind::block) return false;
    const auto is_member = [&](NodeId statement) {
        return tree_.kind(statement) == NodeKind::expression_statement &&
               tree_.kind(tree_.first_child(statement)) == NodeKind::assignment;
    };
    const auto [known, is_new] = displays_.try_emplace({block, Field::body}, false);
    if (is_new)
        known->second = std::ranges::any_of(tree_.named_children(block), [&](NodeId statement) {
            return is_member(statement) && mentions_target(tree_.range(statement));
        });
    const NodeId statement = tree_.ancestor(node, NodeKind::expression_statement);
    return known->second && statement != kNoNode && tree_.parent(statement) == block && is_member(statement);
}

// Whether the parent of `child` says that a node in `child` is adapted.
bool AdaptedCode::is_adapted_by(NodeId parent, NodeId child, NodeId node) const {
    switch (tree_.kind(parent)) {
        case NodeKind::boolean_operator:
        case NodeKind::conditional_expression: return mentions_target(tree_.range(parent));
        case NodeKind::list:
        case NodeKind::tuple:
        case NodeKind::set: return display_mentions_target(parent, Field::none);
        case NodeKind::dictionary: return display_mentions_target(parent, compared_side(child, node));
        case NodeKind::call: {
            // {"npu": "hccl"}.get(kind, "nccl")
            const NodeId function = tree_.child(parent, Field::function);
            const NodeId object = function == kNoNode ? kNoNode : tree_.child(function, Field::object);
            const bool is_display = object != kNoNode && tree_.kind(object) == NodeKind::dictionary;
            return is_display && mentions_target(tree_.range(object));
        }
        case NodeKind::if_statement: return asks_for_target(parent);
        case NodeKind::class_definition: return has_twin(parent) || is_among_members(child, node);
        case NodeKind::function_definition: return has_twin(parent);
        default: return false;
    }
}

// Nodes share what is around them: it is asked once, but for a pair, which has two sides.
bool AdaptedCode::contains(NodeId node) const {
    if (is_twin_file_) return true;
    if (mentions_.empty()) return false;
    if (alternatives_.contains(tree_.range(node).begin)) return true;
    std::vector<NodeId> passed;
    bool result = false;
    for (NodeId child = node, at = tree_.parent(node); at != kNoNode && !result; child = at, at = tree_.parent(at)) {
        if (const auto known = around_.find(child); known != around_.end()) {
            result = known->second;
            break;
        }
        if (tree_.kind(child) != NodeKind::pair) passed.push_back(child);
        result = is_adapted_by(at, child, node);
    }
    for (const NodeId one : passed) around_.emplace(one, result);
    return result;
}

}  // namespace migrator
