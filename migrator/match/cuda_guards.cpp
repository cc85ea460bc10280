// Questions for CUDA in front of code that only CUDA has: on the NPU they have to keep saying no.
#include <algorithm>

#include "migrator/match/cuda_code.h"
#include "migrator/match/matchers.h"

namespace migrator {

void leave_guards_of_cuda_code(const PythonFile& file, FindingSink& findings) {
    const CudaOnlyCode cuda(file, findings);
    if (cuda.empty()) return;
    const SyntaxTree& tree = file.tree();
    for (Finding& finding : findings) {
        if (!asks_for_cuda(finding) || !finding.fix) continue;
        NodeId use = kNoNode;
        for (const base::ByteRange& code : guarded_by(file, tree.smallest_at(finding.range)))
            use = std::min(use, cuda.in(code));
        if (use == kNoNode) continue;
        finding.fix.reset();
        finding.message.add(
            {"It guards CUDA code (line {line}) that must not run on the NPU: leave it until that code is ported.",
             {{"line", std::to_string(file.line_of(use))}}});
    }
}

}  // namespace migrator
