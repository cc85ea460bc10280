#include "migrator/profile/computing_split.h"

#include <algorithm>

namespace migrator {

PartTime ComputingSplit::computing() const {
    PartTime out;
    for (std::size_t i = 0; i < kPartsOfComputing; ++i) {
        out.time += parts[i].time;
        out.count += parts[i].count;
    }
    return out;
}

FusedCommunication& ComputingSplit::fused_of(std::string_view name) {
    const auto found = std::ranges::find(fused, name, &FusedCommunication::name);
    return found != fused.end() ? *found : fused.emplace_back(FusedCommunication{.name = std::string(name)});
}

Ticks communication_between(const std::vector<Interval>& ends, std::size_t& next, const Interval& kernel) {
    std::vector<Ticks> inside;
    for (; next < ends.size() && ends[next].end <= kernel.end; ++next) {
        if (ends[next].end >= kernel.begin) inside.push_back(ends[next].end);
    }
    Ticks out = 0;
    for (std::size_t i = 0; i + 1 < inside.size(); i += 2) out += inside[i + 1] - inside[i];
    return out;
}

OperatorKind kind_of_operator(std::string_view text, const ProfileNames& names) {
    const std::string name = lower_case(text);
    OperatorKind out;
    if (names.attention_operators.in(name)) out.is = OperatorClass::attention;
    else if (names.convolution_operators.in(name)) out.is = OperatorClass::convolution;
    else if (names.matmul_operators.in(name)) out.is = OperatorClass::matmul;
    out.is_backward = out.is != OperatorClass::other && names.backward_words.in(name);
    return out;
}

ComputingPart part_of(OperatorKind kind, bool is_cube) {
    using P = ComputingPart;
    switch (kind.is) {
        case OperatorClass::attention:
            if (kind.is_backward) return is_cube ? P::attention_backward_cube : P::attention_backward_vector;
            return is_cube ? P::attention_forward_cube : P::attention_forward_vector;
        case OperatorClass::convolution:
            if (kind.is_backward) return is_cube ? P::convolution_backward_cube : P::convolution_backward_vector;
            return is_cube ? P::convolution_forward_cube : P::convolution_forward_vector;
        case OperatorClass::matmul: return is_cube ? P::matmul_cube : P::matmul_vector;
        case OperatorClass::other: break;
    }
    return is_cube ? P::cube_other : P::vector_other;
}

ComputingPart part_of_kernel(const std::string& name, const std::string& type, bool is_cube,
                             const ProfileNames& names) {
    if (names.attention_types.in(type))
        return part_of({OperatorClass::attention, names.attention_gradient_words.in(type)}, true);
    if (names.convolution_types.begins(type))
        return part_of({OperatorClass::convolution, names.backward_words.in(type)}, true);
    if (names.matmul_types.in(type)) return ComputingPart::matmul_cube;
    if (is_cube) return ComputingPart::cube_other;
    return names.format_kernels.in(name) ? ComputingPart::vector_format : ComputingPart::vector_other;
}

}  // namespace migrator
