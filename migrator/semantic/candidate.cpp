#include "migrator/semantic/candidate.h"

#include <algorithm>

namespace migrator {
namespace {

std::uint64_t hash_of(const Candidates& candidates) {
    std::uint64_t hash = 14695981039346656037u;
    for (const Candidate& c : candidates) {
        for (const std::uint64_t part :
             {std::uint64_t{c.name}, std::uint64_t{c.type}, std::uint64_t{c.type_scope}, std::uint64_t{c.class_scope},
              std::uint64_t{c.function}, std::uint64_t{c.display}, static_cast<std::uint64_t>(c.certainty)}) {
            hash = (hash ^ part) * 1099511628211u;
        }
    }
    return hash;
}

}  // namespace

void merge(Candidates& into, const Candidate& candidate) {
    for (Candidate& known : into) {
        if (!known.same_object(candidate)) continue;
        known.certainty = weaker(known.certainty, candidate.certainty);
        known.type_certainty = weaker(known.type_certainty, candidate.type_certainty);
        return;
    }
    into.push_back(candidate);
}

void settle(Candidates& candidates) {
    for (const CandidateKind kind : {CandidateKind::bottom, CandidateKind::none_literal}) {
        const auto others = std::ranges::count_if(candidates, [&](const Candidate& c) { return c.kind != kind; });
        if (others > 0) erase_if(candidates, [&](const Candidate& c) { return c.kind == kind; });
    }
    if (candidates.size() < 2) return;
    const Candidate& first = candidates.front();
    const bool one_name = std::ranges::all_of(
        candidates, [&](const Candidate& c) { return c.name == first.name && c.origin == first.origin; });
    const bool one_type = std::ranges::all_of(candidates, [&](const Candidate& c) { return c.same_type(first); });
    for (Candidate& c : candidates) {
        if (!one_name) c.certainty = weaker(c.certainty, Certainty::likely);
        if (!one_type) c.type_certainty = weaker(c.type_certainty, Certainty::likely);
    }
}

Candidates as_variable(const Candidates& candidates, NameId variable) {
    Candidates out;
    for (Candidate c : candidates) {
        if (c.kind == CandidateKind::bottom) {
            merge(out, c);
            continue;
        }
        const bool is_alias =
            c.name != kNoName && !c.is_value && c.origin != Origin::local && c.certainty != Certainty::textual;
        if (!is_alias && !c.is_shared) {
            c.name = variable;
            c.origin = Origin::local;
            c.certainty = Certainty::resolved;
            c.is_value = false;
        }
        merge(out, c);
    }
    if (out.empty()) out.push_back({.name = variable});
    return out;
}

ListId CandidateLists::intern(const Candidates& candidates) {
    if (candidates.empty()) return kUnknownList;
    const std::uint64_t hash = hash_of(candidates);
    const auto [first, last] = ids_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
        if (lists_[it->second] == candidates) return it->second;
    }
    const auto id = static_cast<ListId>(lists_.size());
    lists_.push_back(candidates);
    ids_.emplace(hash, id);
    return id;
}

}  // namespace migrator
