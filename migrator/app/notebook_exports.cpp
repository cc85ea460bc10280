#include "migrator/app/notebook_exports.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "migrator/semantic/string_literal.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < ' '; }

// Where in the notebook something stands.
using CellLine = std::pair<std::size_t, std::size_t>;

struct CellAssignment {
    CellLine at;
    ScriptAssignment said;
};

template <typename Look>
void each_line(const CellText& code, const Look& look) {
    std::string_view text = code.text();
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const CellText::Place place = code.place(begin);
        look(begin, text.substr(begin, end - begin), CellLine{place.cell, place.line});
        begin = end + 1;
    }
}

CellAssignment in_cell(CellLine at, std::string_view name, std::string_view value, bool is_certain) {
    return {at,
            {std::string(name), base::shell_word(value), base::format("line {} of cell {}", at.second, at.first), true,
             is_certain}};
}

// NAME=value, NAME value; IPython puts in what $name and {name} stand for.
std::optional<CellAssignment> by_magic(CellLine at, std::string_view line) {
    const std::size_t end = line.find_first_of("= ");
    if (end == line.npos) return std::nullopt;
    const std::string_view value = base::trimmed(line.substr(end + 1));
    return in_cell(at, base::trimmed(line.substr(0, end)), value, value.find_first_of("${") == value.npos);
}

// What the statements of Python set: os.environ["NAME"] = "value", os.environ.update(...) and their like.
class EnvironmentReader {
public:
    explicit EnvironmentReader(const CellText& code) : code_(code), tree_(SyntaxTree::parse(code.text())) {}

    std::vector<CellAssignment> run() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) == NodeKind::call) read_call(id);
            const bool assigns = tree_.kind(id) == NodeKind::assignment;
            if (!assigns && tree_.kind(id) != NodeKind::augmented_assignment) continue;
            const NodeId left = tree_.child(id, Field::left), right = tree_.child(id, Field::right);
            if (left == kNoNode || right == kNoNode) continue;
            if (assigns && tree_.kind(left) == NodeKind::subscript && is_environment(tree_.child(left, Field::value)))
                add(tree_.child(left, Field::subscript), right);
            else if (!assigns && is_environment(left)) add_all(right);
        }
        return std::move(out_);
    }

private:
    bool is_environment(NodeId node) const {
        return node != kNoNode && (tree_.text(node) == "os.environ" || tree_.text(node) == "environ");
    }

    void read_call(NodeId call) {
        const NodeId function = tree_.child(call, Field::function);
        const NodeId arguments = tree_.child(call, Field::arguments);
        if (function == kNoNode || arguments == kNoNode || tree_.kind(function) != NodeKind::attribute) return;
        const NodeList given = tree_.named_children(arguments);
        const std::string_view method = tree_.text(tree_.child(function, Field::attribute));
        const bool is_on_it = is_environment(tree_.child(function, Field::object));
        if (is_on_it && method == "update") {
            add_all(arguments);
            if (!given.empty()) add_all(given.front());
        } else if (given.size() == 2 && ((is_on_it && method == "setdefault") || tree_.text(function) == "os.putenv")) {
            add(given[0], given[1], is_on_it);
        }
    }

    // {"NAME": "value"}, dict(NAME="value"), (NAME="value")
    void add_all(NodeId mapping) {
        if (tree_.kind(mapping) == NodeKind::call) mapping = tree_.child(mapping, Field::arguments);
        if (mapping == kNoNode) return;
        for (const NodeId item : tree_.named_children(mapping)) {
            if (tree_.kind(item) == NodeKind::pair) add(tree_.child(item, Field::key), tree_.child(item, Field::value));
            if (tree_.kind(item) == NodeKind::keyword_argument)
                add_named(std::string(tree_.text(tree_.child(item, Field::name))), item,
                          tree_.child(item, Field::value));
        }
    }

    void add(NodeId key, NodeId value, bool if_unset = false) {
        if (key == kNoNode || value == kNoNode) return;
        if (auto name = string_literal_value(tree_, key)) add_named(std::move(*name), key, value, if_unset);
    }

    void add_named(std::string name, NodeId at, NodeId value, bool if_unset = false) {
        if (name.empty() || !std::ranges::all_of(name, base::is_word_char) || value == kNoNode) return;
        const CellText::Place place = code_.place(tree_.range(at).begin);
        const CellLine line{place.cell, place.line};
        const auto said = [&](const CellAssignment& one) { return one.said.name == name; };
        if (if_unset && std::ranges::any_of(out_, said)) return;
        const auto text = string_literal_value(tree_, value);
        const bool is_certain = text && is_always_run(at) && std::ranges::none_of(*text, is_control);
        out_.push_back(in_cell(line, name, is_certain ? *text : "", is_certain));
    }

    bool is_always_run(NodeId id) const {
        while (tree_.kind(id) != NodeKind::expression_statement) {
            id = tree_.parent(id);
            if (id == kNoNode) return false;
        }
        return tree_.parent(id) == tree_.root();
    }

    const CellText& code_;
    SyntaxTree tree_;
    std::vector<CellAssignment> out_;
};

}  // namespace

std::vector<ScriptAssignment> notebook_exports(const NotebookCode& code, std::string_view json, std::uint32_t line) {
    std::vector<CellAssignment> found;
    std::vector<std::pair<CellLine, std::string_view>> own;  // lines of the shell that are none of %env
    std::uint32_t number = 0;
    CellLine start;
    each_line(code.shell(), [&](std::size_t begin, std::string_view said, CellLine at) {
        if (++number > line) return;
        const auto in_json = code.shell().in_json({begin, begin + 1});
        const std::string_view before = base::trimmed(json.substr(0, in_json ? in_json->begin : 0));
        if (before.ends_with("%env") || before.ends_with("%set_env")) {
            if (auto one = by_magic(at, said)) found.push_back(std::move(*one));
        } else {
            own.emplace_back(at, said);
        }
        start = at;
    });
    if (own.empty()) return {};
    for (CellAssignment& one : EnvironmentReader(code.python()).run()) {
        if (one.at < start) found.push_back(std::move(one));
    }
    std::ranges::stable_sort(found, {}, &CellAssignment::at);
    std::vector<ScriptAssignment> out;
    for (CellAssignment& one : found) out.push_back(std::move(one.said));
    // Each line behind `!` has a shell of its own.
    const bool is_own_shell = own.back().second.starts_with('!');
    std::string script;
    std::uint32_t lines = 0;
    for (const auto& [at, said] : own) {
        if (at.first != start.first || (is_own_shell && at != start)) continue;
        script += base::format("{}\n", is_own_shell ? said.substr(1) : said);
        ++lines;
    }
    for (ScriptAssignment& one : script_exports(script, lines)) {
        one.place = base::format("cell {}", start.first);
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace migrator
