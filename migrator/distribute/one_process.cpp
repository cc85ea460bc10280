#include "migrator/distribute/one_process.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

class Guards {
public:
    Guards(const Script& script, const DistributeFacts& facts, const std::vector<LoadedLoop>& loops,
           std::vector<base::Message>& notes)
        : script_(script), tree_(script.tree), facts_(facts), for_all_(training_functions(loops)), notes_(notes) {}

    std::vector<Edit> run() {
        for (const NodeId call : script_.all(NodeKind::call)) {
            const NodeId statement = tree_.parent(call);
            if (call < guarded_end_) continue;  // inside of what is guarded already
            if (is_wanted_once(call)) {
                if (tree_.kind(statement) == NodeKind::expression_statement && can_stand_alone(statement)) guard(call);
                else
                    say(call,
                        "Line {line}: {what} runs in every process: it trains, gives a value, or shares its "
                        "line with other statements.");
            } else if (!redirects(call) && script_.means(tree_.child(call, Field::function), facts_.every_process)) {
                say(call,
                    "Line {line}: {what} runs in every process: if they would write to the same place, make it "
                    "depend on is_main_process().");
            }
        }
        return std::move(out_);
    }

private:
    bool is_wanted_once(NodeId call) const {
        return script_.means(tree_.child(call, Field::function), facts_.one_process) ||
               base::contains(facts_.one_process_members, script_.called_member(call));
    }

    void guard(NodeId call) {
        const std::uint64_t at = tree_.range(call).begin;
        out_.push_back({{at, at}, base::format("if {}(): ", kIsMainProcess)});
        guarded_end_ = tree_.subtree_end(call);
    }

    bool can_stand_alone(NodeId statement) const {
        const base::ByteRange range = tree_.range(statement);
        const std::uint64_t line = script_.line_begin(range.begin);
        const std::string_view before = tree_.source().substr(line, range.begin - line);
        const std::string_view rest = tree_.source().substr(range.end, script_.line_end(range.end) - range.end);
        const std::size_t next = rest.find_first_not_of(" \t\r\n");
        return before.find_first_not_of(" \t") == before.npos && (next == rest.npos || rest[next] == '#') &&
               !calls_training(statement);
    }

    // open(path, "w") -> open(path if is_main_process() else os.devnull, "w"); false when the call opens nothing to write
    bool redirects(NodeId call) {
        if (!script_.means(tree_.child(call, Field::function), facts_.opens_files)) return false;
        const auto arguments = script_.arguments(call, {"file", "mode"});
        if (!arguments || !arguments->contains("file") || !arguments->contains("mode")) return false;
        const auto mode = script_.bindings.constant_string(arguments->find("mode")->second);
        if (!mode || (!mode->starts_with('w') && !mode->starts_with('a'))) return false;
        const NodeId path = arguments->find("file")->second;
        const bool is_choice = tree_.kind(path) == NodeKind::conditional_expression;
        const base::ByteRange range = tree_.range(path);
        if (is_choice) out_.push_back({{range.begin, range.begin}, "("});
        out_.push_back(
            {{range.end, range.end}, base::format("{} if {}() else os.devnull", is_choice ? ")" : "", kIsMainProcess)});
        return true;
    }

    void say(NodeId call, const char* text) {
        const std::string_view what = tree_.text(tree_.child(call, Field::function));
        notes_.push_back({text, {{"line", base::format("{}", script_.line(call))}, {"what", std::string(what)}}});
    }

    // Names of the functions that train, or call one that does: all processes must call them.
    std::set<std::string_view> training_functions(const std::vector<LoadedLoop>& loops) const {
        std::set<std::string_view> names;
        std::vector<NodeId> pending;
        for (const LoadedLoop& loop : loops) pending.push_back(loop.function);
        while (!pending.empty()) {
            const NodeId function = pending.back();
            pending.pop_back();
            if (function == kNoNode || !names.insert(tree_.text(tree_.child(function, Field::name))).second) continue;
            for (const NodeId call : script_.calls_of(function)) pending.push_back(script_.function_of(call));
        }
        return names;
    }

    bool calls_training(NodeId statement) const {
        const std::vector<NodeId> calls = script_.below(statement, NodeKind::call);
        return std::ranges::any_of(
            calls, [&](NodeId call) { return for_all_.contains(tree_.text(tree_.child(call, Field::function))); });
    }

    const Script& script_;
    const SyntaxTree& tree_;
    const DistributeFacts& facts_;
    const std::set<std::string_view> for_all_;
    std::vector<base::Message>& notes_;
    NodeId guarded_end_ = 0;
    std::vector<Edit> out_;
};

}  // namespace

std::vector<Edit> keep_to_one_process(const Script& script, const DistributeFacts& facts,
                                      const std::vector<LoadedLoop>& loops, std::vector<base::Message>& notes) {
    return Guards(script, facts, loops, notes).run();
}

}  // namespace migrator
