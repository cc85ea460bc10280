#include "migrator/instrument/instrument.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kMark = "  # migrator: instrument";

class Inserter {
public:
    Inserter(const Script& script, const LoopFacts& facts, const TrainingLoop& loop, const Instrument& instrument)
        : script_(script), tree_(script.tree), facts_(facts), loop_(loop), instrument_(instrument) {}

    Instrumented run() {
        check_names();
        check_others();
        const NodeId body = tree_.child(loop_.loop, Field::body);
        if (body == kNoNode || tree_.kind(body) != NodeKind::block || shares_line(loop_.loop, body)) {
            obstacle(loop_.loop, "the loop stands on one line; put its body on lines of its own");
            return std::move(out_);
        }
        if (tree_.touches_error(tree_.range(loop_.loop))) obstacle(loop_.loop, "the loop does not parse as a whole");
        find_step(body);
        insert_before(loop_.loop, instrument_.before);
        insert_before(first_, instrument_.before_step);
        for (const NodeId exit : exits_) close_before(exit);
        if (!is_exit(last_)) insert_behind(last_, instrument_.behind_step);
        if (!out_.obstacles.empty()) out_.edits.clear();
        std::stable_sort(out_.edits.begin(), out_.edits.end(),
                         [](const Edit& a, const Edit& b) { return a.range.begin < b.range.begin; });
        return std::move(out_);
    }

private:
    void obstacle(NodeId node, std::string_view text) {
        out_.obstacles.push_back(base::format("line {}: {}", script_.line(node), text));
    }

    void check_names() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) != NodeKind::identifier || !base::contains(instrument_.names, tree_.text(id))) continue;
            return obstacle(id, base::format("the name `{}` is needed, and the file has one", tree_.text(id)));
        }
    }

    void check_others() {
        for (const NodeId node : script_.bindings.external_expressions()) {
            if (script_.means(node, instrument_.excludes))
                return obstacle(
                    node, base::format("`{}` is used here already, and the two do not go together", tree_.text(node)));
        }
    }

    // The statements of the body from the first to the last that belong to the step.
    void find_step(NodeId body) {
        NodeList statements = tree_.named_children(body);
        erase_if(statements, [&](NodeId id) { return tree_.kind(id) == NodeKind::comment; });
        const std::vector<NodeId> exits = exits_of(body);
        const std::vector<NodeId> forwards = model_calls_of(script_, facts_, loop_);
        first_ = statements.front();
        for (const NodeId statement : statements) {
            const NodeId end = tree_.subtree_end(statement);
            for (const auto* nodes : {&loop_.backwards, &loop_.steps}) {
                if (nodes->back() >= statement) last_ = statement;
            }
            // What leaves the round in front of the model's first call belongs to another round.
            const bool leaves = std::any_of(exits.begin(), exits.end(), [&](NodeId exit) {
                return exit >= statement && exit < end && !forwards.empty() && end <= forwards.front();
            });
            if (leaves) first_ = end;
        }
        first_ = *std::lower_bound(statements.begin(), statements.end(), first_);
        for (const NodeId exit : exits) {
            const bool inside = exit >= first_ && (exit < tree_.subtree_end(last_) || is_on_line_of_last(exit));
            if (inside && (instrument_.closes || loop_.steps.front() < exit)) exits_.push_back(exit);
        }
    }

    bool is_on_line_of_last(NodeId exit) const {
        const std::uint64_t end = tree_.range(last_).end;
        return exit > last_ &&
               tree_.source().substr(end, tree_.range(exit).begin - end).find('\n') == std::string::npos;
    }

    bool is_exit(NodeId statement) const {
        const NodeKind kind = tree_.kind(statement);
        return kind == NodeKind::continue_statement || kind == NodeKind::break_statement ||
               kind == NodeKind::return_statement;
    }

    // What ends a round of the loop: also in loops inside it, when it ends them all. A generator cannot be closed.
    std::vector<NodeId> exits_of(NodeId body) {
        std::vector<NodeId> out;
        for (NodeId id = body; id < tree_.subtree_end(body); ++id) {
            const NodeKind kind = tree_.kind(id);
            if (kind == NodeKind::function_definition || kind == NodeKind::class_definition ||
                kind == NodeKind::lambda) {
                id = tree_.subtree_end(id) - 1;
                continue;
            }
            if (kind == NodeKind::yield && instrument_.closes)
                obstacle(id, "the loop is in a generator, and what runs between its rounds would be recorded as well");
            if (is_exit(id) && tree_.named(id) && (kind == NodeKind::return_statement || loop_around(id) == loop_.loop))
                out.push_back(id);
        }
        return out;
    }

    NodeId loop_around(NodeId node) const {
        while (tree_.kind(node) != NodeKind::for_statement && tree_.kind(node) != NodeKind::while_statement)
            node = tree_.parent(node);
        return node;
    }

    // Both begin on one line.
    bool shares_line(NodeId a, NodeId b) const { return script_.line(a) == script_.line(b); }

    void close_before(NodeId exit) {
        const std::uint64_t begin = tree_.range(exit).begin;
        const std::string_view front =
            tree_.source().substr(script_.line_begin(begin), begin - script_.line_begin(begin));
        if (front.find_first_not_of(" \t") == front.npos) return insert_before(exit, instrument_.behind_step);
        obstacle(exit,
                 base::format("`{}` leaves the step and shares its line with other code; put it on a line of its own",
                              tree_.text(exit)));
    }

    // The statement's own line must be its own: compound statements and what begins a block always have one.
    void insert_before(NodeId statement, const std::vector<std::string>& lines) {
        const std::uint64_t at = script_.line_begin(tree_.range(statement).begin);
        insert(at, lines, script_.indentation(statement), "", "\n");
    }

    void insert_behind(NodeId statement, const std::vector<std::string>& lines) {
        const std::uint64_t end = tree_.range(statement).end;
        const std::uint64_t at = script_.line_end(end - 1);
        const bool has_line_end = at > 0 && tree_.source()[at - 1] == '\n';
        insert(at, lines, script_.indentation(statement), has_line_end ? "" : "\n", has_line_end ? "\n" : "");
    }

    void insert(std::uint64_t at, const std::vector<std::string>& lines, const std::string& indentation,
                std::string_view front, std::string_view back) {
        std::string text;
        for (const std::string& line : lines)
            text += base::format("{}{}{}{}{}", front, indentation, with_model(line), kMark, back);
        if (!text.empty()) out_.edits.push_back({{at, at}, script_.with_own_line_ends(text)});
    }

    std::string with_model(std::string line) const {
        constexpr std::string_view kModel = "{model}";
        const std::size_t at = line.find(kModel);
        if (at == line.npos) return line;
        std::string model;
        for (const NodeId call : model_calls_of(script_, facts_, loop_)) {
            const std::string_view callee = tree_.text(tree_.child(call, Field::function));
            if (model.empty()) model = callee;
            if (model != callee) model = "None";
        }
        return line.replace(at, kModel.size(), model.empty() ? "None" : model);
    }

    const Script& script_;
    const SyntaxTree& tree_;
    const LoopFacts& facts_;
    const TrainingLoop& loop_;
    const Instrument& instrument_;
    NodeId first_ = kNoNode;  // of the statements that are the step
    NodeId last_ = kNoNode;
    std::vector<NodeId> exits_;  // that the lines behind the step must stand in front of, too
    Instrumented out_;
};

}  // namespace

Instrumented instrument(const Script& script, const LoopFacts& facts, const TrainingLoop& loop,
                        const Instrument& instrument) {
    return Inserter(script, facts, loop, instrument).run();
}

std::string without_instruments(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end);
        std::string_view content = line;
        while (content.ends_with('\n') || content.ends_with('\r')) content.remove_suffix(1);
        if (!content.ends_with(kMark)) {
            out += line;
            continue;
        }
        // The last line of a file without a line end at its end has brought one for the line above.
        if (content.size() == line.size()) {
            if (out.ends_with('\n')) out.pop_back();
            if (out.ends_with('\r')) out.pop_back();
        }
    }
    return out;
}

}  // namespace migrator
