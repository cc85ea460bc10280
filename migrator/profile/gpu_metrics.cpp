#include <algorithm>
#include <map>

#include "base/format.h"
#include "migrator/profile/kernel_owners.h"
#include "migrator/profile/per_text.h"
#include "migrator/profile/side_metrics.h"

namespace migrator {
namespace {

// What the name of a kernel says, asked once for each name.
struct GpuKernelUse {
    bool is_known = false;
    bool is_collective = false, is_copy = false, is_cube = false;
    OperatorKind kind;  // where no operator claims it
};

GpuKernelUse use_of_kernel(std::string_view text, const ProfileNames& names) {
    const std::string name = lower_case(text);
    GpuKernelUse use{
        true, names.communication_kernels.begins(name), names.copy_kernels.in(name), names.cube_kernels.in(name), {}};
    if (names.attention_kernels.in(name)) use.kind.is = OperatorClass::attention;
    else if (names.convolution_kernels.in(name)) use.kind.is = OperatorClass::convolution;
    else if (names.matmul_kernels.in(name)) use.kind.is = OperatorClass::matmul;
    use.kind.is_backward = names.gradient_kernels.in(name);
    return use;
}

Ticks whole_microseconds(Ticks time) {
    const Ticks rest = time % kTicksPerMicrosecond;
    return time - rest - (rest < 0 ? kTicksPerMicrosecond : 0);
}

class GpuMeasure {
public:
    GpuMeasure(const TraceRecords& trace, const ProfileNames& names, ProfileNumbers numbers)
        : trace_(trace),
          names_(names),
          is_ours_(numbers == ProfileNumbers::ours),
          owners_(trace, names, numbers),
          is_kernel_(trace.texts, [&](const std::string& name) { return names.kernel_categories.is(name); }) {
        out_.kind = TraceKind::gpu;
        out_.numbers = numbers;
        if (!is_ours_) out_.wait = 0;
        uses_.resize(trace.texts.size());
    }

    base::Result<SideMetrics> run() {
        if (!choose_stream())
            return base::fail(
                base::ErrorKind::bad_input,
                is_ours_ ? "no kernel of a GPU is in this trace; was it recorded with ProfilerActivity.CUDA?"
                         : "no kernel of a GPU is in this trace on another stream than 0, which msprof-analyze needs");
        const std::vector<std::uint32_t> order = kernels_in_order();
        for (const std::uint32_t number : order) add(number);
        split_computing();
        add_intervals();
        if (is_ours_) add_notes();
        for (const MemoryEvent event : trace_.memory) {
            if (event.is_of_device)
                out_.memory_gib =
                    std::max(out_.memory_gib, static_cast<double>(event.reserved) / (1024.0 * 1024 * 1024));
        }
        return std::move(out_);
    }

private:
    // As Python sees it: nothing, 0, null, "" and an empty list are false.
    bool is_true(TextNumber token) const {
        const std::string_view text = trace_.texts[token];
        return !text.empty() && text != "0" && text != "null" && text != "\"\"" && text != "false" && text != "[]" &&
               text != "0.0";
    }
    bool counts(TextNumber stream) const { return is_ours_ || is_true(stream); }

    // The one with the most kernels that are no collectives; the first of several.
    bool choose_stream() {
        std::uint64_t most = 0;
        for (const TextNumber stream : trace_.streams) {
            const std::uint64_t count = trace_.kernels_of_stream.at(stream);
            if (count <= most || !counts(stream)) continue;
            most = count;
            stream_ = stream;
        }
        return most > 0;
    }

    TextNumber thread_of(std::uint32_t number) const { return trace_.device.get<&DeviceEvent::thread>(number); }

    // By their begin. For msprof a later one with the same begin and thread takes the place of the earlier.
    std::vector<std::uint32_t> kernels_in_order() const {
        std::vector<std::uint32_t> order(trace_.device.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
        const auto begin_of = [&](std::uint32_t i) { return trace_.device.get<&DeviceEvent::begin>(i); };
        std::ranges::stable_sort(order, {}, begin_of);
        if (is_ours_) return order;
        std::vector<std::uint32_t> kept;
        std::size_t group = 0;  // in `kept`: the first with this begin
        for (const std::uint32_t i : order) {
            if (kept.empty() || begin_of(kept.back()) != begin_of(i)) group = kept.size();
            const auto same = std::find_if(kept.begin() + static_cast<std::ptrdiff_t>(group), kept.end(),
                                           [&](std::uint32_t other) { return thread_of(other) == thread_of(i); });
            if (same == kept.end()) kept.push_back(i);
            else *same = i;
        }
        return kept;
    }

    const GpuKernelUse& use_of(TextNumber name) {
        GpuKernelUse& use = uses_[name];
        if (!use.is_known) use = use_of_kernel(trace_.texts[name], names_);
        return use;
    }

    void add(std::uint32_t number) {
        const DeviceEvent kernel = trace_.device[number];
        const GpuKernelUse& use = use_of(kernel.name);
        if (counts(kernel.stream)) {
            first_ = has_span_ ? std::min(first_, kernel.begin) : kernel.begin;
            last_ = has_span_ ? std::max(last_, kernel.end()) : kernel.end();
            has_span_ = true;
        }
        if (kernel.stream == stream_ && use.is_copy) return out_.split.add(ComputingPart::copies, kernel.duration);
        if (!is_kernel_[kernel.type]) return;
        (use.is_collective ? collectives_ : kernels_).push_back(interval_of(kernel));
        if (!use.is_collective) owned_.push_back({.number = number});
    }

    Interval interval_of(const DeviceEvent& kernel) const {
        if (is_ours_) return {kernel.begin, kernel.end()};
        return {whole_microseconds(kernel.begin), whole_microseconds(kernel.end())};
    }

    void split_computing() {
        owners_.order(owned_, [&](std::uint32_t number) {
            const DeviceEvent kernel = trace_.device[number];
            return KernelPlace{kernel.begin, is_ours_ ? kernel.link : 0, kernel.thread};
        });
        for (const OwnedKernel& owned : owned_) {
            const DeviceEvent kernel = trace_.device[owned.number];
            const GpuKernelUse& use = use_of(kernel.name);
            auto kind = owners_.next(owned);
            if (!kind) kind = is_ours_ ? use.kind : OperatorKind();
            out_.split.add(part_of(*kind, use.is_cube), kernel.duration);
        }
    }

    void add_intervals() {
        const std::vector<Interval> computing = merged(std::move(kernels_)),
                                    communication = merged(std::move(collectives_));
        out_.computing = length_of(computing);
        out_.uncovered = length_of(communication) - length_in_both(communication, computing);
        out_.whole = last_ - first_;
    }

    // What msprof-analyze does otherwise, where it matters.
    void add_notes() {
        if (!is_true(stream_))
            out_.notes.push_back(
                {"Most kernels run on stream 0, which msprof-analyze leaves out: it finds none, or those of another "
                 "stream."});
        std::uint64_t equal = 0;
        for (std::size_t i = 1; i < owned_.size(); ++i)
            equal += is_equal_place(owned_[i - 1].number, owned_[i].number) ? 1 : 0;
        if (equal > 0)
            out_.notes.push_back(
                {"{count} kernels begin when another one of their stream does; msprof-analyze drops them.",
                 {{"count", base::format("{}", equal)}}});
    }

    bool is_equal_place(std::uint32_t one, std::uint32_t other) const {
        return trace_.device.get<&DeviceEvent::begin>(one) == trace_.device.get<&DeviceEvent::begin>(other) &&
               thread_of(one) == thread_of(other);
    }

    const TraceRecords& trace_;
    const ProfileNames& names_;
    const bool is_ours_;
    KernelOwners owners_;
    SideMetrics out_;
    PerText<bool> is_kernel_;
    std::vector<GpuKernelUse> uses_;
    TextNumber stream_ = kNoText;
    bool has_span_ = false;
    Ticks first_ = 0, last_ = 0;
    std::vector<Interval> kernels_, collectives_;
    std::vector<OwnedKernel> owned_;
};

}  // namespace

base::Result<SideMetrics> measure_gpu(const TraceRecords& trace, const ProfileNames& names, ProfileNumbers numbers) {
    return GpuMeasure(trace, names, numbers).run();
}

}  // namespace migrator
