// Commands that Python starts: subprocess.run("torchrun --backend nccl ..."), ["torchrun", "--backend", "nccl"].
#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>

#include "migrator/match/matchers.h"
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

// What a call starts; kNoNode when it starts nothing, or nothing that is written here.
NodeId command_of(const PythonFile& file, NodeId call) {
    const SyntaxTree& tree = file.tree();
    const NodeId function = tree.child(call, Field::function);
    if (function == kNoNode) return kNoNode;
    for (const Reference& reference : file.bindings().references(function)) {
        const auto rows = file.rules().script_places.commands.find(reference.name);
        if (reference.origin != Origin::external || rows == file.rules().script_places.commands.end()) continue;
        for (const ParameterRow& row : rows->second) {
            if (const NodeId argument = argument_of(file, call, row); argument != kNoNode)
                return written(file, argument);
        }
    }
    return kNoNode;
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

// What a command says: a text is read as a script is, a list has its words. `range`: where it stands.
TextContents contents_of(const SyntaxTree& tree, NodeId command, base::ByteRange range) {
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

// A command says more than its texts do; what is known from the code around it stays.
void take_over(const Covered& commands, FindingSink said, FindingSink& sink) {
    std::erase_if(sink, [&](const Finding& finding) {
        return finding.certainty == Certainty::textual && commands.overlaps(finding.range);
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

}  // namespace

void match_commands(const PythonFile& file, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    FindingSink said;
    Covered commands;
    std::unordered_set<NodeId> done;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::call) continue;
        const NodeId command = command_of(file, id);
        if (command == kNoNode || !done.insert(command).second) continue;
        const base::ByteRange range = script_range(tree, command);
        commands.add(range);
        match_text(
            {file.path(), FileType::shell, &file.rules(), file.context().value_ends, contents_of(tree, command, range)},
            said);
    }
    if (!done.empty()) take_over(commands, std::move(said), sink);
}

}  // namespace migrator
