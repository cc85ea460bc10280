#include <algorithm>

#include "base/check.h"
#include "migrator/edit/edit.h"

namespace migrator {
namespace {

bool is_insertion(const Edit& edit) { return edit.range.begin == edit.range.end; }

// Touching ranges do not overlap, and neither do two insertions at one place: their order says what comes first.
bool overlaps(const Edit& a, const Edit& b) {
    if (is_insertion(a) && is_insertion(b)) return false;
    if (is_insertion(a)) return a.range.begin > b.range.begin && a.range.begin < b.range.end;
    if (is_insertion(b)) return overlaps(b, a);
    return a.range.begin < b.range.end && b.range.begin < a.range.end;
}

// What stands at the same place is inserted before it is replaced; insertions keep the order they came in.
bool goes_before(const Edit& a, const Edit& b) {
    if (a.range.begin != b.range.begin) return a.range.begin < b.range.begin;
    return is_insertion(a) && !is_insertion(b);
}

enum class Fit { free, known, conflict };

// `edits` is sorted and without overlaps, so the ends never fall from one edit to the next.
Fit fit(const std::vector<Edit>& edits, const Edit& edit) {
    auto at = std::partition_point(edits.begin(), edits.end(),
                                   [&](const Edit& other) { return other.range.end < edit.range.begin; });
    for (; at != edits.end() && at->range.begin <= edit.range.end; ++at) {
        if (*at == edit) return Fit::known;
        if (overlaps(*at, edit)) return Fit::conflict;
    }
    return Fit::free;
}

void insert(std::vector<Edit>& edits, const Edit& edit) {
    edits.insert(std::upper_bound(edits.begin(), edits.end(), edit, goes_before), edit);
}

}  // namespace

bool EditSet::add(const std::vector<Edit>& edits) {
    std::vector<Edit> fresh;
    for (const Edit& edit : edits) {
        CHECK(edit.range.begin <= edit.range.end);
        Fit among_accepted = fit(edits_, edit);
        Fit among_fresh = fit(fresh, edit);
        if (among_accepted == Fit::conflict || among_fresh == Fit::conflict) return false;
        if (among_accepted == Fit::free && among_fresh == Fit::free) insert(fresh, edit);
    }
    for (const Edit& edit : fresh) insert(edits_, edit);
    return true;
}

std::string EditSet::apply(std::string_view original) const {
    std::string out;
    out.reserve(original.size() + original.size() / 8);
    std::uint64_t done = 0;
    for (const Edit& edit : edits_) {
        CHECK(edit.range.begin >= done && edit.range.end <= original.size());
        out += original.substr(done, edit.range.begin - done);
        out += edit.replacement;
        done = edit.range.end;
    }
    out += original.substr(done);
    return out;
}

std::uint64_t offset_before(const std::vector<Edit>& edits, std::uint64_t offset) {
    std::uint64_t shift_old = 0;  // end of the last edit passed, before and after
    std::uint64_t shift_new = 0;
    for (const Edit& edit : edits) {
        std::uint64_t begin_new = shift_new + (edit.range.begin - shift_old);
        if (offset < begin_new) break;
        std::uint64_t end_new = begin_new + edit.replacement.size();
        if (offset < end_new) return edit.range.begin;
        shift_old = edit.range.end;
        shift_new = end_new;
    }
    return shift_old + (offset - shift_new);
}

}  // namespace migrator
