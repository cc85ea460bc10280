#include "migrator/rule/finding_kind.h"

#include "base/check.h"

namespace migrator {

std::string_view name(Severity severity) {
    switch (severity) {
        case Severity::info: return "info";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    CHECK(false);
    return {};
}

std::string_view name(FindingKind kind) {
    switch (kind) {
        case FindingKind::cuda_api: return "cuda_api";
        case FindingKind::device_string: return "device_string";
        case FindingKind::backend: return "backend";
        case FindingKind::amp: return "amp";
        case FindingKind::profiler: return "profiler";
        case FindingKind::third_party: return "third_party";
        case FindingKind::cuda_extension: return "cuda_extension";
        case FindingKind::environment: return "environment";
        case FindingKind::api_support: return "api_support";
        case FindingKind::affinity: return "affinity";
        case FindingKind::advice: return "advice";
        case FindingKind::file: return "file";
    }
    CHECK(false);
    return {};
}

std::string_view name(Effort effort) {
    switch (effort) {
        case Effort::none: return "none";
        case Effort::check: return "check";
        case Effort::edit: return "edit";
        case Effort::replace: return "replace";
        case Effort::port: return "port";
        case Effort::rewrite: return "rewrite";
    }
    CHECK(false);
    return {};
}

}  // namespace migrator
