// KernelOwners: which operator of the host a kernel belongs to, of those that the split of computing asks for.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "migrator/profile/computing_split.h"

namespace migrator {

// A kernel that waits for its owner.
struct OwnedKernel {
    Ticks begin = 0;
    std::int64_t link = 0;             // correlation with the launch; 0: none
    TextNumber thread = kNoText;       // of the device; kNoText: not known
    std::size_t number = 0;            // of the kernel, for who asks
    Ticks launched = kNoTicks;         // filled: when
    TextNumber launched_by = kNoText;  // filled: the thread
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

    // Fills in the launches and puts the kernels into the order in which they are to be asked for.
    void order(std::vector<OwnedKernel>& kernels) const;
    // The next kernel of that order.
    std::optional<OperatorKind> next(const OwnedKernel& kernel);

private:
    struct Launch {
        Ticks kernel;       // when what it launches begins
        std::int64_t link;  // or its correlation
        TextNumber kernel_thread;
        Ticks at;
        TextNumber thread;
    };
    void find_operators(const ProfileNames& names);
    void find_launches(const ProfileNames& names);
    void find_backward_threads();
    const Launch* launch_of(const OwnedKernel& kernel) const;
    std::optional<OperatorKind> next_of_all(const OwnedKernel& kernel);
    std::optional<OperatorKind> next_of_thread(const OwnedKernel& kernel);

    const TraceRecords& trace_;
    const ProfileNumbers numbers_;
    std::vector<OwningOperator> operators_;
    std::vector<Launch> by_time_;  // sorted by the time of the kernel
    std::vector<Launch> by_link_;  // sorted by the correlation
    std::set<TextNumber> backward_threads_;
    std::size_t at_ = 0;
    std::vector<const OwningOperator*> open_;
};

}  // namespace migrator
