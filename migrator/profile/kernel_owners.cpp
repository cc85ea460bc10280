#include "migrator/profile/kernel_owners.h"

#include <algorithm>
#include <tuple>

namespace migrator {

KernelOwners::KernelOwners(const TraceRecords& trace, const ProfileNames& names, ProfileNumbers numbers)
    : trace_(trace), numbers_(numbers) {
    find_operators(names);
    find_backward_threads();
}

void KernelOwners::find_operators(const ProfileNames& names) {
    std::vector<std::optional<OperatorKind>> kinds(trace_.texts.size());
    for (const HostEvent event : trace_.host) {
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

void KernelOwners::find_backward_threads() {
    if (numbers_ == ProfileNumbers::msprof) {
        const TextNumber only = trace_.kind == TraceKind::gpu ? trace_.first_backward : trace_.last_backward;
        if (only != kNoText) backward_threads_.insert(only);
        return;
    }
    for (const Flow& flow : trace_.backward.all()) {
        if (flow.end_thread != flow.begin_thread) backward_threads_.insert(trace_.threads[flow.end_thread].second);
    }
}

void KernelOwners::find_launch(const KernelPlace& place, OwnedKernel& kernel) const {
    if (place.link != 0) {
        if (const auto call = launch_of(trace_.launch_calls, place.link)) {
            kernel.launched = call->begin;
            kernel.launched_by = call->thread;
            return;
        }
    }
    const auto [first, after] = trace_.launches.ending_at(place.begin);
    std::optional<Flow> best;
    for (std::size_t i = first; i < after; ++i) {
        const Flow flow = trace_.launches.all()[i];
        if (!flow.is_whole()) continue;
        best = flow;
        if (numbers_ == ProfileNumbers::ours && flow.end_thread == place.thread) break;
    }
    if (!best) return;
    kernel.launched = best->begin;
    kernel.launched_by = best->begin_thread;
}

void KernelOwners::sort(std::vector<OwnedKernel>& kernels) const {
    const bool by_thread = numbers_ == ProfileNumbers::ours;
    const auto is_before = [&](const OwnedKernel& a, const OwnedKernel& b) {
        if (by_thread && a.launched_by != b.launched_by) return a.launched_by < b.launched_by;
        return a.launched < b.launched;
    };
    if (!std::ranges::is_sorted(kernels, is_before)) std::stable_sort(kernels.begin(), kernels.end(), is_before);
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
