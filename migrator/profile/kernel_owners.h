// KernelOwners: which operator of the host a kernel belongs to, of those that the split of computing asks for.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "migrator/profile/computing_split.h"

namespace migrator {

// How the launch of a kernel is found.
struct KernelPlace {
    Ticks begin = 0;
    std::int64_t link = 0;        // correlation with the launch; 0: none
    TextNumber thread = kNoText;  // of the device; kNoText: not known
};

// A kernel that waits for its owner.
struct OwnedKernel {
    Ticks launched = kNoTicks;         // kNoTicks: not known
    TextNumber launched_by = kNoText;  // the thread
    std::uint32_t number = 0;          // of the kernel, for who asks
};

// An operator of the list.
struct OwningOperator {
    Ticks begin = 0, end = 0;
    TextNumber thread = kNoText;
    OperatorKind kind;
};

// Ours: a kernel belongs to the outermost of these operators that is open on the thread of its launch at that time; a thread to
// which arrows of the backward pass lead is backward. Msprof: launches are found by the time at which the kernel begins, whatever its
// stream, and operators of all threads stand in one list, from which each is dropped when its end is before a launch.
class KernelOwners {
public:
    KernelOwners(const TraceRecords& trace, const ProfileNames& names, ProfileNumbers numbers);

    // Fills in the launches, by place_of(number), and puts the kernels into the order in which they are to be asked for.
    template <class PlaceOf>
    void order(std::vector<OwnedKernel>& kernels, const PlaceOf& place_of) {
        for (OwnedKernel& kernel : kernels) find_launch(place_of(kernel.number), kernel);
        sort(kernels);
    }
    // The next kernel of that order.
    std::optional<OperatorKind> next(const OwnedKernel& kernel);

private:
    void find_operators(const ProfileNames& names);
    void find_backward_threads();
    void find_launch(const KernelPlace& place, OwnedKernel& kernel) const;
    void sort(std::vector<OwnedKernel>& kernels) const;
    std::optional<OperatorKind> next_of_all(const OwnedKernel& kernel);
    std::optional<OperatorKind> next_of_thread(const OwnedKernel& kernel);

    const TraceRecords& trace_;
    const ProfileNumbers numbers_;
    std::vector<OwningOperator> operators_;
    std::set<TextNumber> backward_threads_;
    std::size_t at_ = 0;
    std::vector<const OwningOperator*> open_;
};

}  // namespace migrator
