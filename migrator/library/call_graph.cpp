#include "migrator/library/call_graph.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <set>

namespace migrator {
namespace {

using Kind = LibraryFunction::Kind;

// What runs when a class is called, and when its objects are.
constexpr std::array<std::string_view, 5> kRunByClass{"__new__", "__init__", "__post_init__", "__call__", "forward"};
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

CallGraph::CallGraph(std::vector<LibraryFunction> functions) : functions_(std::move(functions)) {
    std::stable_sort(functions_.begin(), functions_.end(),
                     [](const auto& a, const auto& b) { return a.name < b.name; });
    // Of several definitions of a name, as below an `if`, any may be the one that is called.
    for (std::size_t i = 0; i < functions_.size(); ++i) index_.emplace(functions_[i].name, i);
    calls_.resize(functions_.size());
    for (std::size_t i = 0; i < functions_.size(); ++i) link(i);

    // From the obstacles back to all that lead there.
    std::vector<std::vector<std::size_t>> callers(functions_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        for (std::size_t callee : calls_[i]) callers[callee].push_back(i);
    }
    reaches_.resize(functions_.size());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
        if (!functions_[i].obstacles.empty()) open.push_back(i);
    }
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (reaches_[at]) continue;
        reaches_[at] = true;
        open.insert(open.end(), callers[at].begin(), callers[at].end());
    }
}

void CallGraph::link(std::size_t from) {
    std::set<std::size_t> targets;
    const auto add = [&](std::string_view name, bool only_functions) {
        const auto first = index_.find(name);
        if (first == index_.end()) return;
        for (std::size_t i = first->second; i < functions_.size() && functions_[i].name == name; ++i) {
            const bool is_function = functions_[i].kind == Kind::function || functions_[i].kind == Kind::method;
            if (i != from && (is_function || !only_functions)) targets.insert(i);
        }
    };
    const LibraryFunction& function = functions_[from];
    for (const std::string& name : function.calls) add(name, false);
    for (const std::string& name : function.passed) add(name, true);
    if (function.kind == Kind::class_) {
        for (std::string_view method : kRunByClass) {
            if (const LibraryFunction* found = find_method(function, method)) add(found->name, true);
        }
    }
    calls_[from].assign(targets.begin(), targets.end());
}

const LibraryFunction* CallGraph::find(std::string_view name) const {
    const auto at = index_.find(name);
    return at == index_.end() ? nullptr : &functions_[at->second];
}

std::vector<const LibraryFunction*> CallGraph::with_bases(const LibraryFunction& of) const {
    std::vector<const LibraryFunction*> out;
    std::set<const LibraryFunction*> seen;
    std::deque<const LibraryFunction*> open{&of};
    while (!open.empty()) {
        const LibraryFunction* at = open.front();
        open.pop_front();
        if (!seen.insert(at).second) continue;
        out.push_back(at);
        for (const std::string& base : at->bases) {
            if (const LibraryFunction* found = find(base)) open.push_back(found);
        }
    }
    return out;
}

const LibraryFunction* CallGraph::find_method(const LibraryFunction& of, std::string_view method) const {
    for (const LibraryFunction* at : with_bases(of)) {
        if (const LibraryFunction* found = find(at->name + "." + std::string(method))) return found;
    }
    return nullptr;
}

std::vector<CallGraph::Way> CallGraph::ways(const LibraryFunction& from) const {
    std::vector<Way> out;
    const auto start = static_cast<std::size_t>(&from - functions_.data());
    if (!reaches_[start]) return out;
    // Breadth first, so that the first way to a subject is one of the shortest.
    std::map<std::size_t, std::size_t> came_from{{start, kNone}};
    std::set<std::string_view> told;
    std::deque<std::size_t> open{start};
    while (!open.empty() && out.size() < kMaxWays) {
        const std::size_t at = open.front();
        open.pop_front();
        for (const Obstacle& obstacle : functions_[at].obstacles) {
            if (out.size() == kMaxWays || !told.insert(obstacle.subject).second) continue;
            Way way;
            way.obstacle = &obstacle;
            for (std::size_t step = at; step != kNone; step = came_from[step])
                way.functions.insert(way.functions.begin(), &functions_[step]);
            out.push_back(std::move(way));
        }
        for (std::size_t callee : calls_[at]) {
            if (reaches_[callee] && came_from.emplace(callee, at).second) open.push_back(callee);
        }
    }
    return out;
}

}  // namespace migrator
