#include "migrator/edit/composed_edits.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace migrator {
namespace {

// A set of edits keeps equal ones once; of insertions at one place that are equal and both meant, one edit is made.
std::vector<OwnedEdit> with_equal_insertions_joined(std::vector<OwnedEdit> edits,
                                                    std::vector<std::vector<std::size_t>>& bound) {
    std::vector<OwnedEdit> out;
    for (std::size_t i = 0; i < edits.size();) {
        const base::ByteRange place = edits[i].edit.range;
        std::size_t end = i + 1;
        while (place.size() == 0 && end < edits.size() && edits[end].edit.range == place) ++end;
        bool repeats = false;
        for (std::size_t a = i; a < end; ++a) {
            for (std::size_t b = a + 1; b < end; ++b) repeats |= edits[a].edit == edits[b].edit;
        }
        out.push_back(std::move(edits[i]));
        for (++i; i < end; ++i) {
            if (!repeats) {
                out.push_back(std::move(edits[i]));
                continue;
            }
            out.back().edit.replacement += edits[i].edit.replacement;
            out.back().owners = united(out.back().owners, edits[i].owners);
        }
        if (repeats && out.back().owners.size() > 1) bound.push_back(out.back().owners);
    }
    return out;
}

}  // namespace

// An edit of the original, and where what it has written stands in the text after all rounds so far.
struct ComposedEdits::Placed {
    OwnedEdit owned;
    std::uint64_t new_begin = 0;

    std::uint64_t new_end() const { return new_begin + owned.edit.replacement.size(); }
};

std::vector<std::size_t> united(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
    std::vector<std::size_t> out;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    return out;
}

std::vector<OwnedEdit> with_owners(const EditSet& set, const std::vector<OwnedEdit>& wanted) {
    std::vector<OwnedEdit> out;
    for (const Edit& edit : set.edits()) out.push_back({edit, {}});
    for (const OwnedEdit& one : wanted) {
        auto at = std::partition_point(out.begin(), out.end(), [&](const OwnedEdit& other) {
            return other.edit.range.begin < one.edit.range.begin;
        });
        while (at != out.end() && at->edit.range.begin == one.edit.range.begin && at->edit != one.edit) ++at;
        if (at == out.end() || at->edit != one.edit) continue;
        at->owners.insert(at->owners.end(), one.owners.begin(), one.owners.end());
    }
    for (OwnedEdit& one : out) {
        std::sort(one.owners.begin(), one.owners.end());
        one.owners.erase(std::unique(one.owners.begin(), one.owners.end()), one.owners.end());
    }
    return out;
}

std::string applied(const std::vector<OwnedEdit>& edits, std::string_view original) {
    EditSet set;
    for (const OwnedEdit& one : edits) CHECK(set.add({one.edit}));
    return set.apply(original);
}

// `touched`: in order, at least one. Their text, with the original between them, is what `next` is made on.
OwnedEdit ComposedEdits::merged(std::vector<Placed>& touched, const OwnedEdit& next) {
    const Placed& first = touched.front();
    const Placed& last = touched.back();
    const std::uint64_t begin = std::min(next.edit.range.begin, first.new_begin);
    const std::uint64_t before = first.new_begin - begin;
    const std::uint64_t behind = std::max(next.edit.range.end, last.new_end()) - last.new_end();
    OwnedEdit out;
    out.edit.range = {first.owned.edit.range.begin - before, last.owned.edit.range.end + behind};
    std::string text;
    std::uint64_t done = out.edit.range.begin;
    for (const Placed& one : touched) {
        text += original_.substr(done, one.owned.edit.range.begin - done);
        text += one.owned.edit.replacement;
        done = one.owned.edit.range.end;
        out.owners = united(out.owners, one.owned.owners);
    }
    text += original_.substr(done, out.edit.range.end - done);
    out.edit.replacement = text.replace(next.edit.range.begin - begin, next.edit.range.size(), next.edit.replacement);
    out.owners = united(out.owners, next.owners);
    if (out.owners.size() > 1) bound_.push_back(out.owners);
    return out;
}

// From the end of the text to its begin, so that what is in front still has its place.
void ComposedEdits::add_round(const std::vector<OwnedEdit>& round) {
    std::vector<Placed> todo;
    std::uint64_t shift = 0;  // modulo 2^64: what is taken away in sum comes back as well
    for (OwnedEdit& owned : edits_) {
        const std::uint64_t begin = owned.edit.range.begin + shift;
        shift += owned.edit.replacement.size() - owned.edit.range.size();
        todo.push_back({std::move(owned), begin});
    }
    std::vector<OwnedEdit> done;  // the last one first
    for (auto next = round.rbegin(); next != round.rend(); ++next) {
        const base::ByteRange range = next->edit.range;
        while (!todo.empty() && todo.back().new_begin >= range.end) {
            done.push_back(std::move(todo.back().owned));
            todo.pop_back();
        }
        std::vector<Placed> touched;
        while (!todo.empty() && todo.back().new_end() > range.begin) {
            touched.push_back(std::move(todo.back()));
            todo.pop_back();
        }
        std::reverse(touched.begin(), touched.end());
        const std::uint64_t back = todo.empty() ? 0 : todo.back().new_end() - todo.back().owned.edit.range.end;
        if (touched.empty()) {
            OwnedEdit moved = *next;
            moved.edit.range = {range.begin - back, range.end - back};
            todo.push_back({std::move(moved), range.begin});
        } else {
            const std::uint64_t begin = std::min(range.begin, touched.front().new_begin);
            todo.push_back({merged(touched, *next), begin});
        }
    }
    for (; !todo.empty(); todo.pop_back()) done.push_back(std::move(todo.back().owned));
    edits_.assign(std::make_move_iterator(done.rbegin()), std::make_move_iterator(done.rend()));
    edits_ = with_equal_insertions_joined(std::move(edits_), bound_);
}

}  // namespace migrator
