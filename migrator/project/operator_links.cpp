#include "migrator/project/operator_links.h"

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "migrator/project/operators.h"

namespace migrator {
namespace {

constexpr std::size_t kMostNames = 4000;  // that are looked up for one operator: enough for any that people write

std::string_view last_name(std::string_view path, char sign) {
    const std::size_t at = path.rfind(sign);
    return at == path.npos ? path : path.substr(at + 1);
}

// Whether a source as a build writes it, "../csrc/a.cu", is the file of this path.
bool is_source(std::string_view path, std::string_view written) {
    while (written.starts_with("../") || written.starts_with("./")) written.remove_prefix(written.find('/') + 1);
    return path == written ||
           (path.size() > written.size() && path.ends_with(written) && path[path.size() - written.size() - 1] == '/');
}

// Of an operator in a text of Python, which module of the file has it; empty for all others.
std::string text_module(const OperatorBinding& binding) {
    if (binding.build == 0) return {};
    return binding.module.empty() ? base::format("#{}", binding.build) : binding.module;
}

void merge(std::vector<InFile>& into, const std::vector<InFile>& more) {
    std::set<InFile> known(into.begin(), into.end());
    for (const InFile& item : more) {
        if (known.insert(item).second) into.push_back(item);
    }
}

}  // namespace

void OperatorLinks::index_functions() {
    for (std::size_t i = 0; i < facts_.size(); ++i) {
        const std::vector<CppFunction>& all = facts_[i].operators.functions;
        for (std::size_t k = 0; k < all.size(); ++k) functions_[all[k].name].push_back({i, k});
    }
}

// An operator of a name space is one in all files; a module's belongs to the file that makes the module, and of texts in
// Python to the module.
void OperatorLinks::gather_bindings() {
    std::map<std::tuple<std::string, std::size_t, std::string>, std::size_t> known;
    for (std::size_t i = 0; i < facts_.size(); ++i) {
        const std::vector<OperatorBinding>& all = facts_[i].operators.bindings;
        for (std::size_t k = 0; k < all.size(); ++k) {
            const std::string name = operator_in_python(all[k].subject);
            const bool is_everywhere = all[k].row->namespaced;
            const auto [at, is_new] = known.try_emplace(
                {name, is_everywhere ? facts_.size() : i, is_everywhere ? "" : text_module(all[k])}, out_.size());
            if (is_new) {
                out_.emplace_back().name = name;
                named_[name].push_back(at->second);
            }
            out_[at->second].bindings.push_back({i, k});
        }
    }
    // Rules name what offers an operator in front of what implements it.
    for (LinkedOperator& op : out_) {
        std::stable_sort(op.bindings.begin(), op.bindings.end(),
                         [&](const InFile& a, const InFile& b) { return binding(a).row < binding(b).row; });
    }
}

void OperatorLinks::name_modules() {
    std::map<std::string_view, std::vector<std::pair<std::string_view, std::string_view>>> sources;  // by file name
    for (const JobFacts& facts : facts_) {
        for (const ExtensionBuild& build : facts.operator_uses.builds) {
            for (const std::string& source : build.sources)
                sources[last_name(source, '/')].emplace_back(source, build.module);
        }
    }
    const auto is_below = [&](std::size_t file, std::size_t build) {
        const base::Path& path = paths_[build];
        return paths_[file].starts_with(path.substr(0, path.size() - last_name(path, '/').size()));
    };
    for (LinkedOperator& op : out_) {
        for (const InFile& at : op.bindings) {
            if (!binding(at).module.empty()) op.modules.insert(binding(at).module);
            const auto built = sources.find(last_name(paths_[at.file], '/'));
            if (binding(at).row->namespaced || built == sources.end()) continue;
            for (const auto& [source, module] : built->second) {
                if (is_source(paths_[at.file], source)) op.modules.emplace(module);
            }
        }
    }
    // Of builds that look for their sources: what lies below them.
    for (std::size_t i = 0; i < facts_.size(); ++i) {
        for (const ExtensionBuild& build : facts_[i].operator_uses.builds) {
            if (!build.sources.empty()) continue;
            for (LinkedOperator& op : out_) {
                const InFile at = op.bindings.front();
                if (!binding(at).row->namespaced && op.modules.empty() && is_below(at.file, i))
                    op.modules.emplace(build.module);
            }
        }
    }
}

// The functions that the bindings name, and the kernels behind them.
void OperatorLinks::find_functions(LinkedOperator& op) const {
    std::vector<const std::vector<std::string>*> bodies;
    std::set<std::string_view> seen;
    std::size_t names = 0;
    // In the texts that are compiled with it.
    const auto is_own = [&](InFile at) {
        return function(at).build != 0 && std::ranges::any_of(op.bindings, [&](InFile own) {
                   return own.file == at.file && binding(own).build == function(at).build;
               });
    };
    const auto enter = [&](std::string_view name, std::vector<InFile>* named) {
        if (++names > kMostNames || !seen.insert(name).second) return;
        const auto found = functions_.find(name);
        if (found == functions_.end()) return;
        const bool has_own = std::ranges::any_of(found->second, is_own);
        for (const InFile& at : found->second) {
            if (++names > kMostNames) return;
            if (has_own && !is_own(at)) continue;
            if (named != nullptr) named->push_back(at);
            if (function(at).is_kernel) op.kernels.push_back(at);
            if (function(at).is_differentiable) op.classes.emplace(name);
            bodies.push_back(&function(at).uses);
        }
    };
    for (const InFile& at : op.bindings) {
        enter(binding(at).function, &op.functions);
        bodies.push_back(&binding(at).uses);
    }
    for (std::size_t i = 0; i < bodies.size() && names <= kMostNames; ++i) {
        for (const std::string& used : *bodies[i]) {
            enter(used, nullptr);
            if (names > kMostNames) break;
        }
    }
    const auto is_defined = [&](const InFile& at) { return function(at).is_defined; };
    std::stable_partition(op.functions.begin(), op.functions.end(), is_defined);
    if (std::any_of(op.kernels.begin(), op.kernels.end(), is_defined))
        std::erase_if(op.kernels, [&](const InFile& at) { return !is_defined(at); });
}

void OperatorLinks::find_calls() {
    std::set<std::string_view> modules;  // that are known
    for (const LinkedOperator& op : out_) {
        for (const std::string& module : op.modules) modules.insert(last_name(module, '.'));
    }
    for (std::size_t i = 0; i < facts_.size(); ++i) {
        const std::vector<OperatorCall>& all = facts_[i].operator_uses.calls;
        for (std::size_t k = 0; k < all.size(); ++k) {
            const auto named = named_.find(all[k].op);
            if (named == named_.end()) continue;
            const std::string_view module = last_name(all[k].module, '.');
            for (const std::size_t op : named->second) {
                const bool is_of_other =
                    (modules.contains(module) || all[k].is_of_package) &&
                    std::none_of(out_[op].modules.begin(), out_[op].modules.end(),
                                 [&](const std::string& own) { return last_name(own, '.') == module; });
                if (!is_of_other) out_[op].calls.push_back({i, k});
            }
        }
    }
}

// What applies a class of C++ is one operator with it.
void OperatorLinks::join_classes() {
    std::map<std::string, std::vector<LinkedOperator*>> appliers;  // by class
    for (LinkedOperator& op : out_) {
        if (!binding(op.bindings.front()).row->bases.empty()) continue;
        for (const std::string& of_class : op.classes) appliers[of_class].push_back(&op);
    }
    for (LinkedOperator& of_class : out_) {
        const auto found = appliers.find(of_class.name);
        if (found == appliers.end() || binding(of_class.bindings.front()).row->bases.empty()) continue;
        of_class.is_gradient = true;
        for (LinkedOperator* op : found->second) merge(op->bindings, of_class.bindings);
    }
}

void OperatorLinks::pair(std::size_t forward, std::size_t backward) {
    if (forward == backward || out_[forward].gradient != LinkedOperator::kNone || out_[backward].is_gradient ||
        out_[forward].is_gradient || out_[backward].gradient != LinkedOperator::kNone)
        return;
    out_[forward].gradient = backward;
    out_[backward].is_gradient = true;
}

// By the class that calls both; else by their names.
void OperatorLinks::find_gradients() {
    struct Wrapped {
        std::vector<std::size_t> forward, backward;
    };
    std::map<std::pair<std::size_t, std::string_view>, Wrapped> wrapped;
    for (std::size_t op = 0; op < out_.size(); ++op) {
        for (const InFile& at : out_[op].calls) {
            const OperatorCall& call = facts_[at.file].operator_uses.calls[at.number];
            if (call.wrapper.empty()) continue;
            Wrapped& both = wrapped[{at.file, call.wrapper}];
            (call.is_gradient ? both.backward : both.forward).push_back(op);
            out_[op].wrappers.insert(call.wrapper);
        }
    }
    for (const auto& [at, both] : wrapped) {
        if (!both.forward.empty() && !both.backward.empty()) pair(both.forward.front(), both.backward.front());
    }
    for (const std::string& words : rules_.operator_places.gradients) {
        const std::size_t blank = words.find(' ');
        const std::string_view forward = std::string_view(words).substr(0, blank);
        for (std::size_t op = 0; op < out_.size(); ++op) {
            const std::size_t part = out_[op].name.rfind(forward);
            if (part == std::string::npos) continue;
            std::string name = out_[op].name;
            name.replace(part, forward.size(), words.substr(blank + 1));
            const auto others = named_.find(name);
            if (others == named_.end()) continue;
            for (const std::size_t other : others->second) {
                const InFile one = out_[op].bindings.front(), two = out_[other].bindings.front();
                if (one.file == two.file && text_module(binding(one)) == text_module(binding(two))) pair(op, other);
            }
        }
    }
}

std::vector<LinkedOperator> OperatorLinks::run() {
    index_functions();
    gather_bindings();
    name_modules();
    for (LinkedOperator& op : out_) find_functions(op);
    find_calls();
    join_classes();
    find_gradients();
    for (LinkedOperator& op : out_) {
        if (op.gradient == LinkedOperator::kNone) continue;
        const LinkedOperator& gradient = out_[op.gradient];
        merge(op.bindings, gradient.bindings);
        merge(op.kernels, gradient.kernels);
        merge(op.calls, gradient.calls);
        op.wrappers.insert(gradient.wrappers.begin(), gradient.wrappers.end());
    }
    return std::move(out_);
}

}  // namespace migrator
