// Commands that Python starts: subprocess.run("torchrun --backend nccl ..."), ["torchrun", "--backend", "nccl"].
#include <algorithm>

#include "migrator/match/text_file.h"
#include "migrator/match/words.h"

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
        const auto rows = file.rules().script_places().commands.find(reference.name);
        if (reference.origin != Origin::external || rows == file.rules().script_places().commands.end()) continue;
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

// The texts of a list as words of one line, each of them where it stands.
std::string words_of(const SyntaxTree& tree, NodeId list, base::ByteRange range) {
    std::string out(range.end - range.begin, ' ');
    for (const NodeId item : tree.named_children(list)) {
        if (tree.kind(item) != NodeKind::string) continue;
        const base::ByteRange word = script_range(tree, item);
        const std::string_view text = tree.source().substr(word.begin, word.end - word.begin);
        text.copy(out.data() + (word.begin - range.begin), text.size());
    }
    return out;
}

bool overlap(base::ByteRange a, base::ByteRange b) { return a.begin < b.end && b.begin < a.end; }

// A command says more than its texts do; what is known from the code around it stays.
void take_over(const std::vector<base::ByteRange>& commands, FindingSink said, FindingSink& sink) {
    std::erase_if(sink, [&](const Finding& finding) {
        return finding.certainty == Certainty::textual &&
               std::any_of(commands.begin(), commands.end(),
                           [&](base::ByteRange command) { return overlap(command, finding.range); });
    });
    for (Finding& finding : said) {
        const bool is_known = std::any_of(sink.begin(), sink.end(), [&](const Finding& other) {
            return other.rule == finding.rule && overlap(other.range, finding.range);
        });
        if (!is_known) sink.push_back(std::move(finding));
    }
}

}  // namespace

void match_commands(const PythonFile& file, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    FindingSink said;
    std::vector<base::ByteRange> commands;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::call) continue;
        const NodeId command = command_of(file, id);
        if (command == kNoNode) continue;
        const base::ByteRange range = script_range(tree, command);
        const std::string_view text = tree.source().substr(range.begin, range.end - range.begin);
        const TextFile script = read_text_part(file.path(), FileType::shell, text, range.begin, file.rules());
        commands.push_back(range);
        match_text_words(script, said);
        match_text_environment(script, said);
        match_text_values(script, said);
        const bool is_list = tree.kind(command) == NodeKind::list || tree.kind(command) == NodeKind::tuple;
        const std::string line = is_list ? words_of(tree, command, range) : std::string();
        match_text_packages(
            is_list ? read_text_part(file.path(), FileType::shell, line, range.begin, file.rules()) : script, said);
    }
    take_over(commands, std::move(said), sink);
}

}  // namespace migrator
