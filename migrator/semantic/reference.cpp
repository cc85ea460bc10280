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

bool is_within(std::string_view module, std::string_view ancestor) {
    return module.starts_with(ancestor) && (module.size() == ancestor.size() || module[ancestor.size()] == '.');
}

}  // namespace migrator
