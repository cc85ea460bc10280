// A data race on purpose: that ThreadSanitizer reports it shows that the tests of threads would see one of ours.
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/parallel.h"

int main() {
    int shared = 0;
    const base::Status done = base::parallel_for(100, 4, [&](std::size_t) -> base::Status {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that every thread gets some
        ++shared;
        return {};
    });
    std::printf("%d\n", shared);
    return done ? 0 : 1;
}
