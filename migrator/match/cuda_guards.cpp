// Questions for CUDA in front of code that only CUDA has: on the NPU they have to keep saying no.
#include <algorithm>

#include "migrator/match/cuda_code.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

// A question that stays: the code that runs only where it is answered with yes, and the first CUDA-only use in it.
struct StayingGuard {
    std::vector<base::ByteRange> code;
    NodeId use = kNoNode;
    bool is_elsewhere = false;  // a variable keeps the answer, and the use is in another file
};

StayingGuard staying_guard(const PythonFile& file, const CudaOnlyCode& cuda, const Finding& question) {
    const Guarded guarded = guarded_by(file, file.tree().smallest_at(question.range));
    StayingGuard out{guarded.code, kNoNode, false};
    for (const base::ByteRange& code : out.code) out.use = std::min(out.use, cuda.in(code));
    const CudaNames* known = file.context().cuda_names;
    out.is_elsewhere = known != nullptr && std::ranges::any_of(guarded.kept_in, [&](const auto& kept) {
                           return known->guards(file.bindings().shared_name(kept.first), kept.second);
                       });
    return out;
}

base::Message why_it_stays(const PythonFile& file, const StayingGuard& guard) {
    if (guard.use == kNoNode)
        return "It guards CUDA code of another file that must not run on the NPU: leave it until that code is ported.";
    return {"It guards CUDA code (line {line}) that must not run on the NPU: leave it until that code is ported.",
            {{"line", std::to_string(file.line_of(guard.use))}}};
}

}  // namespace

void leave_guards_of_cuda_code(const PythonFile& file, FindingSink& findings) {
    const CudaOnlyCode cuda(file, findings);
    const bool has_flags = file.context().cuda_names != nullptr && !file.context().cuda_names->empty();
    if (cuda.empty() && !has_flags) return;
    std::vector<base::ByteRange> left;
    for (Finding& finding : findings) {
        if (!asks_for_cuda(finding) || !finding.fix) continue;
        const StayingGuard guard = staying_guard(file, cuda, finding);
        if (guard.use == kNoNode && !guard.is_elsewhere) continue;
        left.insert(left.end(), guard.code.begin(), guard.code.end());
        finding.fix.reset();
        finding.message.add(why_it_stays(file, guard));
    }
    // What runs only on CUDA stays as CUDA has it.
    const base::ByteRanges stays(std::move(left));
    for (Finding& finding : findings) {
        if (stays.contains(finding.range.begin)) finding.fix.reset();
    }
}

}  // namespace migrator
