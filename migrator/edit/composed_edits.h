// ComposedEdits: the edits of several rounds, each made on the result of the one before, as edits of the first text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/edit/edit.h"

namespace migrator {

// An edit and whom it serves. It is made when at least one of its owners wants it.
struct OwnedEdit {
    Edit edit;
    std::vector<std::size_t> owners;  // sorted, without repetition
    bool operator==(const OwnedEdit&) const = default;
};

// The union of two sorted lists.
std::vector<std::size_t> united(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b);

// The edits of the set, each with the owners of all equal ones among `wanted`.
std::vector<OwnedEdit> with_owners(const EditSet& set, const std::vector<OwnedEdit>& wanted);

// The text after the edits, which are sorted and without conflicts.
std::string applied(const std::vector<OwnedEdit>& edits, std::string_view original);

class ComposedEdits {
public:
    // The text that the first round was made on; it must outlive this.
    explicit ComposedEdits(std::string_view original) : original_(original) {}

    // Edits of the text after all rounds so far, sorted and without conflicts. Where one touches what an earlier one
    // has written, both become one edit, and their owners are bound to each other.
    void add_round(const std::vector<OwnedEdit>& round);

    const std::vector<OwnedEdit>& edits() const { return edits_; }
    // Owners of edits that became one: all of a group are wanted, or none.
    const std::vector<std::vector<std::size_t>>& bound() const { return bound_; }

private:
    struct Placed;
    OwnedEdit merged(std::vector<Placed>& touched, const OwnedEdit& next);

    std::string_view original_;
    std::vector<OwnedEdit> edits_;
    std::vector<std::vector<std::size_t>> bound_;
};

}  // namespace migrator
