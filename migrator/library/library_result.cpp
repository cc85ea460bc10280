#include "migrator/library/library_result.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
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

template <class Strings>
void write_strings(base::JsonWriter& json, std::string_view key, const Strings& strings) {
    json.key(key).begin_array();
    for (const auto& text : strings) json.string(text);
    json.end_array();
}

void write_way(base::JsonWriter& json, const CallGraph::Way& way) {
    std::vector<std::string_view> chain;
    for (const LibraryFunction* function : way.functions) chain.push_back(function->name);
    json.begin_object();
    json.key("subject").string(way.obstacle->subject);
    json.key("rule").string(way.obstacle->rule);
    json.key("message").string(way.obstacle->message);
    json.key("place").string(base::format("{}:{}", way.functions.back()->file, way.obstacle->line));
    write_strings(json, "chain", chain);
    json.end_object();
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

void write_functions(base::JsonWriter& json, const CallGraph& graph, const Names& names) {
    json.key("functions").begin_array();
    for (const LibraryFunction& function : graph.functions()) {
        const auto known = names.find(&function);
        if (known == names.end() || known->second.empty()) continue;
        const std::vector<CallGraph::Way> ways = graph.ways(function);
        if (ways.empty()) continue;
        json.begin_object();
        write_strings(json, "names", known->second);
        json.key("kind").string(name(function.kind));
        json.key("place").string(base::format("{}:{}", function.file, function.line));
        json.key("reaches").begin_array();
        for (const CallGraph::Way& way : ways) write_way(json, way);
        json.end_array();
        json.end_object();
    }
    json.end_array();
}

void write_classes(base::JsonWriter& json, const CallGraph& graph, const Names& names) {
    const auto methods = methods_by_class(graph, names);
    json.key("classes").begin_array();
    for (const LibraryFunction& function : graph.functions()) {
        const auto known = names.find(&function);
        if (function.kind != Kind::class_ || known == names.end() || known->second.empty()) continue;
        const auto own = methods.find(*known->second.begin());
        if (own == methods.end()) continue;
        json.begin_object();
        write_strings(json, "names", known->second);
        json.key("base").string(function.external_base);
        write_strings(json, "methods", own->second);
        json.end_object();
    }
    json.end_array();
}

}  // namespace

Names public_names(const CallGraph& graph) { return PublicNames(graph).collect(); }

std::string library_json(const CallGraph& graph, Version version) {
    const Names names = public_names(graph);
    base::JsonWriter json;
    json.begin_object();
    json.key("schema").string(kLibrarySchema);
    json.key("tool").begin_object();
    json.key("name").string("migrator");
    json.key("version").string(base::kVersion);
    json.end_object();
    json.key("framework_version").string(version.text());
    write_functions(json, graph, names);
    write_classes(json, graph, names);
    json.end_object();
    return std::move(json).take() + "\n";
}

}  // namespace migrator
