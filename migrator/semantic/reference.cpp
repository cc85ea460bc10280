#include "migrator/semantic/reference.h"

#include "base/check.h"

namespace migrator {

std::string_view name(Certainty certainty) {
    switch (certainty) {
        case Certainty::textual: return "textual";
        case Certainty::likely: return "likely";
        case Certainty::resolved: return "resolved";
    }
    CHECK(false);
    return {};
}

}  // namespace migrator
