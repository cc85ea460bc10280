// Questions for CUDA in front of code that only CUDA has: on the NPU they have to keep saying no.
#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "migrator/match/cuda_code.h"
#include "migrator/match/guarded_code.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

// A question that stays: the code that runs only where it is answered with yes, and the first CUDA-only use in it.
struct StayingGuard {
    std::vector<base::ByteRange> code;
    NodeId use = kNoNode;
    bool is_elsewhere = false;  // a variable keeps the answer, and the use is in another file
    bool has_other_way = false;
    bool is_asked_alone = false;  // by an if: no variable keeps the answer, and no assert demands it
};

// torch.float64 of `torch.float64 if x.is_cuda else torch.float32`, and of an `if` that only assigns it.
NodeId chosen_value(const PythonFile& file, base::ByteRange code) {
    const SyntaxTree& tree = file.tree();
    NodeId value = tree.smallest_at(code);
    while (tree.kind(value) == NodeKind::block || tree.kind(value) == NodeKind::expression_statement) {
        const NodeList parts = tree.named_children(value);
        if (parts.size() != 1) return kNoNode;
        value = parts.front();
    }
    if (tree.kind(value) == NodeKind::assignment) value = tree.child(value, Field::right);
    if (value == kNoNode) return kNoNode;
    const auto is_one = [&](const Reference& reference) {
        return base::contains(file.rules().adapted.values_of_source, reference.name);
    };
    return std::ranges::any_of(file.bindings().references(value), is_one) ? value : kNoNode;
}

StayingGuard staying_guard(const PythonFile& file, const CudaOnlyCode& cuda, const Finding& question) {
    const Guarded guarded = guarded_by(file, file.tree().smallest_at(question.range));
    StayingGuard out{guarded.code, kNoNode, false, false, guarded.kept_in.empty() && !guarded.is_demanded};
    for (const base::ByteRange& code : out.code) out.use = std::min({out.use, cuda.in(code), chosen_value(file, code)});
    bool is_needed = false;
    const CudaNames* known = file.context().cuda_names;
    for (const auto& [variable, holds] : guarded.kept_in) {
        const std::string name = file.bindings().shared_name(variable);
        if (known == nullptr || !known->guards(name, holds)) continue;
        out.is_elsewhere = true;
        is_needed |= !known->has_other_way(name);
    }
    if (out.use != kNoNode || out.is_elsewhere) out.has_other_way = !is_needed && has_other_way(file, guarded);
    return out;
}

using StayingGuards = std::vector<std::pair<Finding*, StayingGuard>>;  // by their questions

// from torch import cuda; if cuda.is_available(): the import gives the question its meaning.
void keep_imports_of(const PythonFile& file, const StayingGuards& staying, FindingSink& findings) {
    const SyntaxTree& tree = file.tree();
    std::set<std::string_view> roots;
    for (const auto& [question, guard] : staying) {
        const std::size_t begin = question->range.begin;
        roots.insert(tree.text(tree.smallest_at({begin, begin + 1})));
    }
    std::vector<base::ByteRange> kept;
    for (const ImportedName& import : file.bindings().imports()) {
        const bool is_renamed = import.bound_name != import.qualified() || !import.name.empty();
        if (is_renamed && roots.contains(import.bound_name)) kept.push_back(tree.range(import.statement));
    }
    const base::ByteRanges stays(std::move(kept));
    for (Finding& finding : findings) {
        const auto touches = [&](const Edit& edit) { return stays.contains(edit.range.begin); };
        if (finding.fix && std::ranges::any_of(finding.fix->edits, touches)) finding.fix.reset();
    }
}

// What edits would move to the NPU.
class Movable {
public:
    explicit Movable(const FindingSink& findings) {
        for (const Finding& finding : findings) {
            const bool is_package =
                finding.kind == FindingKind::third_party || finding.kind == FindingKind::cuda_extension;
            if (!finding.fix || is_package || finding.kind == FindingKind::affinity) continue;
            places_.push_back(finding.range.begin);
            const bool is_value = finding.kind == FindingKind::device_string || finding.kind == FindingKind::backend;
            if (is_value) values_.push_back(finding.range.begin);
        }
        std::ranges::sort(places_);
        std::ranges::sort(values_);
    }
    // The first place behind the question.
    std::optional<std::size_t> in(const StayingGuard& guard) const { return first_in(guard, places_); }
    // Whether a device is chosen there: the other way takes the host's processor.
    bool has_value_in(const StayingGuard& guard) const { return first_in(guard, values_).has_value(); }

private:
    static std::optional<std::size_t> first_in(const StayingGuard& guard, const std::vector<std::size_t>& places) {
        std::optional<std::size_t> out;
        for (const base::ByteRange& code : guard.code) {
            const auto at = std::ranges::lower_bound(places, code.begin);
            if (at != places.end() && *at < code.end && (!out || *at < *out)) out = *at;
        }
        return out;
    }

    std::vector<std::size_t> places_;
    std::vector<std::size_t> values_;
};

base::Message why_it_stays(const PythonFile& file, const StayingGuard& guard, std::optional<std::size_t> movable) {
    const std::string line = guard.use == kNoNode ? std::string() : std::to_string(file.line_of(guard.use));
    if (guard.has_other_way && movable)
        return {
            "It guards CUDA code (line {line}) and code that would run on the NPU (line {movable}): part them by hand.",
            {{"line", line},
             {"movable", std::to_string(file.line_of(file.tree().smallest_at({*movable, *movable + 1})))}}};
    if (guard.has_other_way)
        return line.empty() ? base::Message("It guards CUDA code of another file, and the NPU takes the other way.")
                            : base::Message("It guards CUDA code (line {line}), and the NPU takes the other way.",
                                            {{"line", line}});
    return line.empty()
               ? base::Message(
                     "It guards CUDA code of another file that must not run on the NPU: leave it until that code "
                     "is ported.")
               : base::Message(
                     "It guards CUDA code (line {line}) that must not run on the NPU: leave it until that code is "
                     "ported.",
                     {{"line", line}});
}

}  // namespace

void leave_guards_of_cuda_code(const PythonFile& file, FindingSink& findings) {
    const CudaOnlyCode cuda(file, findings);
    const bool has_flags = file.context().cuda_names != nullptr && !file.context().cuda_names->empty();
    const bool has_values = std::ranges::any_of(file.rules().adapted.values_of_source, [&](const std::string& name) {
        return !file.identifiers(last_part(name)).empty();
    });
    if (cuda.empty() && !has_flags && !has_values) return;
    StayingGuards staying;
    for (Finding& finding : findings) {
        if (!asks_for_cuda(finding) || !finding.fix) continue;
        StayingGuard guard = staying_guard(file, cuda, finding);
        if (guard.use != kNoNode || guard.is_elsewhere) staying.emplace_back(&finding, std::move(guard));
    }
    for (auto& [question, guard] : staying) question->fix.reset();
    const Movable movable(findings);
    std::vector<base::ByteRange> left, done_without;
    for (auto& [question, guard] : staying) {
        left.insert(left.end(), guard.code.begin(), guard.code.end());
        const std::optional<std::size_t> moves = guard.use == kNoNode ? std::nullopt : movable.in(guard);
        question->message.add(why_it_stays(file, guard, moves));
        question->is_needed = guard.is_asked_alone && !guard.has_other_way;
        question->is_done_without = guard.has_other_way && !movable.has_value_in(guard);
        if (!guard.has_other_way || moves) continue;
        question->severity = Severity::info;
        done_without.insert(done_without.end(), guard.code.begin(), guard.code.end());
    }
    keep_imports_of(file, staying, findings);
    // What runs only on CUDA stays as CUDA has it.
    const base::ByteRanges stays(std::move(left)), optional(std::move(done_without));
    for (Finding& finding : findings) {
        if (stays.contains(finding.range.begin)) finding.fix.reset();
        if (optional.contains(finding.range.begin)) finding.severity = Severity::info;
    }
}

}  // namespace migrator
