// OperatorVerdict: what becomes of an operator on a chip.
#pragma once

#include <array>
#include <string_view>

#include "base/in_json.h"

namespace migrator {

// From the best to the worst. What is not known is better than what is known to leave the NPU.
enum class OperatorVerdict { npu_native, npu_aclnn, npu_aclop, unknown, cpu_fallback, dtype_refused, refused };

constexpr std::string_view name(OperatorVerdict verdict) {
    switch (verdict) {
        case OperatorVerdict::npu_native: return "npu_native";
        case OperatorVerdict::npu_aclnn: return "npu_aclnn";
        case OperatorVerdict::npu_aclop: return "npu_aclop";
        case OperatorVerdict::unknown: return "unknown";
        case OperatorVerdict::cpu_fallback: return "cpu_fallback";
        case OperatorVerdict::dtype_refused: return "dtype_refused";
        case OperatorVerdict::refused: break;
    }
    return "refused";
}

constexpr bool is_on_npu(OperatorVerdict verdict) { return verdict < OperatorVerdict::unknown; }

}  // namespace migrator

template <>
inline constexpr std::array base::kAll<migrator::OperatorVerdict>{
    migrator::OperatorVerdict::npu_native,   migrator::OperatorVerdict::npu_aclnn,
    migrator::OperatorVerdict::npu_aclop,    migrator::OperatorVerdict::unknown,
    migrator::OperatorVerdict::cpu_fallback, migrator::OperatorVerdict::dtype_refused,
    migrator::OperatorVerdict::refused};
