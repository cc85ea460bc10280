// Candidate: one thing that an expression may mean: an object with a qualified name, a value of a known class, or both.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "base/inline_vector.h"
#include "migrator/semantic/file_model.h"
#include "migrator/semantic/reference.h"

namespace migrator {

enum class CandidateKind : std::uint8_t {
    ordinary,
    none_literal,  // None: never what a name means when it is used
    super_object,  // super(): attributes are looked up in the bases of type_scope
    bottom,        // not known yet, because it depends on itself
};

struct Candidate {
    CandidateKind kind = CandidateKind::ordinary;
    // The object's name; kNoName when it has none, like the result of a call.
    NameId name = kNoName;
    Origin origin = Origin::local;
    Certainty certainty = Certainty::resolved;
    // The name is a property or field: reading it gives a value, and a variable that holds it is no alias of it.
    bool is_value = false;
    // The name is that of a variable in another file: one that gets its value is known by this name as well.
    bool is_shared = false;

    // The class of the value: outside the project, or a class of this file.
    NameId type = kNoName;
    ScopeId type_scope = kNone;
    Certainty type_certainty = Certainty::resolved;

    // What the object is, if it is defined in this file.
    ScopeId class_scope = kNone;
    NodeId function = kNoNode;
    // The list, tuple, set or dictionary that it was written as.
    NodeId display = kNoNode;

    bool has_type() const { return type != kNoName || type_scope != kNone; }
    bool same_object(const Candidate& other) const {
        return kind == other.kind && name == other.name && origin == other.origin && is_value == other.is_value &&
               same_type(other) && class_scope == other.class_scope && function == other.function &&
               display == other.display;
    }
    bool same_type(const Candidate& other) const { return type == other.type && type_scope == other.type_scope; }
    bool operator==(const Candidate&) const = default;
};

using Candidates = base::InlineVector<Candidate, 2>;  // empty: nothing is known

// Adds one; two that mean the same are as sure as the less sure of them.
void merge(Candidates& into, const Candidate& candidate);
// Several candidates make each other uncertain; what cannot be meant goes when there is something else.
void settle(Candidates& candidates);
// What a variable means that is bound to `candidates`: aliases stay, values get the variable's name and are local,
// unless they are another file's.
Candidates as_variable(const Candidates& candidates, NameId variable);

inline Certainty weaker(Certainty a, Certainty b) { return a < b ? a : b; }

using ListId = std::uint32_t;
inline constexpr ListId kUnknownList = 0;  // the empty list

// Each distinct list once: most uses of a name mean the same.
class CandidateLists {
public:
    CandidateLists() { lists_.emplace_back(); }
    ListId intern(const Candidates& candidates);
    const Candidates& operator[](ListId id) const { return lists_[id]; }
    std::size_t size() const { return lists_.size(); }

private:
    std::deque<Candidates> lists_;
    std::unordered_multimap<std::uint64_t, ListId> ids_;
};

}  // namespace migrator
