#include "migrator/library/library_result.h"

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/version.h"

namespace migrator {
namespace {

using Kind = LibraryFunction::Kind;
using Names = std::map<const LibraryFunction*, std::set<std::string>>;

// A chain of re-exports is not longer; what is longer goes round.
constexpr int kMaxExports = 16;

bool is_public(std::string_view name) { return name.find("._") == name.npos && !name.starts_with('_'); }

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

class PublicNames {
public:
    explicit PublicNames(const CallGraph& graph) : graph_(graph) {}

    Names collect() {
        for (const LibraryFunction& function : graph_.functions()) {
            if (function.kind != Kind::method && is_public(function.name)) names_[&function].insert(function.name);
            for (const auto& [name, target] : function.exports) add_export(name, target);
        }
        for (const auto& [name, target] : exports_) {
            const LibraryFunction* found = follow(target);
            if (is_public(name) && found != nullptr && found->kind != Kind::method) names_[found].insert(name);
        }
        for (const LibraryFunction& function : graph_.functions()) {
            if (function.kind == Kind::class_) add_methods(function);
        }
        return std::move(names_);
    }

private:
    void add_export(const std::string& name, const std::string& target) {
        if (!name.ends_with(".*")) {
            exports_.emplace(name, target);
            return;
        }
        const std::string module = name.substr(0, name.size() - 1);
        for (const LibraryFunction& function : graph_.functions()) {
            const bool is_right_in = function.name.starts_with(target + ".") &&
                                     function.name.find('.', target.size() + 1) == std::string::npos;
            if (is_right_in && function.kind != Kind::module)
                exports_.emplace(module + std::string(last_part(function.name)), function.name);
        }
    }

    const LibraryFunction* follow(std::string name) const {
        for (int i = 0; i < kMaxExports; ++i) {
            if (const LibraryFunction* found = graph_.find(name)) return found;
            const auto next = exports_.find(name);
            if (next == exports_.end()) return nullptr;
            name = next->second;
        }
        return nullptr;
    }

    void add_methods(const LibraryFunction& of) {
        std::set<std::string_view> seen;
        for (const LibraryFunction* method : methods_of(of)) {
            const std::string_view last = last_part(method->name);
            if (last.starts_with('_') || !seen.insert(last).second) continue;
            for (const std::string& name : names_[&of]) names_[method].insert(name + "." + std::string(last));
        }
    }

    // Those of the bases behind its own.
    std::vector<const LibraryFunction*> methods_of(const LibraryFunction& of) const {
        std::vector<const LibraryFunction*> out;
        for (const LibraryFunction* at : graph_.with_bases(of)) {
            const std::string prefix = at->name + ".";
            const auto& all = graph_.functions();
            auto method = std::lower_bound(all.begin(), all.end(), prefix,
                                           [](const auto& function, const auto& text) { return function.name < text; });
            for (; method != all.end() && method->name.starts_with(prefix); ++method) {
                if (method->kind == Kind::method && method->name.find('.', prefix.size()) == std::string::npos)
                    out.push_back(&*method);
            }
        }
        return out;
    }

    const CallGraph& graph_;
    std::map<std::string, std::string> exports_;
    Names names_;
};

std::vector<std::string> listed(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

LibraryReach reach_of(const CallGraph::Way& way) {
    LibraryReach out{way.obstacle->subject,
                     way.obstacle->rule,
                     way.obstacle->message,
                     base::format("{}:{}", way.functions.back()->file, way.obstacle->line),
                     {}};
    for (const LibraryFunction* function : way.functions) out.chain.push_back(function->name);
    return out;
}

// The methods that lead to an obstacle, by the names of their class.
std::map<std::string, std::set<std::string>> methods_by_class(const CallGraph& graph, const Names& names) {
    std::map<std::string, std::set<std::string>> out;
    for (const auto& [function, all] : names) {
        if (function->kind != Kind::method || graph.ways(*function).empty()) continue;
        for (const std::string& name : all) out[name.substr(0, name.rfind('.'))].emplace(last_part(name));
    }
    return out;
}

std::vector<LibraryEntry> entries_of(const CallGraph& graph, const Names& names) {
    std::vector<LibraryEntry> out;
    for (const LibraryFunction& function : graph.functions()) {
        const auto known = names.find(&function);
        if (known == names.end() || known->second.empty()) continue;
        const std::vector<CallGraph::Way> ways = graph.ways(function);
        if (ways.empty()) continue;
        LibraryEntry& entry = out.emplace_back();
        entry.names = listed(known->second);
        entry.kind = name(function.kind);
        entry.place = base::format("{}:{}", function.file, function.line);
        std::transform(ways.begin(), ways.end(), std::back_inserter(entry.reaches), reach_of);
    }
    return out;
}

std::vector<LibraryClass> classes_of(const CallGraph& graph, const Names& names) {
    const auto methods = methods_by_class(graph, names);
    std::vector<LibraryClass> out;
    for (const LibraryFunction& function : graph.functions()) {
        const auto known = names.find(&function);
        if (function.kind != Kind::class_ || known == names.end() || known->second.empty()) continue;
        const auto own = methods.find(*known->second.begin());
        if (own != methods.end()) out.push_back({listed(known->second), function.external_base, listed(own->second)});
    }
    return out;
}

}  // namespace

Names public_names(const CallGraph& graph) { return PublicNames(graph).collect(); }

std::string library_json(const CallGraph& graph, Version version) {
    const Names names = public_names(graph);
    const LibraryFile file{{},
                           {"migrator", std::string(base::kVersion)},
                           version.text(),
                           entries_of(graph, names),
                           classes_of(graph, names)};
    base::JsonWriter json;
    base::InJson<LibraryFile>::write(json, file);
    return std::move(json).take() + "\n";
}

}  // namespace migrator
