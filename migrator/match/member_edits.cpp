#include "migrator/match/member_edits.h"

namespace migrator {
namespace {

Edit insertion(std::uint64_t at, std::string text) { return {{at, at}, std::move(text)}; }

// x.is_cuda -> is_on_device(x)
std::optional<std::vector<Edit>> wrapped(const PythonFile& file, NodeId attribute, const MemberFix& fix) {
    const SyntaxTree& tree = file.tree();
    const NodeKind parent = tree.kind(tree.parent(attribute));
    const bool is_target = (parent == NodeKind::assignment && tree.field(attribute) == Field::left) ||
                           parent == NodeKind::augmented_assignment || parent == NodeKind::delete_statement;
    if (is_target) return std::nullopt;
    const base::ByteRange object = tree.range(tree.child(attribute, Field::object));
    return std::vector<Edit>{insertion(object.begin, fix.wrap + "("), {{object.end, tree.range(attribute).end}, ")"}};
}

// x.cuda(0, True) -> x.to(device_of(0), non_blocking=True). Not everything that can be moved takes its device by position:
// where the class is not known, the keyword is right for all.
std::optional<std::vector<Edit>> with_device(const PythonFile& file, NodeId attribute, const MemberFix& fix,
                                             bool is_known) {
    const std::string keyword = is_known ? "" : "device=";
    const SyntaxTree& tree = file.tree();
    const NodeId call = file.call_of(attribute);
    const NodeId list = call == kNoNode ? kNoNode : tree.child(call, Field::arguments);
    if (list == kNoNode || tree.kind(list) != NodeKind::argument_list) return std::nullopt;
    std::vector<Edit> edits{{tree.range(tree.child(attribute, Field::attribute)), fix.rename}};
    std::size_t position = 0;
    bool has_device = false;
    NodeId first = kNoNode;
    auto pass_on = [&](NodeId value) {
        edits.push_back(insertion(tree.range(value).begin, fix.device + "("));
        edits.push_back(insertion(tree.range(value).end, ")"));
        has_device = true;
    };
    for (NodeId argument : tree.named_children(list)) {
        const NodeKind kind = tree.kind(argument);
        if (kind == NodeKind::comment) continue;
        if (kind == NodeKind::list_splat || kind == NodeKind::dictionary_splat) return std::nullopt;
        if (first == kNoNode) first = argument;
        if (kind == NodeKind::keyword_argument) {
            if (tree.text(tree.child(argument, Field::name)) == "device") pass_on(tree.child(argument, Field::value));
            continue;
        }
        if (position == 0) {
            if (!is_known) edits.push_back(insertion(tree.range(argument).begin, keyword));
            pass_on(argument);
        } else if (position <= fix.keywords.size())
            edits.push_back(insertion(tree.range(argument).begin, fix.keywords[position - 1] + "="));
        else return std::nullopt;
        ++position;
    }
    if (!has_device) {
        const std::uint64_t at = first == kNoNode ? tree.range(list).begin + 1 : tree.range(first).begin;
        edits.push_back(insertion(at, keyword + fix.no_device + (first == kNoNode ? "" : ", ")));
    }
    return edits;
}

}  // namespace

std::optional<std::vector<Edit>> member_edits(const PythonFile& file, NodeId attribute, const MemberFix& fix,
                                              bool is_known) {
    if (!fix.wrap.empty()) return wrapped(file, attribute, fix);
    if (!fix.device.empty()) return with_device(file, attribute, fix, is_known);
    return std::vector<Edit>{{file.tree().range(file.tree().child(attribute, Field::attribute)), fix.rename}};
}

}  // namespace migrator
