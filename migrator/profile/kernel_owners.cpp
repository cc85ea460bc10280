#include "migrator/profile/kernel_owners.h"

#include <algorithm>
#include <tuple>

namespace migrator {

KernelOwners::KernelOwners(const TraceRecords& trace, const ProfileNames& names, ProfileNumbers numbers)
    : trace_(trace), numbers_(numbers) {
    find_operators(names);
    find_launches(names);
    find_backward_threads();
}

void KernelOwners::find_operators(const ProfileNames& names) {
    std::vector<std::optional<OperatorKind>> kinds(trace_.texts.size());
    for (const HostEvent& event : trace_.host) {
        auto& kind = kinds[event.name];
        if (!kind) kind = kind_of_operator(trace_.texts[event.name], names);
        if (kind->is != OperatorClass::other) operators_.push_back({event.begin, event.end(), event.thread, *kind});
    }
    const bool by_thread = numbers_ == ProfileNumbers::ours;
    std::stable_sort(operators_.begin(), operators_.end(), [&](const OwningOperator& a, const OwningOperator& b) {
        if (by_thread && a.thread != b.thread) return a.thread < b.thread;
        if (a.begin != b.begin || !by_thread) return a.begin < b.begin;
        return a.end > b.end;  // the outer one first
    });
}

void KernelOwners::find_launches(const ProfileNames& names) {
    for (const Flow& flow : trace_.launches.all()) {
        if (flow.is_whole()) by_time_.push_back({flow.end, 0, flow.end_thread, flow.begin, flow.begin_thread});
    }
    std::stable_sort(by_time_.begin(), by_time_.end(),
                     [](const Launch& a, const Launch& b) { return a.kernel < b.kernel; });
    if (numbers_ == ProfileNumbers::msprof || trace_.kind == TraceKind::npu) return;
    std::vector<signed char> launches(trace_.texts.size(), -1);
    for (const HostEvent& event : trace_.host) {
        signed char& is_launch = launches[event.category];
        if (is_launch < 0) is_launch = names.launch_categories.is(lower_case(trace_.texts[event.category])) ? 1 : 0;
        if (is_launch == 1 && event.link != 0) by_link_.push_back({0, event.link, kNoText, event.begin, event.thread});
    }
    std::stable_sort(by_link_.begin(), by_link_.end(),
                     [](const Launch& a, const Launch& b) { return a.link < b.link; });
}

void KernelOwners::find_backward_threads() {
    if (numbers_ == ProfileNumbers::msprof) {
        const TextNumber only = trace_.kind == TraceKind::gpu ? trace_.first_backward : trace_.last_backward;
        if (only != kNoText) backward_threads_.insert(only);
        return;
    }
    for (const Flow& flow : trace_.backward.all()) {
        if (flow.end != kNoTicks && flow.end_thread != flow.begin_thread)
            backward_threads_.insert(trace_.threads[flow.end_thread].second);
    }
}

const KernelOwners::Launch* KernelOwners::launch_of(const OwnedKernel& kernel) const {
    if (kernel.link != 0) {
        const auto found = std::ranges::lower_bound(by_link_, kernel.link, {}, &Launch::link);
        if (found != by_link_.end() && found->link == kernel.link) return &*found;
    }
    auto [first, last] = std::ranges::equal_range(by_time_, kernel.begin, {}, &Launch::kernel);
    if (first == last) return nullptr;
    if (numbers_ == ProfileNumbers::ours && kernel.thread != kNoText) {
        const auto same =
            std::find_if(first, last, [&](const Launch& item) { return item.kernel_thread == kernel.thread; });
        if (same != last) return &*same;
    }
    return &*(last - 1);
}

void KernelOwners::order(std::vector<OwnedKernel>& kernels) const {
    for (OwnedKernel& kernel : kernels) {
        if (const Launch* launch = launch_of(kernel)) {
            kernel.launched = launch->at;
            kernel.launched_by = launch->thread;
        }
    }
    const bool by_thread = numbers_ == ProfileNumbers::ours;
    std::stable_sort(kernels.begin(), kernels.end(), [&](const OwnedKernel& a, const OwnedKernel& b) {
        if (by_thread && a.launched_by != b.launched_by) return a.launched_by < b.launched_by;
        return a.launched < b.launched;
    });
}

std::optional<OperatorKind> KernelOwners::next(const OwnedKernel& kernel) {
    if (kernel.launched == kNoTicks) return std::nullopt;
    return numbers_ == ProfileNumbers::ours ? next_of_thread(kernel) : next_of_all(kernel);
}

std::optional<OperatorKind> KernelOwners::next_of_all(const OwnedKernel& kernel) {
    while (at_ < operators_.size() && operators_[at_].end < kernel.launched) ++at_;
    if (at_ == operators_.size() || operators_[at_].begin > kernel.launched) return std::nullopt;
    OperatorKind kind = operators_[at_].kind;
    const bool on_backward_thread = backward_threads_.contains(trace_.threads[operators_[at_].thread].second);
    if (kind.is == OperatorClass::convolution && on_backward_thread) kind.is_backward = true;
    return kind;
}

std::optional<OperatorKind> KernelOwners::next_of_thread(const OwnedKernel& kernel) {
    const auto is_past = [&](const OwningOperator& item) {
        return std::tuple(item.thread, item.begin) <= std::tuple(kernel.launched_by, kernel.launched);
    };
    for (; at_ < operators_.size() && is_past(operators_[at_]); ++at_) {
        if (operators_[at_].thread == kernel.launched_by) open_.push_back(&operators_[at_]);
    }
    std::erase_if(open_, [&](const OwningOperator* item) {
        return item->thread != kernel.launched_by || item->end < kernel.launched;
    });
    if (open_.empty()) return std::nullopt;
    OperatorKind kind = open_.front()->kind;
    if (backward_threads_.contains(trace_.threads[kernel.launched_by].second)) kind.is_backward = true;
    return kind;
}

}  // namespace migrator
