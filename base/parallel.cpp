#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/interrupt.h"

namespace base {
namespace {

// The jobs of one call, and the first failure among them.
class Jobs {
public:
    Jobs(std::size_t count, const std::function<Status(std::size_t)>& job)
        : count_(count), job_(job), failed_index_(count) {}

    // In any number of threads. Nothing leaves it: an exception that leaves a thread ends the program.
    void work() noexcept {
        for (std::size_t i = next(); i < count_ && !stop_.load(std::memory_order_relaxed); i = next()) run(i);
    }

    // After all threads have ended.
    Status result() && {
        if (thrown_) return tl::unexpected(error_of(thrown_));
        return std::move(failure_);
    }

private:
    // Relaxed: an order between jobs that only this number makes would hide their races from ThreadSanitizer.
    std::size_t next() { return next_.fetch_add(1, std::memory_order_relaxed); }

    void run(std::size_t i) {
        try {
            Status status = not_interrupted();
            if (status) status = job_(i);
            if (!status) fail(i, std::move(status), nullptr);
        } catch (...) {
            fail(i, {}, std::current_exception());
        }
    }

    void fail(std::size_t i, Status failure, std::exception_ptr thrown) {
        std::lock_guard lock(mutex_);
        stop_.store(true, std::memory_order_relaxed);
        if (i >= failed_index_) return;
        failed_index_ = i;
        failure_ = std::move(failure);
        thrown_ = std::move(thrown);
    }

    std::size_t count_;
    const std::function<Status(std::size_t)>& job_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::size_t failed_index_;
    Status failure_;
    std::exception_ptr thrown_;
};

// As many of `wanted` threads as the system gives; there are limits for a user and for a container.
std::vector<std::thread> start_threads(std::size_t wanted, const std::function<void()>& work) {
    std::vector<std::thread> out;
    out.reserve(wanted);
    try {
        while (out.size() < wanted) out.emplace_back(work);
    } catch (const std::exception&) {
        // The threads that there are do the work of the others.
    }
    return out;
}

}  // namespace

int default_thread_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

Status parallel_for(std::size_t count, int threads, const std::function<Status(std::size_t)>& job) {
    Jobs jobs(count, job);
    const auto wanted = static_cast<std::size_t>(threads > 0 ? threads : default_thread_count());
    const std::size_t helpers = std::max<std::size_t>(std::min(wanted, count), 1) - 1;
    std::vector<std::thread> started = start_threads(helpers, [&jobs] { jobs.work(); });
    jobs.work();
    for (std::thread& helper : started) helper.join();
    return std::move(jobs).result();
}

}  // namespace base
