// Interfaces of the framework that the NPU supports in part or not at all.
#include <algorithm>
#include <map>

#include "base/format.h"
#include "migrator/match/words.h"

namespace migrator {
namespace {

class ApiMatcher {
public:
    ApiMatcher(const PythonFile& file, FindingSink& sink) : file_(file), sink_(sink) {}

    // Said once for every interface, where the file uses it first.
    void run() {
        for (NodeId node : file_.bindings().external_expressions()) match(node);
        for (Use& use : uses_) {
            if (use.count > 1) use.finding.message += base::format(" Used {} times in this file.", use.count);
            sink_.push_back(std::move(use.finding));
        }
    }

private:
    struct Use {
        Finding finding;
        std::size_t count = 1;
    };

    void match(NodeId node) {
        for (const Reference& reference : file_.bindings().references(node)) {
            if (reference.origin != Origin::external || reference.certainty == Certainty::textual) continue;
            // What another rule speaks of is said there.
            const NameRow* row = file_.rules().name_row(reference.name);
            if (row != nullptr && row->reach == NameRow::Reach::exact) return;
            const auto facts = file_.rules().api(reference.name);
            if (!facts || facts->quiet) continue;
            if (facts->support == ApiSupport::no) add_use(node, reference, file_.rules().api_rules().no, {});
            if (facts->support == ApiSupport::partly) add_limits(node, reference, *facts);
            return;
        }
    }

    void add_limits(NodeId node, const Reference& reference, const ApiTable::Facts& facts) {
        std::string note;
        for (const ApiLimit* limit : facts.limits) {
            if (limit->minor) continue;
            const NodeId argument = limit->keyword.empty() ? kNoNode : keyword_of(node, limit->keyword);
            const Shown shown = shown_by(node, argument, *limit);
            if (shown == Shown::beyond) add_beyond(argument, reference, *limit);
            if (shown == Shown::not_at_all) note += (note.empty() ? "" : " ") + limit->text;
        }
        if (!note.empty()) add_use(node, reference, file_.rules().api_rules().partly, note);
    }

    NodeId keyword_of(NodeId function, std::string_view keyword) const {
        const SyntaxTree& tree = file_.tree();
        const NodeId call = file_.call_of(function);
        const NodeId list = call == kNoNode ? kNoNode : tree.child(call, Field::arguments);
        if (list == kNoNode) return kNoNode;
        for (NodeId argument : tree.named_children(list)) {
            if (tree.kind(argument) != NodeKind::keyword_argument) continue;
            const NodeId name = tree.child(argument, Field::name);
            if (name != kNoNode && tree.text(name) == keyword) return argument;
        }
        return kNoNode;
    }

    enum class Shown { not_at_all, within, beyond };

    // Whether the call keeps to the limit, by a written value or without the argument; of variables nothing is said.
    Shown shown_by(NodeId function, NodeId argument, const ApiLimit& limit) const {
        const SyntaxTree& tree = file_.tree();
        const bool is_called = file_.call_of(function) != kNoNode;
        if (argument == kNoNode) return limit.optional && is_called ? Shown::within : Shown::not_at_all;
        if (limit.allowed.empty()) return Shown::not_at_all;
        const NodeId value = tree.child(argument, Field::value);
        if (value == kNoNode) return Shown::not_at_all;
        std::string text(tree.text(value));
        if (tree.kind(value) == NodeKind::string) {
            const auto plain = file_.bindings().constant_string(value);
            if (!plain) return Shown::not_at_all;
            text = base::format("\"{}\"", *plain);
        } else if (const auto references = file_.bindings().references(value); references.size() == 1) {
            if (references.front().origin != Origin::external) return Shown::not_at_all;
            text = references.front().name;
        } else if (!is_literal(tree.kind(value))) {
            return Shown::not_at_all;
        }
        return std::find(limit.allowed.begin(), limit.allowed.end(), text) != limit.allowed.end() ? Shown::within
                                                                                                  : Shown::beyond;
    }

    static bool is_literal(NodeKind kind) {
        return kind == NodeKind::integer || kind == NodeKind::float_ || kind == NodeKind::true_ ||
               kind == NodeKind::false_ || kind == NodeKind::none;
    }

    void add_beyond(NodeId argument, const Reference& reference, const ApiLimit& limit) {
        const Rule* rule = file_.rules().api_rules().beyond_limit;
        if (rule == nullptr) return;
        sink_.push_back(
            make_finding(*rule, file_.tree().range(argument), reference.name, reference.certainty, {}, limit.text, {}));
    }

    void add_use(NodeId node, const Reference& reference, const Rule* rule, std::string_view note) {
        if (rule == nullptr) return;
        const auto [at, first] = index_.emplace(reference.name, uses_.size());
        if (!first) {
            ++uses_[at->second].count;
            return;
        }
        uses_.push_back(
            {make_finding(*rule, file_.tree().range(node), reference.name, reference.certainty, {}, note, {})});
    }

    const PythonFile& file_;
    FindingSink& sink_;
    std::vector<Use> uses_;
    std::map<std::string, std::size_t> index_;  // by name
};

}  // namespace

void match_api_support(const PythonFile& file, FindingSink& sink) { ApiMatcher(file, sink).run(); }

}  // namespace migrator
