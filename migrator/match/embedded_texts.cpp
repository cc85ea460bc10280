// Texts in Python that are read as files are: commands that it starts, subprocess.run("torchrun --backend nccl ...") or
// ["torchrun", "--backend", "nccl"], and settings, json.loads('{"device": "cuda"}').
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

#include "migrator/match/matchers.h"
#include "migrator/match/text_ends.h"
#include "migrator/match/text_file.h"
#include "migrator/text/shell_reader.h"

namespace migrator {
namespace {

NodeId argument_of(const PythonFile& file, NodeId call, const ParameterRow& row) {
    const SyntaxTree& tree = file.tree();
    for (const NodeId argument : tree.named_children(tree.child(call, Field::arguments))) {
        if (tree.kind(argument) != NodeKind::keyword_argument) {
            if (row.position && file.argument_position(argument) == row.position) return argument;
        } else if (tree.text(tree.child(argument, Field::name)) == row.keyword) {
            return tree.child(argument, Field::value);
        }
    }
    return kNoNode;
}

// The expression itself, or the one value of a variable.
NodeId written(const PythonFile& file, NodeId expression) {
    if (file.tree().kind(expression) != NodeKind::identifier) return expression;
    const auto sites = file.bindings().binding_sites(expression);
    return sites.size() == 1 ? sites.front().value : kNoNode;
}

struct EmbeddedText {
    NodeId node = kNoNode;
    FileType type = FileType::shell;
};

// What the function takes, if it is one of these and the text is written here.
NodeId taken_by(const PythonFile& file, NodeId call, const Reference& function, const ParametersByFunction& functions) {
    const auto rows = functions.find(function.name);
    if (function.origin != Origin::external || rows == functions.end()) return kNoNode;
    for (const ParameterRow& row : rows->second) {
        if (const NodeId argument = argument_of(file, call, row); argument != kNoNode) return written(file, argument);
    }
    return kNoNode;
}

FileType type_named(std::string_view wanted) {
    return *std::ranges::find_if(kAllFileTypes, [&](FileType type) { return name(type) == wanted; });
}

std::optional<EmbeddedText> embedded_text(const PythonFile& file, NodeId call) {
    const ScriptPlaces& places = file.rules().script_places;
    const NodeId function = file.tree().child(call, Field::function);
    if (function == kNoNode) return std::nullopt;
    for (const Reference& reference : file.bindings().references(function)) {
        if (const NodeId command = taken_by(file, call, reference, places.commands); command != kNoNode)
            return EmbeddedText{command, FileType::shell};
        for (const auto& [as, functions] : places.settings) {
            if (const NodeId settings = taken_by(file, call, reference, functions); settings != kNoNode)
                return EmbeddedText{settings, type_named(as)};
        }
    }
    return std::nullopt;
}

// Each once, however many calls take it.
std::vector<EmbeddedText> embedded_texts(const PythonFile& file) {
    std::vector<EmbeddedText> out;
    std::unordered_set<NodeId> known;
    for (NodeId id = 0; id < file.tree().size(); ++id) {
        if (file.tree().kind(id) != NodeKind::call) continue;
        const auto text = embedded_text(file, id);
        if (text && known.insert(text->node).second) out.push_back(*text);
    }
    return out;
}

// The text of one literal without its quotes, a list as it is written.
base::ByteRange script_range(const SyntaxTree& tree, NodeId command) {
    base::ByteRange range = tree.range(command);
    if (tree.kind(command) != NodeKind::string) return range;
    const std::string_view text = tree.text(command);
    const std::size_t open = text.find_first_of("\"'");
    const std::size_t quotes =
        text.substr(open + 1).starts_with(std::string(2, text[open])) && text.size() > open + 5 ? 3 : 1;
    return {range.begin + open + quotes, range.end - quotes};
}

// What a command says: a text is read as a script is, a list has its words.
TextContents command_contents(const SyntaxTree& tree, NodeId command) {
    const base::ByteRange range = script_range(tree, command);
    TextContents out{tree.source(), 0, {}, {}, {}, {}};
    const auto part = [&](base::ByteRange place) { return tree.source().substr(place.begin, place.size()); };
    if (tree.kind(command) != NodeKind::list && tree.kind(command) != NodeKind::tuple) {
        read_shell(part(range), {.is_file = true}, out);
        return out;
    }
    std::vector<std::string_view> words;
    for (const NodeId item : tree.named_children(command))
        words.push_back(tree.kind(item) == NodeKind::string ? part(script_range(tree, item)) : std::string_view());
    out.code.push_back(part(range));
    read_words(std::move(words), out);
    return out;
}

// Bytes that some ranges take up together.
class Covered {
public:
    void add(base::ByteRange range) {
        auto at = first_behind(range.begin);
        while (at != ends_.end() && at->second <= range.end) {
            range = {std::min(range.begin, at->second), std::max(range.end, at->first)};
            at = ends_.erase(at);
        }
        ends_[range.end] = range.begin;
    }
    bool empty() const { return ends_.empty(); }
    bool overlaps(base::ByteRange range) const {
        const auto at = first_behind(range.begin);
        return at != ends_.end() && at->second < range.end;
    }

private:
    std::map<std::uint64_t, std::uint64_t>::const_iterator first_behind(std::uint64_t offset) const {
        return ends_.upper_bound(offset);
    }

    std::map<std::uint64_t, std::uint64_t> ends_;  // end -> begin of ranges that do not touch
};

// What reads a text says more than the text alone does; what is known from the code around it stays.
void take_over(const Covered& texts, FindingSink said, FindingSink& sink) {
    if (texts.empty()) return;
    std::erase_if(sink, [&](const Finding& finding) {
        return finding.certainty == Certainty::textual && texts.overlaps(finding.range);
    });
    std::map<std::string, Covered> known;  // by rule
    for (const Finding& finding : sink) known[finding.rule].add(finding.range);
    for (Finding& finding : said) {
        Covered& of_rule = known[finding.rule];
        if (of_rule.overlaps(finding.range)) continue;
        of_rule.add(finding.range);
        sink.push_back(std::move(finding));
    }
}

std::optional<Literal> settings_literal(const SyntaxTree& tree, NodeId node) {
    const NodeKind kind = tree.kind(node);
    if (kind != NodeKind::string && kind != NodeKind::concatenated_string) return std::nullopt;
    return read_literal(tree, node, Escapes::common);
}

// Takes a finding from its place in the text of a literal to the one in the file.
void put_in_file(const SyntaxTree& tree, const Literal& literal, Finding& finding) {
    finding.range = literal.range_of(finding.range.begin, finding.range.end).value_or(tree.range(literal.node));
    if (!finding.fix) return;
    for (Edit& edit : finding.fix->edits) {
        const auto range = literal.range_of(edit.range.begin, edit.range.end);
        if (!range) return finding.fix.reset();
        edit.range = *range;
    }
}

// Calls `visit` with what each text says, and with its literal where that has been read for it.
template <typename Visit>
void visit_texts(const PythonFile& file, const Visit& visit) {
    for (const EmbeddedText& text : embedded_texts(file)) {
        if (text.type == FileType::shell) {
            visit(text, command_contents(file.tree(), text.node), static_cast<const Literal*>(nullptr));
        } else if (const auto literal = settings_literal(file.tree(), text.node)) {
            visit(text, read_text(text.type, literal->text, {}), &*literal);
        }
    }
}

}  // namespace

std::set<ValueEnd> embedded_text_ends(const ParsedText& parsed, const MatchContext& context) {
    const PythonFile file({}, *parsed.tree, *parsed.bindings, context);
    std::set<ValueEnd> out;
    visit_texts(file, [&](const EmbeddedText&, const TextContents& contents, const Literal*) {
        out.merge(open_text_ends(contents, file.rules()));
    });
    return out;
}

void match_embedded_texts(const PythonFile& file, FindingSink& sink) {
    FindingSink said;
    Covered covered;
    visit_texts(file, [&](const EmbeddedText& text, TextContents contents, const Literal* literal) {
        covered.add(script_range(file.tree(), text.node));
        FindingSink found;
        match_text({file.path(), text.type, &file.rules(), file.context().value_ends, std::move(contents),
                    literal == nullptr ? nullptr : &file},
                   found);
        for (Finding& finding : found) {
            if (literal != nullptr) put_in_file(file.tree(), *literal, finding);
            said.push_back(std::move(finding));
        }
    });
    take_over(covered, std::move(said), sink);
}

}  // namespace migrator
