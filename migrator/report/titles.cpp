#include "migrator/report/titles.h"

#include "migrator/report/report.h"

namespace migrator {

std::string_view title(FindingKind kind) {
    switch (kind) {
        case FindingKind::cuda_api: return "CUDA API";
        case FindingKind::device_string: return "Device strings";
        case FindingKind::backend: return "Distributed back end";
        case FindingKind::amp: return "Mixed precision";
        case FindingKind::profiler: return "Profiler";
        case FindingKind::third_party: return "Third-party packages";
        case FindingKind::cuda_extension: return "Custom CUDA code";
        case FindingKind::environment: return "Environment";
        case FindingKind::api_support: return "API support";
        case FindingKind::affinity: return "Faster NPU forms";
        case FindingKind::advice: return "Advice";
        case FindingKind::file: return "Files";
    }
    return "";
}

std::string kind_word(const base::Language& say, FindingKind kind) {
    const std::string known = say.text(title(kind));
    return known == title(kind) ? std::string(name(kind)) : known;
}

std::string_view title(FixState state) {
    switch (state) {
        case FixState::none: return "by hand";
        case FixState::applied: return "applied";
        case FixState::available: return "can be applied";
        case FixState::uncertain: return "not certain enough";
        case FixState::conflict: return "conflicts with another fix";
        case FixState::at_run_time: return "redirected when it runs";
        case FixState::syntax_guard: return "would not parse";
    }
    return "";
}

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::nothing_found: return "nothing_found";
        case Verdict::native: return "native";
        case Verdict::ready: return "ready";
        case Verdict::convertible: return "convertible";
        case Verdict::partly: return "partly";
        case Verdict::review: return "review";
        case Verdict::blocked: return "blocked";
    }
    return "";
}

}  // namespace migrator
