#include "ckpt_convert/plan/requirements.h"

#include "base/format.h"

namespace ckpt {

Status check_requirement(const Requirement& requirement, const Model& model, const ModelValues& facts) {
    TRY_ASSIGN(bool met, holds(requirement.that, lookup_in(model.values(), facts)));
    if (met) return {};
    return base::fail(ErrorKind::usage, base::format("the {} model needs {} here: {}", model.mapping().family,
                                                     requirement.that->text(), requirement.because));
}

Status check_requirements(const Model& model, const ModelValues& facts, const Dialect& dialect) {
    for (const Requirement& requirement : model.mapping().requirements) {
        if (requirement.dialect.matches(dialect)) TRY(check_requirement(requirement, model, facts));
    }
    return {};
}

}  // namespace ckpt
