#include "migrator/distribute/distribute.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "migrator/distribute/loaded_loop.h"
#include "migrator/distribute/one_process.h"
#include "migrator/distribute/trained_modules.h"

namespace migrator {
namespace {

constexpr auto kLoops = std::to_array({NodeKind::for_statement, NodeKind::while_statement});
constexpr std::string_view kSetup = "setup_distributed";
constexpr std::string_view kDivide = "divide_between_processes";

class Distributor {
public:
    Distributor(const Script& script, const DistributeFacts& facts, const LoopFacts& loops, std::string_view model,
                const DistributeTexts& texts)
        : script_(script), tree_(script.tree), facts_(facts), loops_(loops), model_(model), texts_(texts) {}

    DistributedScript run() {
        if (tree_.has_errors()) {
            obstacle(kNoNode, "the script does not parse as a whole");
            return std::move(out_);
        }
        check_script();
        const std::vector<LoadedLoop> loops = find_loaded_loops(script_, loops_, facts_, out_.obstacles);
        for (const LoadedLoop& loop : loops) {
            divide_batches(loop);
            set_epoch(loop);
            train_wrapped_model(loop);
        }
        if (!loops.empty() && !wraps_model_)
            obstacle(kNoNode, base::format("no training loop calls `{}`, the model", model_));
        for (std::string& text : trained_beside(script_, loops_, facts_, model_)) obstacle(kNoNode, std::move(text));
        take_data_parallel_away();
        make_devices_relative();
        for (const Edit& guard : keep_to_one_process(script_, facts_, loops, out_.notes))
            edit(guard.range, guard.replacement);
        add_setup();
        if (!set_.add(edits_)) obstacle(kNoNode, "two of the edits that are needed touch each other");
        if (out_.obstacles.empty()) out_.edits = set_.edits();
        return std::move(out_);
    }

private:
    void obstacle(NodeId node, std::string text) {
        if (node != kNoNode) text = base::format("line {}: {}", script_.line(node), text);
        if (!base::contains(out_.obstacles, text)) out_.obstacles.push_back(std::move(text));
    }

    void edit(base::ByteRange range, std::string text) {
        const Edit wanted{range, std::move(text)};
        if (!base::contains(edits_, wanted)) edits_.push_back(wanted);
    }

    void insert(std::uint64_t at, std::string_view text) { edit({at, at}, script_.with_own_line_ends(text)); }

    void check_script() {
        for (const NodeId node : script_.bindings.external_expressions()) {
            if (script_.means(node, facts_.already_distributed))
                obstacle(node, base::format("`{}`: the script is distributed already, or leaves it to a library",
                                            tree_.text(node)));
        }
        for (const std::string_view name : {kSetup, kIsMainProcess, kDivide}) {
            if (script_.bindings.is_name_taken(kModuleScope, name))
                obstacle(kNoNode, base::format("the name `{}` is needed, and the script has one", name));
        }
        const bool is_name = !model_.empty() && model_.find_first_of(". []()") == std::string_view::npos;
        if (!is_name)
            obstacle(kNoNode, base::format("`{}` is not a plain variable, and the model must be in one", model_));
    }

    void divide_batches(const LoadedLoop& loop) {
        if (!loop.is_made_elsewhere && !has_sampler(loop.loader_call)) {
            if (auto edits = sampled_loader(loop.loader_call)) {
                for (const Edit& wanted : *edits) edit(wanted.range, wanted.replacement);
                return;
            }
        }
        divide_where_it_runs(loop);
    }

    bool has_sampler(NodeId call) {
        const auto arguments = script_.arguments(call, facts_.loader.parameters);
        for (const std::string& taken : facts_.loader.divides) {
            if (!arguments || !arguments->contains(taken)) continue;
            obstacle(call, base::format("the loader has a `{}` of its own, which must divide the data itself", taken));
            return true;
        }
        return false;
    }

    // DataLoader(d, shuffle=True) -> DataLoader(d, shuffle=False, sampler=DistributedSampler(d, shuffle=True, ...));
    // nothing when an argument would be evaluated twice, or is not seen.
    std::optional<std::vector<Edit>> sampled_loader(NodeId call) {
        const auto arguments = script_.arguments(call, facts_.loader.parameters);
        const LoaderFacts& loader = facts_.loader;
        if (!arguments || !arguments->contains(loader.dataset)) return std::nullopt;
        for (const std::string& read_again : {loader.dataset, loader.shuffle, loader.drop_last}) {
            const auto found = arguments->find(read_again);
            if (found != arguments->end() && !script_.is_plain(found->second)) return std::nullopt;
        }
        const NodeId dataset = arguments->find(loader.dataset)->second;
        const auto type = script_.bindings.type_of(dataset);
        if (type && base::contains(facts_.iterable_datasets, type->name))
            obstacle(call,
                     "the data set is an iterable one, which no sampler can divide; divide it by rank in its __iter__");
        auto text_or_false = [&](const std::string& name) -> std::string_view {
            const auto found = arguments->find(name);
            const std::string_view text = found == arguments->end() ? "False" : tree_.text(found->second);
            return text == "None" ? "False" : text;
        };
        std::vector<Edit> out;
        const std::string_view shuffle = text_or_false(loader.shuffle);
        if (shuffle != "False") out.push_back({tree_.range(arguments->find(loader.shuffle)->second), "False"});
        auto children = tree_.named_children(tree_.child(call, Field::arguments));
        erase_if(children, [&](NodeId id) { return tree_.kind(id) == NodeKind::comment; });
        const std::uint64_t end = tree_.range(children.back()).end;
        out.push_back(
            {{end, end},
             base::format(", {}={}({}, {}={}, {}={})", loader.divides.front(), loader.sampler, tree_.text(dataset),
                          loader.shuffle, shuffle, loader.drop_last, text_or_false(loader.drop_last))});
        if (arguments->contains(loader.order))
            out_.notes.push_back(
                {"The loader's `{parameter}` does not decide on the order any more: the sampler's seed does.",
                 {{"parameter", loader.order}}});
        return out;
    }

    // loader = make_loader(args), and below it: loader = divide_between_processes(loader)
    void divide_where_it_runs(const LoadedLoop& loop) {
        const NodeId statement = script_.statement_of(loop.loader_call);
        const std::uint64_t begin = tree_.range(statement).begin;
        const std::string_view before =
            tree_.source().substr(script_.line_begin(begin), begin - script_.line_begin(begin));
        if (before.find_first_not_of(" \t") != before.npos)
            return obstacle(loop.loader_call, "the loader is made on a line that does more");
        divides_where_it_runs_ = true;
        const std::string_view name = tree_.text(loop.loader_name);
        insert(script_.line_end(tree_.range(statement).end - 1),
               base::format("{}{} = {}({})\n", script_.indentation(statement), name, kDivide, name));
    }

    // The order of the samples must differ from epoch to epoch, and agree between the processes.
    void set_epoch(const LoadedLoop& loop) {
        if (is_made_in_function(loop) && is_around_calls(loop))
            return obstacle(
                loop.batches,
                "the loader is made in the function that trains one epoch; make it before the loop over epochs");
        const std::string_view epoch = loop.epochs == kNoNode ? std::string_view{} : counter_of(loop.epochs);
        const bool is_new_each_time = is_made_in_loop(loop);
        const bool is_around = loop.epochs != kNoNode && tree_.is_ancestor(loop.epochs, loop.batches);
        if (is_new_each_time && (epoch.empty() || !is_around))
            return obstacle(loop.loader_call,
                            "the loader is made again in each epoch; make it before the loop over epochs");
        if (epoch.empty() && !is_repeated(loop)) return;
        const bool is_in_front = epoch.empty() || is_new_each_time;
        const NodeId first =
            is_in_front ? loop.batches : tree_.named_children(tree_.child(loop.epochs, Field::body)).front();
        const std::string_view name = tree_.text(is_in_front ? loop.name_in_loop : loop.loader_name);
        const std::string next = base::format("{}.{} + 1", name, facts_.loader.epoch);
        insert(tree_.range(first).begin, base::format("{}.{}({})\n{}", name, facts_.loader.set_epoch,
                                                      epoch.empty() ? next : epoch, script_.indentation(first)));
    }

    // The variable of `for epoch in range(...)` that has a body of lines; empty for other loops.
    std::string_view counter_of(NodeId epochs) const {
        const NodeId target = tree_.child(epochs, Field::left);
        const auto names = script_.below(tree_.child(epochs, Field::right), NodeKind::identifier);
        const bool counts = std::ranges::any_of(names, [&](NodeId name) { return tree_.text(name) == "range"; });
        const NodeId first = tree_.named_children(tree_.child(epochs, Field::body)).front();
        const bool has_lines = script_.line(first) != script_.line(epochs);
        return tree_.kind(target) == NodeKind::identifier && counts && has_lines ? tree_.text(target)
                                                                                 : std::string_view{};
    }

    bool is_made_in_function(const LoadedLoop& loop) const {
        return loop.function != kNoNode && tree_.is_ancestor(loop.function, loop.loader_call);
    }

    // The nearest loop around the node in its function.
    NodeId loop_around(NodeId node) const {
        NodeId nearest = kNoNode;
        for (const NodeKind kind : kLoops) {
            const NodeId around = tree_.ancestor(node, kind);
            const bool is_here = around != kNoNode && script_.function_of(around) == script_.function_of(node);
            if (is_here && (nearest == kNoNode || around > nearest)) nearest = around;
        }
        return nearest;
    }

    // In the loop that the batches, or a call that goes through them, are in right away.
    bool is_made_in_loop(const LoadedLoop& loop) const {
        const NodeId around = loop_around(loop.loader_call);
        if (around == kNoNode) return false;
        return loop_around(loop.batches) == around ||
               std::ranges::any_of(loop.calls, [&](NodeId call) { return loop_around(call) == around; });
    }

    // Whether the batches may be gone through more than once: in a loop, or by who calls the function.
    bool is_repeated(const LoadedLoop& loop) const {
        if (loop.function != kNoNode && !is_made_in_function(loop)) return true;
        for (NodeId at = tree_.parent(loop.batches); at != kNoNode && at != loop.function; at = tree_.parent(at)) {
            if (tree_.kind(at) == NodeKind::for_statement || tree_.kind(at) == NodeKind::while_statement)
                return tree_.range(at).begin > tree_.range(loop.loader_call).begin;
        }
        return false;
    }

    bool is_around_calls(const LoadedLoop& loop) const {
        return std::ranges::any_of(loop.calls, [&](NodeId call) { return loop_around(call) != kNoNode; });
    }

    // The model is called through the wrapper where gradients are computed, and only there.
    void train_wrapped_model(const LoadedLoop& loop) {
        const std::string wrapped = base::format("ddp_{}", model_);
        for (const NodeId call : script_.below(loop.batches, NodeKind::call)) {
            const NodeId callee = tree_.child(call, Field::function);
            if (tree_.text(callee) != model_ || tree_.kind(callee) != NodeKind::identifier) continue;
            if (loop.function != kNoNode && base::contains(script_.parameters_of(loop.function), model_)) break;
            edit(tree_.range(callee), wrapped);
            wrap_before(loop.batches, callee, wrapped);
        }
        if (loop.function == kNoNode) return;
        for (const NodeId call : loop.calls) {
            for (const std::string& parameter : script_.parameters_of(loop.function)) {
                const NodeId argument = argument_for(script_, loop.function, call, parameter);
                if (argument == kNoNode || tree_.text(argument) != model_) continue;
                check_uses(loop.function, parameter);
                edit(tree_.range(argument), wrapped);
                wrap_before(call, argument, wrapped);
            }
        }
    }

    // In the function that trains, the wrapper stands in for the model.
    void check_uses(NodeId function, const std::string& parameter) {
        for (const NodeId attribute : script_.below(function, NodeKind::attribute)) {
            const NodeId object = tree_.child(attribute, Field::object);
            if (tree_.kind(object) != NodeKind::identifier || tree_.text(object) != parameter) continue;
            const std::string_view member = tree_.text(tree_.child(attribute, Field::attribute));
            if (!base::contains(facts_.wrapped_members, member))
                obstacle(attribute,
                         base::format("`{}.{}` is used where the model is trained, and the wrapped model has no "
                                      "such member; move it out of the function",
                                      parameter, member));
        }
    }

    // Behind the last statement before `use` that makes or places the model.
    void wrap_before(NodeId use, NodeId name, const std::string& wrapped) {
        wraps_model_ = true;
        std::set<NodeId> makes;
        for (const BindingSite& site : script_.bindings.binding_sites(name)) makes.insert(site.target);
        for (const NodeId read : script_.bindings.reads(name)) {
            const NodeId attribute = tree_.parent(read);
            const bool places =
                tree_.kind(attribute) == NodeKind::attribute &&
                base::contains(facts_.placing_members, tree_.text(tree_.child(attribute, Field::attribute)));
            if (places) makes.insert(read);
        }
        for (NodeId at = script_.statement_of(use); at != kNoNode; at = enclosing_statement(at)) {
            NodeId last = kNoNode;
            for (const NodeId statement : tree_.named_children(tree_.parent(at))) {
                if (statement >= at) break;
                const auto inside = makes.lower_bound(statement);
                if (inside != makes.end() && *inside < tree_.subtree_end(statement)) last = statement;
            }
            if (last == kNoNode) continue;
            insert(script_.line_end(tree_.range(last).end - 1),
                   base::format("{}{} = {}({})\n", script_.indentation(last), wrapped, facts_.wrapper, model_));
            return;
        }
        obstacle(use, base::format("`{}` is not made before this in the same function", model_));
    }

    // kNoNode above the outermost one of a function or the module.
    NodeId enclosing_statement(NodeId statement) const {
        const NodeId block = tree_.parent(statement);
        if (block == kNoNode || tree_.kind(block) == NodeKind::module) return kNoNode;
        const NodeId owner = tree_.parent(block);
        const bool ends_here =
            tree_.kind(owner) == NodeKind::function_definition || tree_.kind(owner) == NodeKind::class_definition;
        return ends_here ? kNoNode : script_.statement_of(owner);
    }

    // model = DataParallel(model): each process has one device. What was `model.module` is the model itself again.
    void take_data_parallel_away() {
        bool found = false;
        for (const NodeId call : script_.all(NodeKind::call)) {
            if (!script_.means(tree_.child(call, Field::function), facts_.data_parallel)) continue;
            const auto arguments = tree_.named_children(tree_.child(call, Field::arguments));
            if (arguments.empty() || tree_.text(arguments.front()) != model_)
                return obstacle(call, base::format("this wraps something else than `{}`", model_));
            edit(tree_.range(call), std::string(model_));
            found = true;
        }
        if (!found) return;
        for (const NodeId attribute : script_.all(NodeKind::attribute)) {
            const bool is_wrapped = tree_.text(tree_.child(attribute, Field::object)) == model_ &&
                                    tree_.text(tree_.child(attribute, Field::attribute)) == "module";
            const NodeId function = script_.function_of(attribute);
            const bool is_parameter = function != kNoNode && base::contains(script_.parameters_of(function), model_);
            if (is_wrapped && !is_parameter) edit(tree_.range(attribute), std::string(model_));
        }
    }

    // Each process has chosen its device: "cuda:0" and cuda(0) would be one for all of them.
    void make_devices_relative() {
        const std::string prefix = facts_.device + ":";
        for (const NodeId content : script_.all(NodeKind::string_content)) {
            const std::string_view text = tree_.text(content);
            const bool indexed = text.starts_with(prefix) && text.size() > prefix.size() &&
                                 text.find_first_not_of("0123456789", prefix.size()) == text.npos;
            if (indexed) edit(tree_.range(content), facts_.device);
            if (base::contains(facts_.device_selectors, text))
                out_.notes.push_back(
                    {"Line {line}: if {variable} is set here, all processes see these devices only: "
                     "remove the line, or name one for each process.",
                     {{"line", base::format("{}", script_.line(content))}, {"variable", std::string(text)}}});
        }
        for (const NodeId call : script_.all(NodeKind::call)) {
            const std::string_view member = script_.called_member(call);
            const bool has_default = base::contains(facts_.device_members, member);
            const bool takes_index = base::contains(facts_.index_members, member) ||
                                     script_.means(tree_.child(call, Field::function), facts_.index_functions);
            if (!has_default && !takes_index) continue;
            for (const NodeId argument : tree_.named_children(tree_.child(call, Field::arguments))) {
                if (tree_.kind(argument) == NodeKind::integer)
                    edit(tree_.range(argument), has_default ? "" : facts_.current_device);
            }
        }
    }

    void add_setup() {
        const auto statements = tree_.named_children(tree_.root());
        NodeId last_import = kNoNode;
        NodeId main_block = kNoNode;
        bool still_imports = true;
        for (const NodeId statement : statements) {
            const NodeKind kind = tree_.kind(statement);
            const bool is_import = kind == NodeKind::import_statement || kind == NodeKind::import_from_statement ||
                                   kind == NodeKind::future_import_statement;
            const bool is_text =
                kind == NodeKind::comment || (kind == NodeKind::expression_statement &&
                                              tree_.kind(tree_.first_child(statement)) == NodeKind::string);
            if (is_import && still_imports) last_import = statement;
            if (!is_import && !is_text) still_imports = false;
            if (kind == NodeKind::if_statement &&
                tree_.text(tree_.child(statement, Field::condition)).find("__main__") != std::string_view::npos)
                main_block = tree_.child(statement, Field::consequence);
        }
        if (last_import == kNoNode) return obstacle(kNoNode, "the script does not begin with imports");
        std::string text = "\n" + std::string(texts_.setup);
        if (divides_where_it_runs_) text += texts_.divide;
        while (text.ends_with("\n\n")) text.pop_back();
        if (main_block == kNoNode) {
            text += base::format("\n\n{}()\n", kSetup);
        } else {
            const NodeId first = tree_.named_children(main_block).front();
            insert(tree_.range(first).begin, base::format("{}()\n{}", kSetup, script_.indentation(first)));
        }
        insert(script_.line_end(tree_.range(last_import).end - 1), text);
    }

    const Script& script_;
    const SyntaxTree& tree_;
    const DistributeFacts& facts_;
    const LoopFacts& loops_;
    std::string_view model_;
    const DistributeTexts& texts_;
    std::vector<Edit> edits_;
    EditSet set_;
    bool wraps_model_ = false;
    bool divides_where_it_runs_ = false;
    DistributedScript out_;
};

}  // namespace

DistributedScript distribute(const SyntaxTree& tree, const Bindings& bindings, const DistributeFacts& facts,
                             const LoopFacts& loops, std::string_view model, const DistributeTexts& texts) {
    const Script script(tree, bindings);
    return Distributor(script, facts, loops, model, texts).run();
}

}  // namespace migrator
