// parallel_for: runs independent jobs on a few threads; results must not depend on their order.
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"

namespace base {

// Runs job(0) .. job(count - 1), started in this order, on at most `threads` threads (0: one per core).
// After the first failure no further job starts; the failure with the lowest index is returned.
Status parallel_for(std::size_t count, int threads, const std::function<Status(std::size_t)>& job);

int default_thread_count();

}  // namespace base
