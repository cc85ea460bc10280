#include "migrator/profile/computing_split.h"

namespace migrator {

PartTime ComputingSplit::computing() const {
    PartTime out;
    for (std::size_t i = 0; i < kPartsOfComputing; ++i) {
        out.time += parts[i].time;
        out.count += parts[i].count;
    }
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

}  // namespace migrator
