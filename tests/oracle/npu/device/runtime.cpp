// The devices of the emulated NPU: memory, current device, streams, events and random numbers.
//
// Device memory is host memory that torch knows as memory of device type PrivateUse1. Work is done at once, so a stream is only a
// number and an event only a time.

#include "runtime.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <unordered_set>

namespace emulator {
namespace {

constexpr int kMaxDevices = 16;
constexpr size_t kDeviceBytes = size_t{64} << 30;  // An Atlas A2 training card.

thread_local c10::DeviceIndex current_device = 0;
thread_local std::array<c10::StreamId, kMaxDevices> current_stream{};

c10::DeviceIndex device_count() {
    static const int count = [] {
        const char* text = std::getenv("EMULATED_NPU_COUNT");
        const int wanted = text == nullptr ? 2 : std::atoi(text);
        return std::clamp(wanted, 0, kMaxDevices);
    }();
    return static_cast<c10::DeviceIndex>(count);
}

void set_current_device(c10::DeviceIndex index) {
    TORCH_CHECK(index >= 0 && index < device_count(), "npu device ", static_cast<int>(index),
                " does not exist: there are ", static_cast<int>(device_count()));
    current_device = index;
}

// --- memory ---

class Memory final : public c10::DeviceAllocator {
public:
    c10::DataPtr allocate(size_t bytes) override {
        auto host = c10::GetCPUAllocator()->allocate(bytes);
        return lend(std::move(host), bytes, npu(current_device));
    }

    // Host memory that an operator has filled becomes memory of the device.
    c10::DataPtr lend(c10::DataPtr host, size_t bytes, c10::Device device) {
        void* data = host.get();
        auto* block = new Block{std::move(host), bytes, device.index()};
        change(block->device, static_cast<int64_t>(bytes));
        return {data, block, &Memory::release, device};
    }

    bool initialized() override { return true; }
    void emptyCache(c10::MempoolId_t) override {}
    void recordStream(const c10::DataPtr&, c10::Stream) override {}
    void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
        const std::lock_guard lock(mutex_);
        return stats_.at(device);
    }
    void resetAccumulatedStats(c10::DeviceIndex device) override {
        const std::lock_guard lock(mutex_);
        for_each_total(device, [](auto& stat) { stat.reset_accumulated(); });
    }
    void resetPeakStats(c10::DeviceIndex device) override {
        const std::lock_guard lock(mutex_);
        for_each_total(device, [](auto& stat) { stat.reset_peak(); });
    }
    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
        const std::lock_guard lock(mutex_);
        return {kDeviceBytes - static_cast<size_t>(stats_.at(device).allocated_bytes[0].current), kDeviceBytes};
    }

private:
    struct Block {
        c10::DataPtr host;
        size_t bytes;
        c10::DeviceIndex device;
    };

    static void release(void* context);

    template <typename Function>
    void for_each_total(c10::DeviceIndex device, Function function) {
        auto& stats = stats_.at(device);
        for (auto* total :
             {&stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes, &stats.requested_bytes}) {
            function((*total)[0]);
        }
    }

    void change(c10::DeviceIndex device, int64_t bytes) {
        const std::lock_guard lock(mutex_);
        for_each_total(device, [bytes](auto& stat) { bytes < 0 ? stat.decrease(-bytes) : stat.increase(bytes); });
    }

    std::mutex mutex_;
    std::array<c10::CachingDeviceAllocator::DeviceStats, kMaxDevices> stats_;
};

Memory& memory() {
    static auto* const instance = new Memory;  // Outlives every tensor.
    return *instance;
}

void Memory::release(void* context) {
    auto* block = static_cast<Block*>(context);
    memory().change(block->device, -static_cast<int64_t>(block->bytes));
    delete block;
}

// Host memory that is_pinned() recognises.
class PinnedMemory final : public c10::Allocator {
public:
    c10::DataPtr allocate(size_t bytes) override {
        auto host = c10::GetCPUAllocator()->allocate(bytes);
        void* data = host.get();
        const std::lock_guard lock(mutex_);
        blocks_.insert(data);
        return {data, new c10::DataPtr(std::move(host)), &PinnedMemory::release, c10::Device(c10::kCPU)};
    }
    void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }
    bool holds(const void* data) {
        const std::lock_guard lock(mutex_);
        return blocks_.count(data) != 0;
    }

private:
    static void release(void* context);

    std::mutex mutex_;
    std::unordered_set<const void*> blocks_;
};

PinnedMemory& pinned_memory() {
    static auto* const instance = new PinnedMemory;
    return *instance;
}

void PinnedMemory::release(void* context) {
    auto* host = static_cast<c10::DataPtr*>(context);
    {
        const std::lock_guard lock(pinned_memory().mutex_);
        pinned_memory().blocks_.erase(host->get());
    }
    delete host;
}

// --- random numbers ---

// Draws from a generator of the CPU. The default generators of all devices share the one of the CPU, so that a program draws the
// same numbers wherever its tensors live, and runs on different devices can be compared.
class NpuGenerator final : public c10::GeneratorImpl {
public:
    NpuGenerator(c10::DeviceIndex index, at::Generator host)
        : GeneratorImpl(npu(index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)), host_(std::move(host)) {}

    const at::Generator& host() const { return host_; }

    void set_current_seed(uint64_t seed) override { host_.set_current_seed(seed); }
    void set_offset(uint64_t offset) override { host_.set_offset(offset); }
    uint64_t get_offset() const override { return host_.get_offset(); }
    uint64_t current_seed() const override { return host_.current_seed(); }
    uint64_t seed() override { return host_.seed(); }
    void set_state(const c10::TensorImpl& state) override { host_.unsafeGetGeneratorImpl()->set_state(state); }
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
        return host_.unsafeGetGeneratorImpl()->get_state();
    }

private:
    NpuGenerator* clone_impl() const override { return new NpuGenerator(device().index(), host_.clone()); }

    at::Generator host_;
};

c10::DeviceIndex or_current(c10::DeviceIndex index) { return index < 0 ? current_device : index; }

// --- what torch asks of a device type ---

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return emulator::device_count() > 0; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    c10::DeviceIndex deviceCount() const override { return emulator::device_count(); }
    void setCurrentDevice(c10::DeviceIndex index) const override { set_current_device(index); }
    c10::DeviceIndex getCurrentDevice() const override { return current_device; }
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
        const auto before = current_device;
        set_current_device(index);
        return before;
    }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
        return index < 0 ? current_device : exchangeDevice(index);
    }

    bool isPinnedPtr(const void* data) const override { return pinned_memory().holds(data); }
    c10::Allocator* getPinnedMemoryAllocator() const override { return &pinned_memory(); }
    at::Device getDeviceFromPtr(void*) const override { return npu(current_device); }

    const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
        static const auto generators = [] {
            std::vector<at::Generator> made;
            for (c10::DeviceIndex i = 0; i < emulator::device_count(); ++i) {
                made.push_back(at::make_generator<NpuGenerator>(i, at::detail::getDefaultCPUGenerator()));
            }
            return made;
        }();
        return generators.at(or_current(index));
    }
    at::Generator getNewGenerator(c10::DeviceIndex index) const override {
        return at::make_generator<NpuGenerator>(or_current(index), at::detail::createCPUGenerator());
    }

    void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
        auto data = memory().allocate(bytes);
        std::memcpy(data.get(), storage.data(), std::min(bytes, storage.nbytes()));
        storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(data));
        storage.unsafeGetStorageImpl()->set_nbytes(bytes);
    }
};

struct Event {
    std::chrono::steady_clock::time_point time;
};

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return c10::kPrivateUse1; }
    c10::DeviceIndex deviceCount() const noexcept override { return emulator::device_count(); }
    c10::Device getDevice() const override { return npu(current_device); }
    void setDevice(c10::Device device) const override { set_current_device(device.index()); }
    void uncheckedSetDevice(c10::Device device) const noexcept override { current_device = device.index(); }
    c10::Device exchangeDevice(c10::Device device) const override {
        const auto before = getDevice();
        if (device.has_index()) set_current_device(device.index());
        return before;
    }

    c10::Stream getStream(c10::Device device) const override {
        return stream(device, current_stream.at(or_current(device.index())));
    }
    c10::Stream getDefaultStream(c10::Device device) const override { return stream(device, 0); }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getNewStream(device, 0); }
    c10::Stream getNewStream(c10::Device device, int) const override {
        static std::atomic<c10::StreamId> last{0};
        return stream(device, ++last);
    }
    c10::Stream exchangeStream(c10::Stream wanted) const override {
        const auto before = getStream(wanted.device());
        current_stream.at(wanted.device_index()) = wanted.id();
        return before;
    }
    void* getStreamNativeHandle(c10::Stream wanted) const override { return reinterpret_cast<void*>(wanted.id()); }
    bool queryStream(const c10::Stream&) const override { return true; }
    void synchronizeStream(const c10::Stream&) const override {}
    bool isStreamCapturing(const c10::Stream&) const override { return false; }
    void synchronizeDevice(c10::DeviceIndex) const override {}
    void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}

    void record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {
        if (*event == nullptr) *event = new Event;
        static_cast<Event*>(*event)->time = std::chrono::steady_clock::now();
    }
    void block(void*, const c10::Stream&) const override {}
    bool queryEvent(void*) const override { return true; }
    void synchronizeEvent(void*) const override {}
    void destroyEvent(void* event, c10::DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
    double elapsedTime(void* first, void* second, c10::DeviceIndex) const override {
        const auto took = static_cast<Event*>(second)->time - static_cast<Event*>(first)->time;
        return std::chrono::duration<double, std::milli>(took).count();
    }

private:
    static c10::Stream stream(c10::Device device, c10::StreamId id) {
        return c10::Stream(c10::Stream::UNSAFE, npu(or_current(device.index())), id);
    }
};

// Runs when the library is loaded.
[[maybe_unused]] const bool registered = [] {
    c10::SetAllocator(c10::kPrivateUse1, &memory());
    at::RegisterPrivateUse1HooksInterface(new Hooks);
    return true;
}();
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

TORCH_LIBRARY_FRAGMENT(npu_emulator, library) {
    library.def("device_count", []() -> int64_t { return emulator::device_count(); });
    library.def("default_generator", [](int64_t index) -> at::Generator {
        return at::detail::getPrivateUse1Hooks().getDefaultGenerator(static_cast<c10::DeviceIndex>(index));
    });
}

}  // namespace

c10::DataPtr adopt(c10::Storage host, c10::Device device) {
    const size_t bytes = host.nbytes();
    void* data = host.mutable_data();
    auto* keep = new c10::Storage(std::move(host));
    c10::DataPtr pointer(
        data, keep, [](void* context) { delete static_cast<c10::Storage*>(context); }, c10::Device(c10::kCPU));
    return memory().lend(std::move(pointer), bytes, device);
}

at::Generator host_generator(const at::Generator& generator) {
    return static_cast<const NpuGenerator*>(generator.unsafeGetGeneratorImpl())->host();
}

}  // namespace emulator
