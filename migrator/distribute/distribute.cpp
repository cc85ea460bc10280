#include "migrator/distribute/distribute.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "migrator/distribute/loaded_loop.h"

namespace migrator {
namespace {

constexpr std::string_view kSetup = "setup_distributed";
constexpr std::string_view kIsMain = "is_main_process";

class Distributor {
public:
    Distributor(const Script& script, const DistributeFacts& facts, const LoopFacts& loops, std::string_view model,
                std::string_view setup)
        : script_(script), tree_(script.tree), facts_(facts), loops_(loops), model_(model), setup_(setup) {}

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
        make_devices_relative();
        keep_to_one_process(training_functions(loops));
        add_setup();
        if (!set_.add(edits_)) obstacle(kNoNode, "two of the edits that are needed touch each other");
        if (out_.obstacles.empty()) out_.edits = set_.edits();
        return std::move(out_);
    }

private:
    void obstacle(NodeId node, std::string text) {
        if (node != kNoNode) text = base::format("line {}: {}", script_.line(node), text);
        if (!has(out_.obstacles, text)) out_.obstacles.push_back(std::move(text));
    }

    void edit(base::ByteRange range, std::string text) {
        const Edit wanted{range, std::move(text)};
        if (std::find(edits_.begin(), edits_.end(), wanted) == edits_.end()) edits_.push_back(wanted);
    }

    void insert(std::uint64_t at, std::string_view text) { edit({at, at}, script_.with_own_line_ends(text)); }

    void check_script() {
        for (const NodeId node : script_.bindings.external_expressions()) {
            if (script_.means(node, facts_.already_distributed))
                obstacle(node, base::format("`{}`: the script is distributed already, or leaves it to a library",
                                            tree_.text(node)));
        }
        for (const std::string_view name : {kSetup, kIsMain}) {
            if (script_.bindings.is_name_taken(kModuleScope, name))
                obstacle(kNoNode, base::format("the name `{}` is needed, and the script has one", name));
        }
        const bool is_name = !model_.empty() && model_.find_first_of(". []()") == std::string_view::npos;
        if (!is_name)
            obstacle(kNoNode, base::format("`{}` is no plain variable, and the model must be in one", model_));
    }

    // DataLoader(d, shuffle=True) -> DataLoader(d, shuffle=False, sampler=DistributedSampler(d, shuffle=True, ...))
    void divide_batches(const LoadedLoop& loop) {
        const NodeId call = loop.loader_call;
        const auto arguments = script_.arguments(call, facts_.loader_parameters);
        if (!arguments) return obstacle(call, "the loader gets arguments through * or **");
        for (const char* taken : {"sampler", "batch_sampler"}) {
            if (arguments->contains(taken))
                return obstacle(
                    call, base::format("the loader has a `{}` of its own, which must divide the data itself", taken));
        }
        const auto dataset = arguments->find("dataset");
        if (dataset == arguments->end()) return obstacle(call, "the loader has no data set");
        if (!script_.is_plain(dataset->second))
            return obstacle(call, "the data set is made inside the call of the loader; assign it to a variable first");
        const auto type = script_.bindings.type_of(dataset->second);
        if (type && has(facts_.iterable_datasets, type->name))
            return obstacle(
                call,
                "the data set is an iterable one, which no sampler can divide; divide it by rank in its __iter__");
        auto text_or = [&](const char* name) -> std::string {
            const auto found = arguments->find(name);
            if (found == arguments->end()) return "False";
            if (!script_.is_plain(found->second))
                obstacle(call, base::format("`{}` is more than a name or a constant", name));
            return std::string(tree_.text(found->second));
        };
        const std::string shuffle = text_or("shuffle");
        const std::string drop_last = text_or("drop_last");
        if (shuffle != "False" && arguments->contains("shuffle"))
            edit(tree_.range(arguments->find("shuffle")->second), "False");
        auto children = tree_.named_children(tree_.child(call, Field::arguments));
        erase_if(children, [&](NodeId id) { return tree_.kind(id) == NodeKind::comment; });
        insert(tree_.range(children.back()).end,
               base::format(", sampler={}({}, shuffle={}, drop_last={})", facts_.sampler, tree_.text(dataset->second),
                            shuffle == "None" ? "False" : shuffle, drop_last == "None" ? "False" : drop_last));
        if (arguments->contains("generator"))
            out_.notes.push_back(
                "The loader's `generator` does not decide on the order any more: the sampler's seed does.");
    }

    // The order of the samples must differ from epoch to epoch, and agree between the processes.
    void set_epoch(const LoadedLoop& loop) {
        for (const NodeId inner : with_calls(loop)) {
            const NodeId around = tree_.ancestor(inner, NodeKind::while_statement);
            if (around != kNoNode && script_.function_of(around) == script_.function_of(inner))
                return obstacle(around, "it trains in a `while` loop, which does not count epochs");
        }
        if (loop.epochs == kNoNode) {
            if (loop.function != kNoNode && loop.calls.empty())
                obstacle(loop.batches,
                         "the function of this loop is not called from this file, so the loop over epochs is unknown");
            else if (is_around_calls(loop))
                obstacle(
                    loop.batches,
                    "the loader is made in the function that trains one epoch; make it before the loop over epochs");
            return;
        }
        const NodeId target = tree_.child(loop.epochs, Field::left);
        const NodeId iterable = tree_.child(loop.epochs, Field::right);
        bool counts = false;
        for (const NodeId name : script_.below(iterable, NodeKind::identifier)) counts |= tree_.text(name) == "range";
        if (tree_.kind(target) != NodeKind::identifier || !counts)
            return obstacle(loop.epochs, "the loop over epochs does not count with range()");
        const NodeId body = tree_.child(loop.epochs, Field::body);
        const NodeId first = tree_.named_children(body).front();
        if (script_.line(first) == script_.line(loop.epochs))
            return obstacle(loop.epochs, "the loop over epochs stands on one line");
        insert(tree_.range(first).begin, base::format("{}.sampler.set_epoch({})\n{}", tree_.text(loop.loader_name),
                                                      tree_.text(target), script_.indentation(first)));
    }

    static std::vector<NodeId> with_calls(const LoadedLoop& loop) {
        std::vector<NodeId> out = loop.calls;
        out.push_back(loop.batches);
        return out;
    }

    bool is_around_calls(const LoadedLoop& loop) const {
        return std::any_of(loop.calls.begin(), loop.calls.end(), [&](NodeId call) {
            const NodeId above = tree_.ancestor(call, NodeKind::for_statement);
            return above != kNoNode && script_.function_of(above) == script_.function_of(call);
        });
    }

    // The model is called through the wrapper where gradients are computed, and only there.
    void train_wrapped_model(const LoadedLoop& loop) {
        const std::string wrapped = base::format("ddp_{}", model_);
        for (const NodeId call : script_.below(loop.batches, NodeKind::call)) {
            const NodeId callee = tree_.child(call, Field::function);
            if (tree_.text(callee) != model_ || tree_.kind(callee) != NodeKind::identifier) continue;
            if (loop.function != kNoNode && has(script_.parameters_of(loop.function), model_)) break;
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
            if (!has(facts_.wrapped_members, member))
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
            const bool places = tree_.kind(attribute) == NodeKind::attribute &&
                                has(facts_.placing_members, tree_.text(tree_.child(attribute, Field::attribute)));
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

    // Each process has chosen its device: "cuda:0" and cuda(0) would be one for all of them.
    void make_devices_relative() {
        const std::string prefix = facts_.device + ":";
        for (const NodeId content : script_.all(NodeKind::string_content)) {
            const std::string_view text = tree_.text(content);
            const bool indexed = text.starts_with(prefix) && text.size() > prefix.size() &&
                                 text.find_first_not_of("0123456789", prefix.size()) == text.npos;
            if (indexed) edit(tree_.range(content), facts_.device);
        }
        for (const NodeId call : script_.all(NodeKind::call)) {
            if (!has(facts_.device_members, script_.called_member(call))) continue;
            for (const NodeId argument : tree_.named_children(tree_.child(call, Field::arguments))) {
                if (tree_.kind(argument) == NodeKind::integer) edit(tree_.range(argument), "");
            }
        }
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

    bool calls_any(NodeId node, const std::set<std::string_view>& functions) const {
        const std::vector<NodeId> calls = script_.below(node, NodeKind::call);
        return std::any_of(calls.begin(), calls.end(), [&](NodeId call) {
            return functions.contains(tree_.text(tree_.child(call, Field::function)));
        });
    }

    void keep_to_one_process(const std::set<std::string_view>& for_all) {
        for (const NodeId statement : script_.all(NodeKind::expression_statement)) {
            const NodeId call = tree_.first_child(statement);
            if (call == kNoNode || tree_.kind(call) != NodeKind::call) continue;
            if (!script_.means(tree_.child(call, Field::function), facts_.one_process)) continue;
            const base::ByteRange range = tree_.range(statement);
            const std::string_view line_start =
                tree_.source().substr(script_.line_begin(range.begin), range.begin - script_.line_begin(range.begin));
            const std::string_view rest = tree_.source().substr(range.end, script_.line_end(range.end) - range.end);
            const std::size_t next = rest.find_first_not_of(" \t\r\n");
            const bool alone = line_start.find_first_not_of(" \t") == line_start.npos &&
                               (next == rest.npos || rest[next] == '#') && !calls_any(statement, for_all);
            if (alone) insert(range.begin, base::format("if {}(): ", kIsMain));
            else
                out_.notes.push_back(
                    {"Line {line}: this runs in every process: it trains, or shares its line with other statements.",
                     {{"line", base::format("{}", script_.line(statement))}}});
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
        std::string text = "\n" + std::string(setup_);
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
    std::string_view setup_;
    std::vector<Edit> edits_;
    EditSet set_;
    bool wraps_model_ = false;
    DistributedScript out_;
};

}  // namespace

DistributedScript distribute(const SyntaxTree& tree, const Bindings& bindings, const DistributeFacts& facts,
                             const LoopFacts& loops, std::string_view model, std::string_view setup) {
    const Script script(tree, bindings);
    return Distributor(script, facts, loops, model, setup).run();
}

}  // namespace migrator
