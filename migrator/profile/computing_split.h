// ComputingSplit: the time on the device by what it computes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/profile/intervals.h"
#include "migrator/profile/profile_names.h"
#include "migrator/profile/trace_records.h"

namespace migrator {

enum class ComputingPart : std::uint8_t {
    attention_forward_cube,
    attention_forward_vector,
    attention_backward_cube,
    attention_backward_vector,
    convolution_forward_cube,
    convolution_forward_vector,
    convolution_backward_cube,
    convolution_backward_vector,
    matmul_cube,
    matmul_vector,
    paged_attention,
    vector_format,  // changes of a format or a dtype
    vector_other,
    cube_other,
    tensor_move,
    // Beside computing.
    copies,
    lccl,
};
inline constexpr std::size_t kComputingParts = 17;
inline constexpr std::size_t kPartsOfComputing = 15;

struct PartTime {
    Ticks time = 0;
    std::uint64_t count = 0;
};

// A kernel that computes and communicates.
struct FusedCommunication {
    std::string name;
    Ticks time = 0, communication = 0;
    double computing = 0;  // microseconds
    std::uint64_t count = 0;
};

struct ComputingSplit {
    std::array<PartTime, kComputingParts> parts{};
    std::vector<FusedCommunication> fused;  // in the order in which they came first

    PartTime& operator[](ComputingPart part) { return parts[static_cast<std::size_t>(part)]; }
    const PartTime& operator[](ComputingPart part) const { return parts[static_cast<std::size_t>(part)]; }
    void add(ComputingPart part, Ticks time) {
        (*this)[part].time += time;
        ++(*this)[part].count;
    }
    // Without copies and LCCL.
    PartTime computing() const;
    // Of this name, which is added where it is new.
    FusedCommunication& fused_of(std::string_view name);
};

// The time between the first and the second of the ends that lie in a kernel, between the third and the fourth, and so on. `next`: the
// end to look at first, for kernels one after the other.
Ticks communication_between(const std::vector<Interval>& ends, std::size_t& next, const Interval& kernel);

// What an operator computes, by its name.
enum class OperatorClass : std::uint8_t { other, attention, convolution, matmul };
struct OperatorKind {
    OperatorClass is = OperatorClass::other;
    bool is_backward = false;  // its name says so
};
OperatorKind kind_of_operator(std::string_view name, const ProfileNames& names);

// What a kernel is a part of.
ComputingPart part_of(OperatorKind kind, bool is_cube);

// What a kernel of an NPU is a part of, where no operator claims it. Its name and type are in lower case.
ComputingPart part_of_kernel(const std::string& name, const std::string& type, bool is_cube, const ProfileNames& names);

}  // namespace migrator
