#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "base/interrupt.h"

namespace base {

int default_thread_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

Status parallel_for(std::size_t count, int threads, const std::function<Status(std::size_t)>& job) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::size_t failed_index = count;
    Status failure;

    auto work = [&] {
        for (std::size_t i = next++; i < count && !stop; i = next++) {
            Status status = not_interrupted();
            if (status) status = job(i);
            if (status) continue;
            std::lock_guard lock(mutex);
            stop = true;
            if (i < failed_index) {
                failed_index = i;
                failure = std::move(status);
            }
        }
    };

    std::size_t wanted = static_cast<std::size_t>(threads > 0 ? threads : default_thread_count());
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < std::min(wanted, count); ++i) helpers.emplace_back(work);
    work();
    for (auto& helper : helpers) helper.join();
    return failure;
}

}  // namespace base
